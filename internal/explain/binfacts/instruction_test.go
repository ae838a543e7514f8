package binfacts

import (
	"debug/elf"
	"testing"

	"whyhot/internal/elfinfo/instruction"
	"whyhot/internal/host/tooltest"
	"whyhot/internal/profile"
)

// The instruction is found by the way of a sample: an address in memory, the
// mapping's offset, the file.
func TestInstructionOfAnAddress(t *testing.T) {
	text := ".globl _start\n.text\n_start: .byte 0xf7, 0xf9\nret\n" // idiv %ecx
	binary := tooltest.Compile(t, "cc", "a.s", text, "-nostdlib")
	f, err := elf.Open(binary)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	if f.Machine != elf.EM_X86_64 {
		return // the bytes are x86's
	}
	m := profile.Mapping{Path: binary, Start: 0x7000000000}
	for _, p := range f.Progs {
		if p.Type == elf.PT_LOAD && p.Flags&elf.PF_X != 0 {
			m.Offset, m.Limit = p.Off, m.Start+p.Filesz
		}
	}
	facts := New()
	in, ok := facts.Instruction(&m, m.Start+f.Section(".text").Offset-m.Offset)
	if !ok || in.Text != "idiv %ecx" || in.Kind != instruction.Division {
		t.Errorf("got %+v, %v", in, ok)
	}
	if in, ok := facts.Instruction(&m, m.Limit); ok {
		t.Errorf("outside of the mapping: %+v", in)
	}
	other := m
	other.BuildID = "00112233445566778899aabbccddeeff00112233"
	if in, ok := facts.Instruction(&other, m.Start); ok {
		t.Errorf("of another build: %+v", in)
	}
	if err := facts.Close(); err != nil {
		t.Error(err)
	}
}
