package elfsym

import (
	"debug/elf"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"strings"

	"whyhot/internal/elfinfo/elffile"
)

// pltSymbols names the stubs of the procedure linkage tables after the function
// that each jumps to: what a stub reads is a slot of the global offset table,
// and the relocation of that slot names the function.
func pltSymbols(f *elffile.File, want *wanted) ([]Symbol, error) {
	decode := decoderOf(f.Header.Machine)
	asked := func(s *elf.Section) bool { return isPLT(s) && want.between(s.Addr, s.Addr+s.Size) }
	if decode == nil || !f.Is64() || !slices.ContainsFunc(f.Sections, asked) {
		return nil, nil
	}
	names := map[uint64]string{} // by slot
	var found []stub
	var errs []error
	for _, s := range f.Sections {
		if !asked(s) {
			continue
		}
		code, err := f.SectionData(s)
		errs = append(errs, err)
		for _, st := range stubs(code, s.Addr, stubSize(s, f.Header.Machine), decode) {
			if want.between(st.low, st.high) {
				found = append(found, st)
				names[st.slot] = ""
			}
		}
	}
	if len(found) == 0 {
		return nil, errors.Join(errs...)
	}
	errs = append(errs, nameSlots(f, names))
	var out []Symbol
	for _, st := range found {
		if name := names[st.slot]; name != "" {
			out = append(out, Symbol{Name: name + "@plt", Low: st.low, High: st.high, sized: true})
		}
	}
	return out, errors.Join(errs...)
}

// stub is the code of one stub, and the slot that it jumps through.
type stub struct{ low, high, slot uint64 }

func isPLT(s *elf.Section) bool {
	return (s.Name == ".plt" || strings.HasPrefix(s.Name, ".plt.")) && s.Flags&elf.SHF_EXECINSTR != 0
}

func stubSize(s *elf.Section, machine elf.Machine) int {
	switch {
	case s.Entsize >= 8 && s.Entsize <= 64:
		return int(s.Entsize)
	case machine == elf.EM_X86_64 && s.Name == ".plt.got":
		return 8
	default:
		return 16
	}
}

func stubs(code []byte, addr uint64, size int, decode slotDecoder) []stub {
	var out []stub
	for at := 0; at+size <= len(code); at += size {
		pc := addr + uint64(at)
		if slot, ok := decode(code[at:at+size], pc); ok {
			out = append(out, stub{pc, pc + uint64(size), slot})
		}
	}
	return out
}

// nameSlots fills in, for each slot of the global offset table in out, the name in
// its relocation.
func nameSlots(f *elffile.File, out map[uint64]string) error {
	var errs []error
	for _, s := range f.Sections {
		if s.Type != elf.SHT_RELA || //nolint:misspell // the name in the ELF specification
			s.Flags&elf.SHF_ALLOC == 0 || int(s.Link) >= len(f.Sections) {
			continue
		}
		dynsym := f.Sections[s.Link]
		if dynsym.Type != elf.SHT_DYNSYM || int(dynsym.Link) >= len(f.Sections) {
			continue
		}
		relocs, err := f.SectionData(s)
		errs = append(errs, err)
		table, err := f.SectionData(dynsym)
		errs = append(errs, err)
		names, err := f.SectionData(f.Sections[dynsym.Link])
		errs = append(errs, err)
		addSlots(out, f, relocs, table, names)
	}
	if err := errors.Join(errs...); err != nil {
		return fmt.Errorf("names of linkage stubs: %w", err)
	}
	return nil
}

const relocSize = 24

func addSlots(out map[uint64]string, f *elffile.File, relocs, table, names []byte) {
	order := f.ByteOrder()
	for ; len(relocs) >= relocSize; relocs = relocs[relocSize:] {
		info := order.Uint64(relocs[8:])
		if !isSlot(f.Header.Machine, uint32(info)) {
			continue
		}
		at := (info >> 32) * symSize64
		if at+symSize64 > uint64(len(table)) {
			continue
		}
		nameAt := order.Uint32(table[at:])
		slot := order.Uint64(relocs)
		if _, asked := out[slot]; asked && nameAt != 0 && uint64(nameAt) < uint64(len(names)) {
			out[slot] = cString(names[nameAt:])
		}
	}
}

func isSlot(machine elf.Machine, typ uint32) bool {
	switch machine { //nolint:exhaustive // the machines whose stubs can be read
	case elf.EM_X86_64:
		return elf.R_X86_64(typ) == elf.R_X86_64_JMP_SLOT || elf.R_X86_64(typ) == elf.R_X86_64_GLOB_DAT
	case elf.EM_AARCH64:
		return elf.R_AARCH64(typ) == elf.R_AARCH64_JUMP_SLOT || elf.R_AARCH64(typ) == elf.R_AARCH64_GLOB_DAT
	default:
		return false
	}
}

// slotDecoder finds the address of the slot that the stub at pc jumps through.
type slotDecoder func(stub []byte, pc uint64) (uint64, bool)

func decoderOf(machine elf.Machine) slotDecoder {
	switch machine { //nolint:exhaustive // the machines whose stubs can be read
	case elf.EM_X86_64:
		return slotX86
	case elf.EM_AARCH64:
		return slotARM64
	default:
		return nil
	}
}

// slotX86 knows "[endbr64] [bnd] jmp *rel32(%rip)".
func slotX86(stub []byte, pc uint64) (uint64, bool) {
	at := 0
	if len(stub) >= 4 && string(stub[:4]) == "\xf3\x0f\x1e\xfa" {
		at = 4
	}
	if at < len(stub) && stub[at] == 0xf2 {
		at++
	}
	if at+6 > len(stub) || stub[at] != 0xff || stub[at+1] != 0x25 {
		return 0, false
	}
	rel := int64(int32(binary.LittleEndian.Uint32(stub[at+2:])))
	return pc + uint64(at) + 6 + uint64(rel), true
}

// slotARM64 knows "[bti c] adrp x16, page; ldr x17, [x16, #offset]".
func slotARM64(stub []byte, pc uint64) (uint64, bool) {
	const btiC = 0xd503245f
	if len(stub) >= 4 && binary.LittleEndian.Uint32(stub) == btiC {
		stub, pc = stub[4:], pc+4
	}
	if len(stub) < 8 {
		return 0, false
	}
	adrp, ldr := binary.LittleEndian.Uint32(stub), binary.LittleEndian.Uint32(stub[4:])
	if adrp&0x9f00001f != 0x90000010 || ldr&0xffc003ff != 0xf9400211 {
		return 0, false
	}
	page := uint64(adrp>>29&3) | uint64(adrp>>5&0x7ffff)<<2
	delta := uint64(int64(page<<43) >> 31) // sign-extend 21 bits, times 4096
	return pc&^0xfff + delta + uint64(ldr>>10&0xfff)*8, true
}
