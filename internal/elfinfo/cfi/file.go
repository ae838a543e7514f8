package cfi

import (
	"bytes"
	"debug/elf"

	"whyhot/internal/elfinfo/elffile"
)

const maxSection = 1 << 30

// Exception is the .eh_frame of a file, nil when it has none. The section keeps
// its bytes: the file may be closed.
func Exception(f *elffile.File) *Section {
	data, addr := section(f, ".eh_frame")
	hdr, hdrAddr := section(f, ".eh_frame_hdr")
	if data == nil {
		// Without section headers (stripped with sstrip, the vDSO on some
		// kernels) the program headers still name the table.
		data, addr, hdr, hdrAddr = fromSegments(f)
	}
	if data == nil {
		return nil
	}
	return EHFrame(data, addr, hdr, hdrAddr, format(f))
}

// Debug is the .debug_frame of a file, nil when it has none. The section keeps its
// bytes: the file may be closed.
func Debug(f *elffile.File) *Section {
	data, _ := section(f, ".debug_frame")
	if data == nil {
		return nil
	}
	return DebugFrame(data, format(f))
}

func format(f *elffile.File) Format {
	out := Format{Big: f.Header.Data == elf.ELFDATA2MSB, AddressSize: 4}
	if f.Is64() {
		out.AddressSize = 8
	}
	return out
}

// section is a copy of a section's bytes, and its address.
func section(f *elffile.File, name string) (data []byte, addr uint64) {
	s := f.Section(name)
	if s == nil || s.Size == 0 || s.Size > maxSection {
		return nil, 0
	}
	data, err := f.SectionData(s)
	if err != nil || len(data) == 0 {
		return nil, 0
	}
	return bytes.Clone(data), s.Addr
}

// fromSegments finds .eh_frame through PT_GNU_EH_FRAME. Its end is not recorded,
// so it goes to the end of its segment.
func fromSegments(f *elffile.File) (data []byte, addr uint64, hdr []byte, hdrAddr uint64) {
	for _, p := range f.Progs {
		if p.Type == elf.PT_GNU_EH_FRAME && p.Filesz <= maxSection {
			hdr, hdrAddr = bytes.Clone(f.At(p.Vaddr, p.Filesz)), p.Vaddr
		}
	}
	s := Section{format: format(f)}
	c := s.cursor(hdr)
	c.U8()
	encoding := c.U8()
	c.U16()
	addr = c.pointer(encoding, hdrAddr, hdrAddr)
	if c.Bad {
		return nil, 0, nil, 0
	}
	for _, p := range f.Progs {
		if p.Type == elf.PT_LOAD && addr >= p.Vaddr && addr-p.Vaddr < p.Filesz && p.Filesz <= maxSection {
			data = bytes.Clone(f.At(addr, p.Filesz-(addr-p.Vaddr)))
		}
	}
	return data, addr, hdr, hdrAddr
}
