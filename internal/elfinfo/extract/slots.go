package extract

import (
	"debug/elf"
	"encoding/binary"
	"fmt"
	"io"
)

const (
	relaSize = 24
	// maxSlots bounds how many relocations are kept; large libraries have thousands.
	maxSlots = 1 << 16
	// relaChunk is how many are read at a time.
	relaChunk = 4096
)

// pltSlots gives, of the relocations of the program's memory, those that name where
// the stubs of .plt.got lead. All others, often most of the table, move addresses and
// name nothing.
func pltSlots(f *File, s *section) ([]byte, error) {
	if s.Size%relaSize != 0 {
		return nil, fmt.Errorf("%w: section %s: %d bytes are no whole number of relocations", ErrDamaged, s.name, s.Size)
	}
	typ := slotType(elf.Machine(f.header.Machine))
	var kept []byte
	buf := make([]byte, relaChunk*relaSize)
	r := io.NewSectionReader(f.r, int64(s.Off), int64(s.Size))
	for left := s.Size; left > 0; {
		chunk := buf[:min(left, uint64(len(buf)))]
		if _, err := io.ReadFull(r, chunk); err != nil {
			return nil, fmt.Errorf("section %s: %w", s.name, noEOF(err))
		}
		left -= uint64(len(chunk))
		for ; len(chunk) > 0; chunk = chunk[relaSize:] {
			if binary.LittleEndian.Uint32(chunk[8:]) == typ && len(kept) < maxSlots*relaSize {
				kept = append(kept, chunk[:relaSize]...)
			}
		}
	}
	return kept, nil
}

// slotType is the relocation of a slot of the global offset table that holds a
// function's address; 0 does nothing on every machine.
func slotType(m elf.Machine) uint32 {
	switch m { //nolint:exhaustive // the machines whose stubs somebody reads
	case elf.EM_X86_64:
		return uint32(elf.R_X86_64_GLOB_DAT)
	case elf.EM_AARCH64:
		return uint32(elf.R_AARCH64_GLOB_DAT)
	}
	return 0
}
