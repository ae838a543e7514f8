package cfi

import "math"

// Columns is how many registers a Row knows, by their DWARF number: the general
// ones and the return address of x86-64. Rules for others, such as vector
// registers, are passed over.
const Columns = 17

// Kind is how a register of the caller is found.
type Kind uint8

// The kinds.
const (
	Same       Kind = iota // it was not touched
	Lost                   // for the return address: there is no caller
	AtOffset               // stored at CFA + Offset
	IsOffset               // is CFA + Offset
	OfRegister             // is in the register Offset
	AtValue                // stored at the value of Expr
	IsValue                // is the value of Expr
)

// Rule is how one register of the caller is found.
type Rule struct {
	Kind     Kind
	Register uint8
	Offset   int64
	Expr     []byte
}

// Row is the frame layout at one address: how to get the canonical frame
// address (CFA, the stack pointer before the call) and the caller's registers.
type Row struct {
	CFARegister uint8
	CFAOffset   int64
	CFAExpr     []byte // instead of the register, when not nil
	Rules       []Rule // those that are not Same, by register
	Signal      bool
}

// Rule is the one for a register.
func (r *Row) Rule(register uint8) Rule {
	for i := range r.Rules {
		if r.Rules[i].Register == register {
			return r.Rules[i]
		}
	}
	return Rule{Kind: Same, Register: register}
}

// state is a row while the instructions that make it run.
type state struct {
	cfaReg  uint8
	cfaOff  int64
	cfaExpr []byte
	regs    [Columns]Rule
}

// maxRemembered bounds the stack of remembered states.
const maxRemembered = 64

// interpreter runs the instructions of one function up to one address.
type interpreter struct {
	st      state
	initial state
	stack   []state
	loc     uint64
	pc      uint64
}

// Row gives the frame layout at pc, which lies in the function; false when its
// instructions make no sense.
func (f *FDE) Row(pc uint64) (*Row, bool) {
	in := interpreter{pc: math.MaxUint64}
	if !in.run(f.reader(f.CIE.program)) {
		return nil, false
	}
	in.initial = in.st
	in.loc, in.pc = f.Low, pc
	if !in.run(f.reader(f.program)) {
		return nil, false
	}
	out := &Row{CFARegister: in.st.cfaReg, CFAOffset: in.st.cfaOff, CFAExpr: in.st.cfaExpr, Signal: f.Signal}
	n := 0
	for i := range in.st.regs {
		if in.st.regs[i].Kind != Same {
			n++
		}
	}
	out.Rules = make([]Rule, 0, n)
	for i := range in.st.regs {
		if r := &in.st.regs[i]; r.Kind != Same {
			out.Rules = append(out.Rules, Rule{Kind: r.Kind, Register: uint8(i), Offset: r.Offset, Expr: r.Expr})
		}
	}
	return out, true
}

// run executes instructions until the one that moves past pc.
func (in *interpreter) run(program Instructions) bool {
	for op := (Instruction{}); program.Next(&op); {
		if !in.execute(&op) {
			return false
		}
		if in.loc > in.pc {
			return true
		}
	}
	return !program.Bad()
}

func (in *interpreter) set(reg uint64, r Rule) bool {
	if reg < Columns {
		in.st.regs[reg] = r
	}
	return true
}

func (in *interpreter) restore(reg uint64) bool {
	if reg < Columns {
		in.st.regs[reg] = in.initial.regs[reg]
	}
	return true
}

func (in *interpreter) execute(op *Instruction) bool {
	switch op.Op {
	case AdvanceLoc, AdvanceLoc1, AdvanceLoc2, AdvanceLoc4:
		in.loc += op.Advance
	case SetLoc:
		in.loc = op.Location
	case RememberState:
		if len(in.stack) == maxRemembered {
			return false
		}
		in.stack = append(in.stack, in.st)
	case RestoreState:
		if len(in.stack) == 0 {
			return false
		}
		in.st = in.stack[len(in.stack)-1]
		in.stack = in.stack[:len(in.stack)-1]
	case DefCFA, DefCFASF, DefCFARegister, DefCFAOffset, DefCFAOffsetSF, DefCFAExpression:
		return in.defineCFA(op)
	case Offset, OffsetExtended, OffsetExtendedSF, GNUNegOffset:
		return in.set(op.Register, Rule{Kind: AtOffset, Offset: op.Offset})
	case ValOffset, ValOffsetSF:
		return in.set(op.Register, Rule{Kind: IsOffset, Offset: op.Offset})
	case InRegister:
		return in.set(op.Register, Rule{Kind: OfRegister, Offset: op.Offset})
	case Expression:
		return in.set(op.Register, Rule{Kind: AtValue, Expr: op.Expr})
	case ValExpression:
		return in.set(op.Register, Rule{Kind: IsValue, Expr: op.Expr})
	case Undefined:
		return in.set(op.Register, Rule{Kind: Lost})
	case SameValue:
		return in.set(op.Register, Rule{Kind: Same})
	case Restore, RestoreExtended:
		return in.restore(op.Register)
	case Nop, GNUArgsSize:
	case GNUWindowSave: // means nothing on x86-64
		return false
	}
	return true
}

func (in *interpreter) defineCFA(op *Instruction) bool {
	st := &in.st
	if op.Op == DefCFAExpression {
		st.cfaExpr = op.Expr
		return st.cfaExpr != nil
	}
	st.cfaExpr = nil
	if op.Op != DefCFAOffset && op.Op != DefCFAOffsetSF {
		if op.Register >= Columns {
			return false
		}
		st.cfaReg = uint8(op.Register)
	}
	if op.Op != DefCFARegister {
		st.cfaOff = op.Offset
	}
	return true
}
