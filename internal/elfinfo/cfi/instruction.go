package cfi

import "whyhot/internal/elfinfo/scan"

// Op is a call frame instruction (DW_CFA_…).
type Op uint8

// The instructions. Those with an operand in their first byte have it in the low
// six bits.
const (
	AdvanceLoc       Op = 0x40
	Offset           Op = 0x80
	Restore          Op = 0xc0
	Nop              Op = 0x00
	SetLoc           Op = 0x01
	AdvanceLoc1      Op = 0x02
	AdvanceLoc2      Op = 0x03
	AdvanceLoc4      Op = 0x04
	OffsetExtended   Op = 0x05
	RestoreExtended  Op = 0x06
	Undefined        Op = 0x07
	SameValue        Op = 0x08
	InRegister       Op = 0x09
	RememberState    Op = 0x0a
	RestoreState     Op = 0x0b
	DefCFA           Op = 0x0c
	DefCFARegister   Op = 0x0d
	DefCFAOffset     Op = 0x0e
	DefCFAExpression Op = 0x0f
	Expression       Op = 0x10
	OffsetExtendedSF Op = 0x11
	DefCFASF         Op = 0x12
	DefCFAOffsetSF   Op = 0x13
	ValOffset        Op = 0x14
	ValOffsetSF      Op = 0x15
	ValExpression    Op = 0x16
	// GNUWindowSave is DW_CFA_AARCH64_negate_ra_state on AArch64.
	GNUWindowSave Op = 0x2d
	GNUArgsSize   Op = 0x2e
	GNUNegOffset  Op = 0x2f

	operandBits = 0x3f
)

// Instruction is one call frame instruction with its operands. Which of them it
// has depends on Op; the others are 0.
type Instruction struct {
	Op       Op
	Register uint64
	Offset   int64  // in bytes, or the other register of InRegister
	Advance  uint64 // in bytes
	Location uint64 // of SetLoc
	Expr     []byte
}

// Instructions reads the instructions of a function or of a common part.
type Instructions struct {
	c   cursor
	f   *FDE
	bad bool
}

// Instructions are those of the function alone, behind those of its CIE.
func (f *FDE) Instructions() Instructions { return f.reader(f.program) }

func (f *FDE) reader(program []byte) Instructions {
	s := f.section
	return Instructions{
		c: cursor{Cursor: scan.Cursor{Data: program, Big: s.format.Big}, address: s.format.AddressSize},
		f: f,
	}
}

// Next reads an instruction; false at the end, or at what is none.
func (p *Instructions) Next(in *Instruction) bool {
	if p.c.Bad || p.bad || p.c.Pos >= len(p.c.Data) {
		return false
	}
	*in = Instruction{}
	c, op := &p.c, Op(p.c.U8())
	switch arg := uint64(op & operandBits); op &^ operandBits { //nolint:exhaustive // the others have no operand in their first byte
	case AdvanceLoc:
		in.Op, in.Advance = AdvanceLoc, arg*p.f.CodeAlign
	case Offset:
		in.Op, in.Register, in.Offset = Offset, arg, int64(c.ULEB())*p.f.DataAlign
	case Restore:
		in.Op, in.Register = Restore, arg
	default:
		in.Op = op
		p.bad = !p.operands(in)
	}
	return !p.bad && !c.Bad
}

// Bad says that Next ended at what cannot be read.
func (p *Instructions) Bad() bool { return p.bad || p.c.Bad }

// operands reads those of the instructions without one in their first byte.
func (p *Instructions) operands(in *Instruction) bool {
	c, align := &p.c, p.f.DataAlign
	switch in.Op { //nolint:exhaustive // Next has read the three with an operand in their first byte
	case Nop, RememberState, RestoreState, GNUWindowSave:
	case SetLoc:
		// No compiler writes it for code that moves: the address as it stands.
		in.Location = c.pointer(p.f.encoding&encFormat, 0, 0)
	case AdvanceLoc1:
		in.Advance = uint64(c.U8()) * p.f.CodeAlign
	case AdvanceLoc2:
		in.Advance = uint64(c.U16()) * p.f.CodeAlign
	case AdvanceLoc4:
		in.Advance = uint64(c.U32()) * p.f.CodeAlign
	case DefCFA:
		in.Register, in.Offset = c.ULEB(), int64(c.ULEB())
	case DefCFAOffset:
		in.Offset = int64(c.ULEB())
	case DefCFAOffsetSF:
		in.Offset = c.SLEB() * align
	case DefCFAExpression:
		in.Expr = c.block()
	case OffsetExtended, ValOffset:
		in.Register, in.Offset = c.ULEB(), int64(c.ULEB())*align
	case DefCFASF, OffsetExtendedSF, ValOffsetSF:
		in.Register, in.Offset = c.ULEB(), c.SLEB()*align
	case GNUNegOffset:
		in.Register, in.Offset = c.ULEB(), -int64(c.ULEB())*align
	case InRegister:
		in.Register, in.Offset = c.ULEB(), int64(c.ULEB())
	case Expression, ValExpression:
		in.Register, in.Expr = c.ULEB(), c.block()
	case DefCFARegister, Undefined, SameValue, RestoreExtended:
		in.Register = c.ULEB()
	case GNUArgsSize:
		c.ULEB()
	default:
		return false
	}
	return true
}
