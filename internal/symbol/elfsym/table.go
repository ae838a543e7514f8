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
}

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
	var errs []error
	r := reader{ranges: f.CodeRanges()}
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
	plt, err := pltSymbols(f)
	errs = append(errs, err)
	r.symbols = append(r.symbols, plt...)
	starts, err := functionStarts(f)
	errs = append(errs, err)
	return r.table(starts), errors.Join(errs...)
}

type reader struct {
	ranges  []elffile.Range
	symbols []Symbol
	static  bool
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
		before := len(r.symbols)
		r.section(f, table, names)
		if s.Type == elf.SHT_SYMTAB && len(r.symbols) > before {
			r.static = true
		}
	}
	return errors.Join(errs...)
}

const (
	symSize64 = 24
	symSize32 = 16
)

// section appends the symbols of code of one table.
func (r *reader) section(f *elffile.File, table, names []byte) {
	order, size := f.ByteOrder(), symSize64
	if !f.Is64() {
		size = symSize32
	}
	arm := f.Header.Machine == elf.EM_ARM
	room := len(names)*shareFactor + maxName
	for ; len(table) >= size; table = table[size:] {
		nameAt := order.Uint32(table)
		var value, length uint64
		var info byte
		var shndx uint16
		if size == symSize64 {
			info, shndx = table[4], order.Uint16(table[6:])
			value, length = order.Uint64(table[8:]), order.Uint64(table[16:])
		} else {
			value, length = uint64(order.Uint32(table[4:])), uint64(order.Uint32(table[8:]))
			info, shndx = table[12], order.Uint16(table[14:])
		}
		typ, bind := elf.SymType(info&0xf), elf.SymBind(info>>4)
		if typ != elf.STT_FUNC && typ != elf.STT_GNU_IFUNC && typ != elf.STT_NOTYPE {
			continue
		}
		if elf.SectionIndex(shndx) == elf.SHN_UNDEF || elf.SectionIndex(shndx) == elf.SHN_ABS {
			continue
		}
		if arm && typ == elf.STT_FUNC {
			value &^= 1 // the Thumb bit
		}
		code, ok := r.codeRange(value)
		if !ok || uint64(nameAt) >= uint64(len(names)) {
			continue
		}
		name := cString(names[nameAt:])
		if isLabel(name) {
			continue
		}
		if room -= len(name); room < 0 {
			return // no sound table shares its strings that often
		}
		sym := Symbol{Name: unversioned(name), Low: value, High: value + length, sized: length > 0}
		if sym.High < sym.Low || sym.High > code.High {
			sym.High = code.High
		}
		sym.rank = rank(typ, bind)
		r.symbols = append(r.symbols, sym)
	}
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
	i := sort.Search(len(r.ranges), func(i int) bool { return r.ranges[i].High > addr })
	if i == len(r.ranges) || r.ranges[i].Low > addr {
		return elffile.Range{}, false
	}
	return r.ranges[i], true
}

// isLabel tells names that are no functions: assembler-local labels and the
// mapping symbols of ARM and RISC-V ("$x", "$d.12").
func isLabel(name string) bool {
	return name == "" || strings.HasPrefix(name, ".L") || name[0] == '$' && len(name) > 1 &&
		strings.ContainsRune("xdat", rune(name[1])) && (len(name) == 2 || name[2] == '.')
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
	t := &Table{symbols: r.bound(out, starts), static: r.static}
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
	for i, s := range syms {
		if s.sized {
			out = append(out, s)
			continue
		}
		if i > 0 && syms[i-1].Low == s.Low {
			continue // sorted: a sized one, or a better one without size
		}
		code, _ := r.codeRange(s.Low)
		end := code.High
		if r.static {
			if next := nextStart(syms[i+1:], s.Low); next > s.Low {
				end = min(end, next)
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
