// Package goleaf makes unwind tables right for Go functions without a frame of their own.
//
// It owns the reading of .gopclntab for the functions whose stack pointer never moves, and
// the change of the tables. It takes an ELF file and the profiler's tables of it, and gives
// tables. It must never import a package of this module.
//
// The profiler unwinds Go by frame pointers. A leaf function without a frame has not
// pushed one: the register still has its caller's, so the return address that is found
// beside it is that of the caller, and the caller is missing from the stack
// (main.leaf ← runtime.main). The table pcsp of .gopclntab has the distance of the stack
// pointer from the function's entry at each address; where it is 0 throughout, the return
// address is on top of the stack (amd64) or in the link register (arm64).
//
// Functions with a frame have the same gap in their first and last instructions, which
// hold few samples: they are left as they are, so that the tables stay small.
//
// Form of the table: "Go 1.2 Runtime Symbol Information" by R. Cox, and cmd/link and
// runtime/symtab.go since Go 1.18.
package goleaf

import (
	"debug/elf"
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"go.opentelemetry.io/ebpf-profiler/libpf/pfelf"
	"go.opentelemetry.io/ebpf-profiler/nativeunwind"
	sdtypes "go.opentelemetry.io/ebpf-profiler/nativeunwind/stackdeltatypes"
	"go.opentelemetry.io/ebpf-profiler/support"
)

// Provider makes the tables of another provider right.
type Provider struct {
	nativeunwind.StackDeltaProvider
}

// GetIntervalDataForFile implements nativeunwind.StackDeltaProvider.
func (p Provider) GetIntervalDataForFile(ref *pfelf.Reference) (*sdtypes.IntervalData, error) {
	tables, err := p.StackDeltaProvider.GetIntervalDataForFile(ref)
	if err != nil {
		return nil, err //nolint:wrapcheck // it comes before the profiler's own, and is not seen
	}
	file, err := ref.GetELF()
	if err != nil || file.InsideCore {
		return tables, nil //nolint:nilerr // the tables are as good as they were
	}
	info, ok := frameless(file.Machine)
	if !ok {
		return tables, nil
	}
	leaves, err := leavesOf(file)
	if err != nil || len(leaves) == 0 {
		return tables, nil //nolint:nilerr // likewise: an older or damaged table
	}
	return apply(tables, leaves, info), nil
}

// frameless is how to unwind a function that has not moved the stack pointer.
func frameless(machine elf.Machine) (sdtypes.UnwindInfo, bool) {
	switch machine { //nolint:exhaustive // those that the profiler knows
	case elf.EM_X86_64:
		return sdtypes.UnwindInfo{BaseReg: support.UnwindRegSp, Param: 8}, true //nolint:mnd // the return address
	case elf.EM_AARCH64:
		return sdtypes.UnwindInfoLR, true
	}
	return sdtypes.UnwindInfo{}, false
}

// span is the code of one function, or of several that follow each other.
type span struct{ start, end uint64 }

// apply has the spans unwound by info where the tables have frame pointers. Spans and
// blocks are in ascending order.
func apply(tables *sdtypes.IntervalData, spans []span, info sdtypes.UnwindInfo) *sdtypes.IntervalData {
	out := &sdtypes.IntervalData{}
	add := func(start, end uint64, info sdtypes.UnwindInfo) {
		if start < end {
			out.Add(sdtypes.BasicBlock{Start: start, End: end, Deltas: sdtypes.StackDeltaArray{{Info: info}}})
		}
	}
	for _, b := range tables.Blocks {
		for len(spans) > 0 && spans[0].end <= b.Start {
			spans = spans[1:]
		}
		if len(b.Deltas) != 1 || b.Deltas[0].Info != sdtypes.UnwindInfoFramePointer {
			out.Add(*b)
			continue
		}
		from := b.Start
		for _, s := range spans {
			if s.start >= b.End {
				break
			}
			start, end := max(s.start, from), min(s.end, b.End)
			add(from, start, sdtypes.UnwindInfoFramePointer)
			add(start, end, info)
			from = end
		}
		add(from, b.End, sdtypes.UnwindInfoFramePointer)
	}
	return out
}

// The form of the table.
const (
	magic118 = 0xfffffff0 // since Go 1.18
	magic120 = 0xfffffff1 // since Go 1.20
	// textField is where runtime.moduledata has the address that functions are relative to,
	// since Go 1.16: after a pointer, six slices and three addresses.
	textField = 22 * 8
	// mostFunctions is more than any program has; a larger number is damage.
	mostFunctions = 1 << 24
	entryBytes    = 8 // of the list of functions: address, place of the description
	pcspField     = 16
)

var (
	errOther   = errors.New("another form of .gopclntab")
	errDamaged = errors.New("damaged .gopclntab")
)

// leavesOf lists the functions without a frame, those that follow each other as one.
func leavesOf(file *pfelf.File) ([]span, error) {
	section := file.Section(".gopclntab")
	if section == nil {
		section = file.Section(".data.rel.ro.gopclntab") // of position-independent programs
	}
	if section == nil || section.Type == elf.SHT_NOBITS {
		return nil, errOther
	}
	r := io.NewSectionReader(file.Underlying(), int64(section.Offset), int64(section.FileSize))
	t := table{list: window{r: r}, descriptions: window{r: r}, values: window{r: r}}
	if err := t.header(file); err != nil {
		return nil, err
	}
	return t.leaves()
}

// table is an open .gopclntab.
type table struct {
	list, descriptions, values window // one each, since each is read from its beginning to its end

	text        uint64 // what addresses are relative to
	count       int
	quantum     uint32
	pcs, funcs  int64             // where the tables of values and the list of functions begin
	framelessAt map[uint32]uint32 // by table of values: bytes of code without a frame, 0 for one with; the linker shares them
}

func (t *table) header(file *pfelf.File) error {
	const words = 8
	h, err := t.list.at(0, 8+words*8)
	if err != nil {
		return err
	}
	switch m := binary.LittleEndian.Uint32(h); {
	case m != magic118 && m != magic120, h[7] != 8: //nolint:mnd // bytes of a pointer
		return errOther
	}
	t.quantum = uint32(h[6])
	word := func(i int) uint64 { return binary.LittleEndian.Uint64(h[8+8*i:]) }
	if word(0) > mostFunctions {
		return errDamaged
	}
	t.count, t.text, t.pcs, t.funcs = int(word(0)), word(2), int64(word(6)), int64(word(7))
	if t.text == 0 { // since Go 1.26
		t.text = textOf(file)
	}
	if t.text == 0 || t.pcs <= 0 || t.funcs <= t.pcs {
		return errOther
	}
	t.framelessAt = map[uint32]uint32{}
	return nil
}

// textOf reads the address from runtime.moduledata, which has a section since Go 1.26.
func textOf(file *pfelf.File) uint64 {
	module := file.Section(".go.module")
	if module == nil || module.Type == elf.SHT_NOBITS {
		return 0
	}
	var b [8]byte
	if _, err := module.ReadAt(b[:], textField); err != nil {
		return 0
	}
	return binary.LittleEndian.Uint64(b[:])
}

func (t *table) leaves() ([]span, error) {
	var out []span
	for i := range t.count {
		entry, err := t.list.at(t.funcs+int64(i)*entryBytes, entryBytes+4)
		if err != nil {
			return nil, err
		}
		start, description, end := binary.LittleEndian.Uint32(entry), binary.LittleEndian.Uint32(entry[4:]), binary.LittleEndian.Uint32(entry[8:])
		if end <= start {
			continue
		}
		without, err := t.without(description, end-start)
		if err != nil {
			return nil, err
		}
		if !without {
			continue
		}
		s := span{t.text + uint64(start), t.text + uint64(end)}
		if n := len(out); n > 0 && out[n-1].end == s.start {
			out[n-1].end = s.end
		} else {
			out = append(out, s)
		}
	}
	return out, nil
}

// without says whether a function of so many bytes has no frame.
func (t *table) without(description, size uint32) (bool, error) {
	d, err := t.descriptions.at(t.funcs+int64(description)+pcspField, 4) //nolint:mnd // bytes of the field
	if err != nil {
		return false, err
	}
	values := binary.LittleEndian.Uint32(d)
	if values == 0 {
		return false, nil // nothing is known of it
	}
	covered, known := t.framelessAt[values]
	if !known {
		if covered, err = t.covered(values); err != nil {
			return false, err
		}
		t.framelessAt[values] = covered
	}
	// Padding follows the code.
	return covered > 0 && covered <= size, nil
}

// covered reads a table of values: the bytes of code for which the value is 0, if that is
// all that it has, else 0. Values begin at -1 and are written as differences, zigzag, each
// with the length of code that it is true for.
func (t *table) covered(values uint32) (uint32, error) {
	b, err := t.values.at(t.pcs+int64(values), 2*binary.MaxVarintLen32+1)
	if err != nil {
		return 0, err
	}
	difference, n := binary.Uvarint(b)
	if n <= 0 {
		return 0, errDamaged
	}
	if difference != 2 { //nolint:mnd // +1 in zigzag: from -1 to 0
		return 0, nil
	}
	length, m := binary.Uvarint(b[n:])
	if m <= 0 || n+m >= len(b) {
		return 0, errDamaged
	}
	if b[n+m] != 0 { // another value follows
		return 0, nil
	}
	return uint32(length) * t.quantum, nil
}

// window reads a file in pieces: what is asked for is mostly close to what was.
type window struct {
	r     *io.SectionReader
	piece []byte
	from  int64
}

const pieceBytes = 64 << 10

// at gives n bytes, fewer than a piece, which are good until the next call; at the end of
// the file they are filled up with zeros.
func (w *window) at(offset int64, n int) ([]byte, error) {
	if offset < 0 || offset >= w.r.Size() {
		return nil, errDamaged
	}
	if offset < w.from || offset+int64(n) > w.from+int64(len(w.piece)) {
		if w.piece == nil {
			w.piece = make([]byte, pieceBytes)
		}
		w.from = offset
		got, err := w.r.ReadAt(w.piece, offset)
		if err != nil && !errors.Is(err, io.EOF) {
			return nil, fmt.Errorf("reading .gopclntab: %w", err)
		}
		clear(w.piece[got:])
	}
	return w.piece[offset-w.from:][:n], nil
}
