package instruction

import "golang.org/x/arch/x86/x86asm"

// Registers is a set of the sixteen general registers, each by its full width.
type Registers uint16

// Use says how an instruction uses general registers. Those with a VEX prefix are not told.
type Use struct {
	// Tested are those that it compares with a constant, or tests by themselves.
	Tested Registers
	// From are those that what it writes is made from, and To those that it writes.
	From, To Registers
	// Address are those that the address of an access to memory is made from.
	Address Registers
}

func registersOf(d *x86asm.Inst) Use {
	var u Use
	var args []x86asm.Arg
	for _, a := range d.Args {
		if a != nil {
			args = append(args, a)
		}
	}
	if len(args) == 0 || d.Op == x86asm.NOP {
		return u
	}
	in := func(a x86asm.Arg) (value, address Registers) {
		switch a := a.(type) {
		case x86asm.Reg:
			return general(a), 0
		case x86asm.Mem:
			return 0, general(a.Base) | general(a.Index)
		}
		return 0, 0
	}
	for _, a := range args {
		value, address := in(a)
		u.From |= value
		if d.Op == x86asm.LEA {
			u.From |= address
		} else {
			u.Address |= address
		}
	}
	first, _ := in(args[0])
	switch d.Op { //nolint:exhaustive // the others write their first operand
	case x86asm.CMP:
		if _, constant := args[1].(x86asm.Imm); constant {
			u.Tested = first
		}
	case x86asm.TEST:
		if args[0] == args[1] {
			u.Tested = first
		}
	case x86asm.PUSH, x86asm.CALL, x86asm.JMP, x86asm.BT:
	case x86asm.MOV, x86asm.MOVZX, x86asm.MOVSX, x86asm.MOVSXD, x86asm.LEA, x86asm.POP:
		u.To = first
		if d.Op != x86asm.LEA {
			u.From = 0
			for _, a := range args[1:] {
				value, _ := in(a)
				u.From |= value
			}
		}
	default:
		u.To = first
	}
	return u
}

// general is a general register by its full width, none where it is another.
func general(r x86asm.Reg) Registers {
	const (
		wide    = 16 // of them
		high    = 4  // AH, CH, DH, BH are parts of the first four
		uniform = x86asm.SPB
	)
	n := -1
	switch {
	case r >= x86asm.AL && r <= x86asm.BL:
		n = int(r - x86asm.AL)
	case r >= x86asm.AH && r <= x86asm.BH:
		n = int(r - x86asm.AH)
	case r >= uniform && r <= x86asm.R15B:
		n = int(r-uniform) + high
	case r >= x86asm.AX && r <= x86asm.R15W:
		n = int(r - x86asm.AX)
	case r >= x86asm.EAX && r <= x86asm.R15L:
		n = int(r - x86asm.EAX)
	case r >= x86asm.RAX && r <= x86asm.R15:
		n = int(r - x86asm.RAX)
	}
	if n < 0 || n >= wide {
		return 0
	}
	return 1 << n
}
