package symbol

import (
	"bytes"
	"debug/elf"
	"debug/gosym"
	"errors"
	"fmt"

	"whyhot/internal/elfinfo/elffile"
)

var errNoGoTable = errors.New("a Go program without .gopclntab: its functions cannot be named")

// goTable reads the function table that Go's runtime needs and that stripping
// therefore leaves in place.
func goTable(bin *elffile.File) (table *gosym.Table, err error) {
	text, pcln := bin.Section(".text"), bin.Section(".gopclntab")
	if pcln == nil { // where the program is position-independent
		pcln = bin.Section(".data.rel.ro.gopclntab")
	}
	if text == nil || pcln == nil {
		return nil, fmt.Errorf("%s: %w", bin.Path(), errNoGoTable)
	}
	data, err := bin.SectionData(pcln)
	if err != nil {
		return nil, err
	}
	defer func() {
		// debug/gosym does not check every offset that it follows.
		if r := recover(); r != nil {
			table, err = nil, fmt.Errorf("%s: damaged .gopclntab: %v", bin.Path(), r)
		}
	}()
	table, err = gosym.NewTable(nil, gosym.NewLineTable(data, goText(bin, text, pcln)))
	if err != nil {
		return nil, fmt.Errorf("%s: .gopclntab: %w", bin.Path(), err)
	}
	return table, nil
}

// goText is the address that the table's addresses are relative to: the first of Go's
// own code. A system linker, which programs with cgo need, puts C's before it. The
// runtime's description of the program (runtime.moduledata) has the address. It is the
// only thing that begins with a pointer to the table. A file of symbols may lack it, and
// has that linker's symbol.
func goText(bin *elffile.File, text, pcln *elf.Section) uint64 {
	for _, name := range []string{".go.module", ".noptrdata", ".data.rel.ro", ".data"} {
		section := bin.Section(name)
		if section == nil || bin.Header.Class != elf.ELFCLASS64 {
			continue
		}
		data, err := bin.SectionData(section)
		if err != nil {
			continue
		}
		words := goWords{bin: bin, section: section, data: data}
		for at := uint64(0); at+textField+8 <= uint64(len(data)); at += 8 {
			if words.at(at) != pcln.Addr {
				continue
			}
			if start := words.at(at + textField); text.Addr <= start && start < text.Addr+text.Size {
				return start
			}
		}
	}
	if start, ok := textSymbol(bin); ok {
		return start
	}
	return text.Addr
}

// textSymbol is the address of the symbol runtime.text, which a system linker leaves.
func textSymbol(bin *elffile.File) (uint64, bool) {
	symbols, names := bin.Section(".symtab"), bin.Section(".strtab")
	if symbols == nil || names == nil || bin.Header.Class != elf.ELFCLASS64 {
		return 0, false
	}
	table, err := bin.SectionData(symbols)
	if err != nil {
		return 0, false
	}
	text, err := bin.SectionData(names)
	if err != nil {
		return 0, false
	}
	wanted := []byte("runtime.text\x00")
	for ; len(table) >= elf.Sym64Size; table = table[elf.Sym64Size:] {
		name := uint64(bin.ByteOrder().Uint32(table))
		if name < uint64(len(text)) && bytes.HasPrefix(text[name:], wanted) {
			return bin.ByteOrder().Uint64(table[8:]), true // st_value
		}
	}
	return 0, false
}

// textField is where in runtime.moduledata the field text is, since Go 1.16: after a
// pointer, six slices and three addresses.
const textField = 8 + 6*24 + 3*8

// goWords are the pointers in a section as they are when the program runs: of one that
// is position-independent, they are in the list of relocations.
type goWords struct {
	bin     *elffile.File
	section *elf.Section
	data    []byte
	moved   map[uint64]uint64 // by address
}

func (w *goWords) at(offset uint64) uint64 {
	if v := w.bin.ByteOrder().Uint64(w.data[offset:]); v != 0 {
		return v
	}
	if w.moved == nil {
		w.moved = relative(w.bin, w.section)
	}
	return w.moved[w.section.Addr+offset]
}

// relative reads the relocations of a section's words that add nothing but the
// program's base.
func relative(bin *elffile.File, section *elf.Section) map[uint64]uint64 {
	out := map[uint64]uint64{}
	entries := bin.Section(".rela.dyn")
	if entries == nil {
		return out
	}
	data, err := bin.SectionData(entries)
	if err != nil {
		return out
	}
	const size = 24
	for ; len(data) >= size; data = data[size:] {
		at, kind, value := bin.ByteOrder().Uint64(data), uint32(bin.ByteOrder().Uint64(data[8:])), bin.ByteOrder().Uint64(data[16:])
		inside := section.Addr <= at && at < section.Addr+section.Size
		if inside && (bin.Header.Machine == elf.EM_X86_64 && kind == uint32(elf.R_X86_64_RELATIVE) || bin.Header.Machine == elf.EM_AARCH64 && kind == uint32(elf.R_AARCH64_RELATIVE)) {
			out[at] = value
		}
	}
	return out
}
