package elfsym

import (
	"debug/elf"
	"encoding/binary"
	"maps"
	"slices"
	"sort"
	"strings"

	"whyhot/internal/elfinfo/elffile"
)

// A stripped library names what it exports. An exported function often does no more than put
// its arguments in order and jump to a static one, which is what runs, without a name and
// without a frame of the exported one above it. Compilers put the unlikely part of a function
// elsewhere, too, and jump there.
//
// Where every direct branch to a function's first instruction is a jump, from functions that
// have a name, it is a part of these, and is called by their name.

const (
	// mostSharing is how many functions may jump to it; it is called "one or the other" then.
	mostSharing = 2
	sharing     = " or "
	// mostCode bounds the section that is searched: a mebibyte takes some 10 ms.
	mostCode = 32 << 20
)

// branch is one to the first instruction of a function that is asked about.
type branch struct {
	from, to uint64
	calls    bool
}

// WithTails is a table of a stripped file with names for parts of exported functions, where
// they hold one of the addresses.
func WithTails(f *elffile.File, t *Table, addrs []uint64) (*Table, error) {
	if t.static {
		return t, nil
	}
	r := reader{ranges: f.CodeRanges(), want: newWanted(addrs), any: t.any}
	sort.Slice(r.ranges, func(i, j int) bool { return r.ranges[i].Low < r.ranges[j].Low })
	tails, err := r.tails(f, t)
	if err != nil || len(tails) == 0 {
		return t, err
	}
	r.symbols = slices.Concat(t.symbols, tails)
	for i := range r.symbols {
		r.symbols[i].sized = true // their ends are known by now
	}
	return r.table(nil), nil
}

// tails are symbols for wanted addresses that have none so far.
func (r *reader) tails(f *elffile.File, t *Table) ([]Symbol, error) {
	starts, err := functionStarts(f)
	if err != nil || len(starts) == 0 {
		return nil, err
	}
	ends := map[uint64]uint64{} // of functions without a name, by their start
	for _, a := range r.want.addrs {
		if _, named := t.Find(a); named {
			continue
		}
		if low, high, ok := r.function(starts, a); ok {
			ends[low] = high
		}
	}
	if len(ends) == 0 {
		return nil, nil
	}
	branches, err := r.branches(f, ends)
	if err != nil {
		return nil, err
	}
	return r.nameTails(f, starts, ends, branches)
}

// function is the one that holds an address.
func (r *reader) function(starts []uint64, addr uint64) (low, high uint64, ok bool) {
	i, exact := slices.BinarySearch(starts, addr)
	if exact {
		i++
	}
	code, inCode := r.codeRange(addr)
	if i == 0 || !inCode || starts[i-1] < code.Low {
		return 0, 0, false
	}
	high = code.High
	if i < len(starts) {
		high = min(high, starts[i])
	}
	return starts[i-1], high, true
}

// branches finds all that lead to one of the functions. On x86-64 it looks at every byte: one
// that is not the first of an instruction would have to be followed by the right four bytes.
func (r *reader) branches(f *elffile.File, to map[uint64]uint64) ([]branch, error) {
	find := map[elf.Machine]func(code []byte, addr uint64, yield func(branch)){
		elf.EM_X86_64: branchesAMD64, elf.EM_AARCH64: branchesARM64,
	}[f.Header.Machine]
	if find == nil {
		return nil, nil
	}
	var out []branch
	for _, s := range f.Sections {
		if s.Flags&elf.SHF_EXECINSTR == 0 || s.Type != elf.SHT_PROGBITS || s.Size > mostCode {
			continue
		}
		code, err := f.SectionData(s)
		if err != nil {
			return nil, err
		}
		find(code, s.Addr, func(b branch) {
			if _, asked := to[b.to]; asked {
				out = append(out, b)
			}
		})
	}
	return out, nil
}

func branchesAMD64(code []byte, addr uint64, yield func(branch)) {
	const call, jump, long, near, wide = 0xe8, 0xe9, 0x0f, 0x80, 4
	for i := 0; i+wide < len(code); i++ {
		op := i
		switch {
		case code[i] == call, code[i] == jump:
		case code[i] == long && code[i+1]&0xf0 == near && i+1+wide < len(code): // jcc rel32
			op++
		default:
			continue
		}
		next := addr + uint64(op) + 1 + wide
		yield(branch{from: addr + uint64(i), to: next + uint64(int64(int32(binary.LittleEndian.Uint32(code[op+1:])))), calls: code[i] == call})
	}
}

func branchesARM64(code []byte, addr uint64, yield func(branch)) {
	const word, shift = 4, 6
	for i := 0; i+word <= len(code); i += word {
		w := binary.LittleEndian.Uint32(code[i:])
		if w&0x7c000000 != 0x14000000 { // B, BL
			continue
		}
		offset := int64(int32(w<<shift)) >> shift * word
		yield(branch{from: addr + uint64(i), to: addr + uint64(i) + uint64(offset), calls: w>>31 == 1})
	}
}

// nameTails gives a function the name of those that jump to it.
func (r *reader) nameTails(f *elffile.File, starts []uint64, ends map[uint64]uint64, branches []branch) ([]Symbol, error) {
	from := map[uint64][]uint64{} // functions that jump, by where to
	for _, b := range branches {
		low, _, ok := r.function(starts, b.from)
		switch {
		case ok && low == b.to: // a loop, or recursion
		case !ok || b.calls:
			delete(ends, b.to)
		case !slices.Contains(from[b.to], low):
			from[b.to] = append(from[b.to], low)
		}
	}
	sources := newWanted(slices.Concat(slices.Collect(maps.Values(from))...))
	names := reader{ranges: r.ranges, want: sources}
	if err := names.file(f); err != nil {
		return nil, err
	}
	known := names.table(starts)
	var out []Symbol
	for low, high := range ends {
		if name := nameOfAll(known, from[low]); name != "" {
			out = append(out, Symbol{Name: name, Low: low, High: high, sized: true})
		}
	}
	return out, nil
}

// nameOfAll is "" unless each of them has a name.
func nameOfAll(known *Table, functions []uint64) string {
	if len(functions) == 0 || len(functions) > mostSharing {
		return ""
	}
	names := make([]string, 0, len(functions))
	for _, low := range functions {
		s, ok := known.Find(low)
		if !ok || s.Low != low || len(functions) > 1 && strings.HasPrefix(s.Name, "_Z") {
			return ""
		}
		names = append(names, s.Name)
	}
	slices.Sort(names)
	return strings.Join(slices.Compact(names), sharing)
}
