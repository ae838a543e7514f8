package instruction

import (
	"bytes"

	"golang.org/x/arch/x86/x86asm"
)

// Step is an instruction of x86-64 as control flow sees it.
type Step struct {
	Address, Target uint64 // Target is that of a direct jump
	Size            int
	Jumps           bool
	// Condition is how a jump asks the flags, as the instruction has it: 4 is "equal", 5 its
	// contrary (Intel's manual, volume 1, table B-1). Conditional tells 0 from none.
	Condition   byte
	Conditional bool
	// Ends: the instruction behind does not follow.
	Ends bool
	// Fills: it does nothing, and stands where the next is to be aligned.
	Fills bool
	// Dear: it takes long itself, as a call, a division, an atomic update or a string
	// instruction does.
	Dear bool
	// Use is of general registers.
	Use Use
}

const (
	shortJcc, nearJcc = 0x70, 0x80 // the second behind 0x0f
	conditions        = 16
)

// Steps are the instructions of a function's code. They end where one cannot be read.
func Steps(code []byte, at uint64) []Step {
	var out []Step
	for len(code) > 0 {
		s, ok := stepAt(code, at)
		if !ok {
			return out
		}
		out = append(out, s)
		code, at = code[s.Size:], at+uint64(s.Size) //nolint:gosec // at most 15
	}
	return out
}

func stepAt(code []byte, at uint64) (Step, bool) {
	s := Step{Address: at}
	if n, is := endbr(code); is {
		s.Size = n
		return s, true
	}
	if n, dear, is := extended(code); is {
		s.Size, s.Dear = n, dear
		return s, n > 0
	}
	d, err := x86asm.Decode(code, 64) //nolint:mnd // bits
	if err != nil || d.Op == 0 {      // prefixes alone are no error
		return s, false
	}
	s.Size = d.Len
	switch d.Op { //nolint:exhaustive // the others are followed by the next
	case x86asm.JMP, x86asm.LJMP, x86asm.RET, x86asm.LRET, x86asm.UD1, x86asm.UD2, x86asm.HLT:
		s.Ends = true
	}
	s.Fills, s.Dear, s.Use = d.Op == x86asm.NOP, isDear(&d), registersOf(&d)
	to, direct := d.Args[0].(x86asm.Rel)
	if d.Op == x86asm.CALL || d.Op == x86asm.XBEGIN || !direct {
		return s, true
	}
	s.Jumps, s.Target = true, at+uint64(d.Len)+uint64(int64(to)) //nolint:gosec // wraps as the processor's does
	s.Condition, s.Conditional = condition(code[:d.Len])
	return s, true
}

// condition is what a jump asks. Prefixes are hints.
func condition(code []byte) (byte, bool) {
	for len(code) > 0 && (code[0] == 0x2e || code[0] == 0x3e || code[0] == 0xf2) {
		code = code[1:]
	}
	switch {
	case len(code) >= 1 && code[0] >= shortJcc && code[0] < shortJcc+conditions:
		return code[0] - shortJcc, true
	case len(code) >= 2 && code[0] == 0x0f && code[1] >= nearJcc && code[1] < nearJcc+conditions: //nolint:mnd // an opcode of two bytes
		return code[1] - nearJcc, true
	}
	return 0, false // LOOP and JRCXZ ask a register
}

// endbr marks where indirect jumps may lead; the decoder does not know it.
func endbr(code []byte) (size int, is bool) {
	mark := []byte{0xf3, 0x0f, 0x1e, 0xfa}
	return len(mark), bytes.HasPrefix(code, mark)
}

// isDear says whether a processor takes long for an instruction, whatever its data.
func isDear(d *x86asm.Inst) bool {
	switch d.Op { //nolint:exhaustive // the others are not
	case x86asm.CALL, x86asm.DIV, x86asm.IDIV, x86asm.DIVSD, x86asm.DIVSS, x86asm.DIVPD, x86asm.DIVPS, x86asm.SQRTSD, x86asm.SQRTSS, x86asm.SQRTPD, x86asm.SQRTPS, x86asm.FDIV, x86asm.FDIVP, x86asm.FSQRT, x86asm.SYSCALL, x86asm.CPUID, x86asm.RDTSC:
		return true
	}
	for _, p := range d.Prefix {
		if p &= 0xff; p == 0xf0 || (p == 0xf2 || p == 0xf3) && isString(d.Op) { //nolint:mnd // LOCK, REPNE, REP
			return true
		}
	}
	return false
}

func isString(op x86asm.Op) bool {
	switch op { //nolint:exhaustive // the others are not
	case x86asm.MOVSB, x86asm.MOVSW, x86asm.MOVSD, x86asm.MOVSQ, x86asm.STOSB, x86asm.STOSW, x86asm.STOSD, x86asm.STOSQ, x86asm.CMPSB, x86asm.CMPSW, x86asm.CMPSD, x86asm.CMPSQ, x86asm.SCASB, x86asm.SCASW, x86asm.SCASD, x86asm.SCASQ:
		return true
	}
	return false
}

// extended is the size of an instruction with a VEX or EVEX prefix, 0 where its bytes end
// early, and whether it divides or takes roots. In 64 bits nothing else begins so. (Intel's manual, volume 2, 2.3 and 2.7.)
// Example: c5 fc 58 44 24 20, vaddps 0x20(%rsp),%ymm0,%ymm0, has two bytes of prefix, one of
// the operation, and an address of three.
func extended(code []byte) (size int, dear, is bool) {
	if len(code) == 0 {
		return 0, false, false
	}
	var prefix int
	opcodes := byte(1) // which table of operations
	switch code[0] {
	case 0xc5:
		prefix = 2
	case 0xc4:
		prefix = 3
	case 0x62:
		prefix = 4
	default:
		return 0, false, false
	}
	if len(code) < prefix+1 {
		return 0, false, true
	}
	if prefix > 2 { //nolint:mnd // the short prefix has no table
		opcodes = code[1] & 0x7
	}
	operation := code[prefix]
	size = prefix + 1
	if !(opcodes == 1 && operation == 0x77) { // vzeroupper has no operand
		n := address(code[size:])
		if n == 0 {
			return 0, false, true
		}
		size += n
	}
	if opcodes == 3 || opcodes == 1 && hasByte(operation) {
		size++
	}
	if size > len(code) {
		return 0, false, true
	}
	return size, opcodes == 1 && (operation == 0x5e || operation == 0x51), true
}

// hasByte says whether an operation of the first table has a constant behind its address:
// shuffles, shifts by a constant, comparisons, and single elements.
func hasByte(operation byte) bool {
	return operation >= 0x70 && operation <= 0x73 || operation == 0xc2 || operation >= 0xc4 && operation <= 0xc6
}

// address is the size of an operand's byte, with what belongs to it, 0 where that is cut.
func address(code []byte) int {
	const noBase, withIndex, register = 5, 4, 3
	if len(code) == 0 {
		return 0
	}
	mode, base := code[0]>>6, code[0]&7
	size := 1
	if mode == register {
		return size
	}
	if base == withIndex {
		if len(code) < 2 { //nolint:mnd // the byte of the index
			return 0
		}
		base = code[1] & 7
		size++
		if mode == 0 && base != noBase {
			return size
		}
	}
	switch {
	case mode == 1:
		size++
	case mode == 2 || mode == 0 && base == noBase:
		size += 4
	}
	return size
}
