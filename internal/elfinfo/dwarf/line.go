package dwarf

import (
	"cmp"
	"slices"
	"sort"
)

// Opcodes of line programs (§6.2.5).
const (
	lnsCopy         = 1
	lnsAdvancePC    = 2
	lnsAdvanceLine  = 3
	lnsSetFile      = 4
	lnsSetColumn    = 5
	lnsConstAddPC   = 8
	lnsFixedAdvance = 9
	lnsSetISA       = 12

	lneEndSequence = 1
	lneSetAddress  = 2
	lneDefineFile  = 3
)

// lineTable holds the rows of one unit's line program.
type lineTable struct {
	header *lineHeader
	rows   []row
	seqs   []sequence
}

// row says that code from addr on comes from a line.
type row struct {
	addr uint64
	file uint32
	line uint32
}

// sequence is a contiguous piece of code: rows[first:last] describe [low, high).
type sequence struct {
	low, high   uint64
	first, last int
}

// lineHeader returns the unit's file names.
func (u *unit) lineHeader() *lineHeader { return u.lineTable().header }

// lineKey identifies a line table: units may share one.
type lineKey struct {
	off     uint64
	compDir string
	code    bool // whether the rows are wanted too
}

// lineTable returns the unit's lines, reading them on first use.
func (u *unit) lineTable() *lineTable {
	u.lineOnce.Do(func() {
		u.lines = &lineTable{header: &lineHeader{}}
		if !u.root.hasLines {
			return
		}
		d := u.info
		key := lineKey{u.root.stmtList, u.text(u.root.compDir), u.hasCode()}
		d.mu.Lock()
		known := d.lines[key]
		d.mu.Unlock()
		if known != nil {
			u.lines = known
			return
		}
		if err := u.readLines(u.lines); err != nil {
			d.note(err.Error())
		}
		d.mu.Lock()
		d.lines[key] = u.lines
		d.mu.Unlock()
	})
	return u.lines
}

func (u *unit) readLines(t *lineTable) error {
	if u.info.budget.line.Load() <= 0 {
		return errBudget
	}
	h, err := u.readLineHeader(u.root.stmtList)
	t.header = h
	if h.end > 0 {
		spend(&u.info.budget.line, h.end-int(min(u.root.stmtList, uint64(h.end))))
	}
	if err == nil && u.hasCode() {
		u.runLines(t)
	}
	return err
}

// find returns the row for an address.
func (t *lineTable) find(addr uint64) (row, bool) {
	i := sort.Search(len(t.seqs), func(i int) bool { return t.seqs[i].high > addr })
	if i == len(t.seqs) || t.seqs[i].low > addr {
		return row{}, false
	}
	rows := t.rows[t.seqs[i].first:t.seqs[i].last]
	j := sort.Search(len(rows), func(j int) bool { return rows[j].addr > addr })
	if j == 0 {
		return row{}, false
	}
	return rows[j-1], true
}

// machine runs one line program.
type machine struct {
	info  *Info
	h     *lineHeader
	t     *lineTable
	c     cursor
	row   row
	opIdx uint64
	first int // of the current sequence
}

func (u *unit) runLines(t *lineTable) {
	h := t.header
	if h.program >= h.end {
		return
	}
	m := machine{info: u.info, h: h, t: t, c: at(u.info.sec.line[:h.end], uint64(h.program), u.info.sec.big)}
	// A row that is kept takes some six bytes of program in compilers' output.
	t.rows = make([]row, 0, (h.end-h.program)/6)
	m.reset()
	for m.c.Pos < len(m.c.Data) {
		switch op := m.c.U8(); {
		case op >= h.opcodeBase:
			n := op - h.opcodeBase
			m.advance(uint64(n / h.lineRange))
			m.row.line += uint32(int32(h.lineBase) + int32(n%h.lineRange))
			m.emit()
		case op == 0:
			m.extended()
		default:
			m.standard(op)
		}
	}
	slices.SortStableFunc(t.seqs, func(a, b sequence) int { return cmp.Compare(a.high, b.high) })
}

func (m *machine) reset() {
	m.row = row{file: 1, line: 1}
	m.opIdx = 0
	m.first = len(m.t.rows)
}

// advance moves the address by n operations; only VLIW machines have more than
// one to an instruction.
func (m *machine) advance(n uint64) {
	if m.h.maxOps <= 1 {
		m.row.addr += n * uint64(m.h.minInst)
		return
	}
	ops := m.opIdx + n
	m.row.addr += uint64(m.h.minInst) * (ops / uint64(m.h.maxOps))
	m.opIdx = ops % uint64(m.h.maxOps)
}

// emit adds the current row; of several for one address the last holds.
func (m *machine) emit() {
	if n := len(m.t.rows); n > m.first {
		last := &m.t.rows[n-1]
		if last.addr == m.row.addr {
			*last = m.row
			return
		}
		if last.file == m.row.file && last.line == m.row.line && last.addr < m.row.addr {
			return
		}
	}
	m.t.rows = append(m.t.rows, m.row)
}

func (m *machine) standard(op uint8) {
	switch op {
	case lnsCopy:
		m.emit()
	case lnsAdvancePC:
		m.advance(m.c.ULEB())
	case lnsAdvanceLine:
		m.row.line += uint32(m.c.SLEB())
	case lnsSetFile:
		m.row.file = uint32(m.c.ULEB())
	case lnsConstAddPC:
		m.advance(uint64((255 - m.h.opcodeBase) / m.h.lineRange))
	case lnsFixedAdvance:
		m.row.addr += uint64(m.c.U16())
		m.opIdx = 0
	case lnsSetColumn, lnsSetISA:
		m.c.ULEB()
	default:
		for range m.h.stdLengths[op-1] {
			m.c.ULEB()
		}
	}
}

func (m *machine) extended() {
	length := m.c.ULEB()
	if length == 0 || length > uint64(len(m.c.Data)-m.c.Pos) {
		m.c.Fail()
		return
	}
	next := m.c.Pos + int(length)
	switch m.c.U8() {
	case lneEndSequence:
		m.endSequence()
	case lneSetAddress:
		m.row.addr = m.c.Uint(uint8(min(length-1, 8)))
		m.opIdx = 0
	case lneDefineFile:
		name := m.c.Str()
		f := m.h.fileV4(&m.c, name)
		m.h.resolveFile(&f)
		m.h.files = append(m.h.files, f)
	}
	m.c.Pos = next
}

// endSequence closes the current sequence, unless it is of code that the linker
// dropped.
func (m *machine) endSequence() {
	rows := m.t.rows[m.first:]
	if len(rows) > 0 {
		if !slices.IsSortedFunc(rows, byAddr) {
			slices.SortStableFunc(rows, byAddr)
		}
		if low := rows[0].addr; low < m.row.addr && m.info.isCode(low) {
			m.t.seqs = append(m.t.seqs, sequence{low, m.row.addr, m.first, len(m.t.rows)})
		} else {
			m.t.rows = m.t.rows[:m.first]
		}
	}
	m.reset()
}

func byAddr(a, b row) int { return cmp.Compare(a.addr, b.addr) }
