package elfsym

import (
	"bytes"
	"debug/elf"
	"errors"
	"slices"
	"sort"
	"strings"

	"whyhot/internal/elfinfo/elffile"
	"whyhot/internal/elfinfo/interval"
	"whyhot/internal/symbol/alias"
)

// Symbol is one named range of code.
type Symbol struct {
	Name      string // as in the file, without version
	Low, High uint64
	sized     bool
	rank      uint8
}

// Table finds symbols by address. The zero Table is empty.
type Table struct {
	symbols []Symbol
	index   interval.Map
	static  bool
	any     bool
}

// HasAny reports whether the files have symbols of code, wanted or not.
func (t *Table) HasAny() bool { return t.any }

// Len is the number of symbols of code.
func (t *Table) Len() int { return len(t.symbols) }

// HasStatic reports whether the names come from a full table (.symtab or
// .gnu_debugdata) and not from the exported names alone.
func (t *Table) HasStatic() bool { return t.static }

// Find returns the symbol that holds a virtual address.
func (t *Table) Find(addr uint64) (Symbol, bool) {
	id, ok := t.index.Find(addr)
	if !ok {
		return Symbol{}, false
	}
	return t.symbols[id], true
}

// Symbols returns all symbols of the table, sorted by address. The slice is
// read-only.
func (t *Table) Symbols() []Symbol { return t.symbols }

// Read makes the table of f, with the symbols of debug files of the same build
// ID added. A file with damaged tables gives what could be read and an error.
func Read(f *elffile.File, debug ...*elffile.File) (*Table, error) {
	return readTable(f, nil, debug)
}

// ReadFor is Read with only the symbols that Find needs to answer for addrs: a
// tenth of the work where a file has many symbols and a profile few addresses.
// Len and Symbols tell of those that were kept.
func ReadFor(f *elffile.File, addrs []uint64, debug ...*elffile.File) (*Table, error) {
	return readTable(f, newWanted(addrs), debug)
}

func readTable(f *elffile.File, want *wanted, debug []*elffile.File) (*Table, error) {
	var errs []error
	r := reader{ranges: f.CodeRanges(), want: want}
	sort.Slice(r.ranges, func(i, j int) bool { return r.ranges[i].Low < r.ranges[j].Low })
	for _, src := range append([]*elffile.File{f}, debug...) {
		errs = append(errs, r.file(src))
	}
	if len(debug) == 0 || !r.static {
		if mini, err := miniDebugInfo(f); err != nil {
			errs = append(errs, err)
		} else if mini != nil {
			errs = append(errs, r.file(mini))
		}
	}
	plt, err := pltSymbols(f, want)
	errs = append(errs, err)
	r.symbols = append(r.symbols, plt...)
	var starts []uint64
	if r.unsized {
		starts, err = functionStarts(f)
		errs = append(errs, err)
	}
	return r.table(starts), errors.Join(errs...)
}

type reader struct {
	ranges  []elffile.Range
	want    *wanted // nil: all
	symbols []Symbol
	static  bool
	any     bool
	passed  []uint64 // where the symbols that nobody wants begin; they have a size
	unsized bool     // there are symbols without a size
	last    elffile.Range
}

func (r *reader) file(f *elffile.File) error {
	var errs []error
	for _, s := range f.Sections {
		if s.Type != elf.SHT_SYMTAB && s.Type != elf.SHT_DYNSYM || int(s.Link) >= len(f.Sections) {
			continue
		}
		table, err := f.SectionData(s)
		errs = append(errs, err)
		names, err := f.SectionData(f.Sections[s.Link])
		errs = append(errs, err)
		found := r.section(f, table, names)
		r.any = r.any || found
		r.static = r.static || found && s.Type == elf.SHT_SYMTAB
	}
	return errors.Join(errs...)
}

// section appends the wanted symbols of code of one table and says whether there
// are any symbols of code at all.
func (r *reader) section(f *elffile.File, table, names []byte) (found bool) {
	size := symSize64
	if !f.Is64() {
		size = symSize32
	}
	order := f.ByteOrder()
	if r.want != nil {
		r.passed = slices.Grow(r.passed, len(table)/size)
	}
	little := f.Header.Data == elf.ELFDATA2LSB && size == symSize64
	arm := f.Header.Machine == elf.EM_ARM
	room := len(names)*shareFactor + maxName
	for ; len(table) >= size; table = table[size:] {
		var e raw
		if little {
			e = rawLittle(table)
		} else {
			e = rawOther(table, order, size)
		}
		if !e.isCode() || uint64(e.name) >= uint64(len(names)) {
			continue
		}
		if arm && e.typ() == elf.STT_FUNC {
			e.value &^= 1 // the Thumb bit
		}
		code, ok := r.codeRange(e.value)
		if !ok {
			continue
		}
		high := e.value + e.size
		if high < e.value || high > code.High {
			high = code.High
		}
		if e.size > 0 && !r.want.between(e.value, high) {
			found = true
			r.passed = append(r.passed, e.value)
			continue
		}
		if isLabel(names[e.name:]) {
			continue
		}
		found = true
		name := cString(names[e.name:])
		if room -= len(name); room < 0 {
			return found // no sound table shares its strings that often
		}
		r.unsized = r.unsized || e.size == 0
		r.symbols = append(r.symbols, Symbol{
			Name: unversioned(name), Low: e.value, High: high, sized: e.size > 0, rank: rank(e.typ(), elf.SymBind(e.info>>4)),
		})
	}
	return found
}

func rank(typ elf.SymType, bind elf.SymBind) uint8 {
	var k uint8
	if typ == elf.STT_NOTYPE {
		k += 2
	}
	if bind == elf.STB_LOCAL {
		k++
	}
	return k
}

// codeRange finds the section of code that holds addr.
func (r *reader) codeRange(addr uint64) (elffile.Range, bool) {
	if r.last.Low <= addr && addr < r.last.High {
		return r.last, true
	}
	i := sort.Search(len(r.ranges), func(i int) bool { return r.ranges[i].High > addr })
	if i == len(r.ranges) || r.ranges[i].Low > addr {
		return elffile.Range{}, false
	}
	r.last = r.ranges[i]
	return r.last, true
}

// isLabel tells names that are no functions: assembler-local labels and the
// mapping symbols of ARM and RISC-V ("$x", "$d.12"). b begins with the name and
// goes on to the end of the string table.
func isLabel(b []byte) bool {
	at := func(i int) byte {
		if i < len(b) {
			return b[i]
		}
		return 0
	}
	switch at(0) {
	case 0:
		return true
	case '.':
		return at(1) == 'L'
	case '$':
		return at(1) != 0 && strings.IndexByte("xdat", at(1)) >= 0 && (at(2) == 0 || at(2) == '.')
	}
	return false
}

// unversioned drops "@@GLIBC_2.14" and "@GLIBC_2.2.5". The stubs' "@plt" is not
// in symbol tables.
func unversioned(name string) string {
	if i := strings.IndexByte(name, '@'); i > 0 {
		return name[:i]
	}
	return name
}

func cString(b []byte) string {
	if i := bytes.IndexByte(b[:min(len(b), maxName)], 0); i >= 0 {
		return string(b[:i])
	}
	return string(b[:min(len(b), maxName)])
}

// shareFactor bounds how often the bytes of a string table may be used: linkers
// let a name be the tail of another.
const shareFactor = 16

// maxName bounds a name; template names of this length exist, longer ones come
// from string tables without an end.
const maxName = 64 << 10

func (r *reader) table(starts []uint64) *Table {
	syms := r.symbols
	slices.SortFunc(syms, compare)
	out := syms[:0]
	for i := range syms {
		if len(out) > 0 && out[len(out)-1].Low == syms[i].Low && out[len(out)-1].High == syms[i].High {
			continue // the better alias came first
		}
		out = append(out, syms[i])
	}
	t := &Table{symbols: r.bound(out, starts), static: r.static, any: r.any || len(r.symbols) > 0}
	spans := make([]interval.Span, len(t.symbols))
	for i, s := range t.symbols {
		spans[i] = interval.Span{Low: s.Low, High: s.High, ID: int32(i)}
	}
	t.index = interval.Build(spans)
	return t
}

// bound gives symbols without a size their end and drops those that a symbol
// with a size at the same address makes needless.
func (r *reader) bound(syms []Symbol, starts []uint64) []Symbol {
	out := make([]Symbol, 0, len(syms))
	passed := r.passedBy(syms)
	for i, s := range syms {
		if s.sized {
			out = append(out, s)
			continue
		}
		if i > 0 && syms[i-1].Low == s.Low {
			continue // sorted: a sized one, or a better one without size
		}
		over, found := passed[s.Low]
		if found && over == s.Low {
			continue // a sized one, too
		}
		code, _ := r.codeRange(s.Low)
		end := code.High
		if r.static {
			if next := nextStart(syms[i+1:], s.Low); next > s.Low {
				end = min(end, next)
			}
			if over > s.Low {
				end = min(end, over)
			}
		}
		at, exact := slices.BinarySearch(starts, s.Low)
		if !r.static && !exact {
			continue
		}
		if exact {
			at++
		}
		if at < len(starts) {
			end = min(end, starts[at])
		}
		s.High = end
		out = append(out, s)
	}
	return out
}

// passedBy tells, for each symbol without a size, where the first of the symbols
// that were left out begins at or behind it, for those where there is one.
func (r *reader) passedBy(syms []Symbol) map[uint64]uint64 {
	var lows []uint64
	for _, s := range syms {
		if !s.sized {
			lows = append(lows, s.Low)
		}
	}
	out := make(map[uint64]uint64, len(lows))
	if len(lows) == 0 {
		return out
	}
	for _, p := range r.passed {
		i, exact := slices.BinarySearch(lows, p)
		if !exact {
			i--
		}
		if i < 0 {
			continue
		}
		if old, ok := out[lows[i]]; !ok || p < old {
			out[lows[i]] = p
		}
	}
	return out
}

func nextStart(syms []Symbol, low uint64) uint64 {
	for i := range syms {
		if syms[i].Low > low {
			return syms[i].Low
		}
	}
	return 0
}

// compare sorts by address, symbols with a size first, the larger first, and the
// best name first.
func compare(a, b Symbol) int {
	switch {
	case a.Low != b.Low:
		return less(a.Low < b.Low)
	case a.sized != b.sized:
		return less(a.sized)
	case a.sized && a.High != b.High:
		return less(a.High > b.High)
	case a.rank != b.rank:
		return less(a.rank < b.rank)
	}
	return alias.Compare(a.Name, b.Name)
}

func less(yes bool) int {
	if yes {
		return -1
	}
	return 1
}
