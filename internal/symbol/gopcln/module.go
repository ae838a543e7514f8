package gopcln

import (
	"bytes"
	"debug/elf"

	"whyhot/internal/elfinfo/elffile"
)

// module is the runtime's description of a program, runtime.moduledata.
type module struct {
	words goWords
	at    uint64 // offset of it in the section
}

// moduleOf finds it: it is the only thing that begins with a pointer to the table of functions. A
// file of symbols may lack it.
func moduleOf(bin *elffile.File, text, pcln *elf.Section) (m module, ok bool) {
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
				return module{words, at}, true
			}
		}
	}
	return module{}, false
}

// textOf is the address that the table's addresses are relative to: the first of Go's own code. A
// system linker, which programs with cgo need, puts C's before it, and leaves a symbol.
func textOf(bin *elffile.File, text *elf.Section, m module) uint64 {
	if m.words.bin != nil {
		return m.words.at(m.at + textField)
	}
	if start, ok := symbolNamed(bin, "runtime.text"); ok {
		return start
	}
	return text.Addr
}

// symbolNamed is the address of a symbol, found without making a table of all.
func symbolNamed(bin *elffile.File, symbol string) (uint64, bool) {
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
	wanted := []byte(symbol + "\x00")
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
