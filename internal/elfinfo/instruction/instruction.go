// Package instruction says what single machine instructions of a binary are.
//
// It owns the decoding of one instruction at a known address and the sorting of
// instructions by what they make the processor do. It takes an ELF file of x86-64
// or AArch64 and addresses in it; it gives text in the assembler's usual syntax. It
// reads no symbols and follows no control flow, and must never import a profile.
//
// The decoders are those of golang.org/x/arch; that of x86 knows nothing of AVX, so
// its instructions have a kind and no operands (docs/decisions/0103).
package instruction

import (
	"debug/elf"
	"strings"

	"golang.org/x/arch/arm64/arm64asm"
	"golang.org/x/arch/x86/x86asm"

	"whyhot/internal/elfinfo/elffile"
)

// Kind is what an instruction makes the processor do, in words for a list.
type Kind string

// The kinds, the most expensive that holds first.
const (
	Atomic    Kind = "atomic updates"
	Division  Kind = "divisions and square roots"
	Load      Kind = "loads from memory"
	Store     Kind = "stores to memory"
	Call      Kind = "calls and returns"
	Branch    Kind = "branches"
	Vector    Kind = "vector arithmetic"
	Float     Kind = "floating-point arithmetic"
	Integer   Kind = "integer arithmetic and moves"
	longest        = 15 // bytes of an x86 instruction
	armLength      = 4
)

// Instruction is one instruction.
type Instruction struct {
	Text string
	Kind Kind
}

// At decodes the instruction at a virtual address; ok is false where the file has
// no code there, or none that can be read.
func At(f *elffile.File, vaddr uint64) (in Instruction, ok bool) {
	switch f.Header.Machine { //nolint:exhaustive // the other machines have no decoder here
	case elf.EM_X86_64:
		code := f.At(vaddr, longest)
		for n := longest; len(code) == 0 && n > 0; n-- { // the end of the section
			code = f.At(vaddr, uint64(n))
		}
		return x86(code, vaddr)
	case elf.EM_AARCH64:
		return arm(f.At(vaddr, armLength))
	}
	return Instruction{}, false
}

func x86(code []byte, vaddr uint64) (Instruction, bool) {
	if len(code) == 0 {
		return Instruction{}, false
	}
	const bits = 64
	if code[0] == 0xc4 || code[0] == 0xc5 || code[0] == 0x62 { // VEX and EVEX prefixes; BOUND, LES and LDS are no more
		return Instruction{"an AVX instruction", Vector}, true
	}
	d, err := x86asm.Decode(code, bits)
	if err != nil || d.Op == 0 { // prefixes alone are no error
		return Instruction{}, false
	}
	return Instruction{x86asm.GNUSyntax(d, vaddr, nil), x86Kind(&d)}, true
}

func x86Kind(d *x86asm.Inst) Kind {
	name := strings.TrimSuffix(d.Op.String(), "_XMM") // MOVSD is also a move of strings
	var memory [2]bool                                // of the first operand, of another
	for i, a := range d.Args {
		if _, is := a.(x86asm.Mem); is {
			memory[min(i, 1)] = true
		}
	}
	locked := false
	for _, p := range d.Prefix {
		locked = locked || p&0xff == x86asm.PrefixLOCK&0xff && p != 0
	}
	compares := strings.HasPrefix(name, "CMP") || name == "TEST" || name == "BT" || strings.Contains(name, "COMIS")
	switch {
	case locked, name == "XCHG" && memory[0]:
		return Atomic
	case strings.Contains(name, "DIV"), strings.Contains(name, "SQRT"):
		return Division
	case name == "CALL", name == "RET", name == "SYSCALL":
		return Call
	case name == "LEA", name == "NOP":
		return Integer
	case name[0] == 'J':
		return Branch
	case memory[1], memory[0] && compares, name == "POP":
		return Load
	case memory[0], name == "PUSH", strings.HasPrefix(name, "STOS"):
		return Store
	}
	return arithmetic(name)
}

// arithmetic tells SSE's instructions by their names: PS and PD are of vectors, SS
// and SD of one number, P… of vectors of integers.
func arithmetic(name string) Kind {
	switch {
	case strings.HasSuffix(name, "SS"), strings.HasSuffix(name, "SD"), strings.HasPrefix(name, "CVT"), name[0] == 'F':
		return Float
	case strings.HasSuffix(name, "PS"), strings.HasSuffix(name, "PD"), name[0] == 'P' && name != "POPCNT" && name != "PAUSE":
		return Vector
	}
	return Integer
}

func arm(code []byte) (Instruction, bool) {
	if len(code) < armLength {
		return Instruction{}, false
	}
	d, err := arm64asm.Decode(code)
	if err != nil {
		return Instruction{}, false
	}
	return Instruction{arm64asm.GNUSyntax(d), armKind(d.Op.String())}, true
}

func armKind(name string) Kind {
	has := func(prefixes ...string) bool {
		for _, p := range prefixes {
			if strings.HasPrefix(name, p) {
				return true
			}
		}
		return false
	}
	switch {
	case has("LDXR", "LDAXR", "STXR", "STLXR", "CAS", "SWP", "LDADD", "LDCLR", "LDSET"):
		return Atomic
	case has("SDIV", "UDIV", "FDIV", "FSQRT"):
		return Division
	case has("LD"):
		return Load
	case has("ST"):
		return Store
	case name == "BL", name == "BLR", name == "RET":
		return Call
	case name == "B", has("B.", "BR", "CB", "TB"):
		return Branch
	case has("F", "SCVTF", "UCVTF"):
		return Float
	}
	return Integer
}
