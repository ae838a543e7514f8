package unwind

import "math"

// DWARF register numbers of x86-64 that have a meaning here. The return
// address has a column of its own.
const (
	regRBP  = 6
	regRSP  = 7
	regRA   = 16
	numRegs = 17
)

// How a register of the caller is found.
const (
	ruleSame      = iota // it was not touched
	ruleUndefined        // it is lost; for the return address: there is no caller
	ruleOffset           // stored at CFA + off
	ruleValOffset        // is CFA + off
	ruleRegister         // is in the register off
	ruleExpr             // stored at the value of expr
	ruleValExpr          // is the value of expr
)

type rule struct {
	kind uint8
	reg  uint8 // the column the rule is for
	off  int64
	expr []byte
}

// row is the frame layout at one address: how to get the canonical frame
// address (CFA, the stack pointer before the call) and the caller's registers.
type row struct {
	cfaReg  uint8
	cfaOff  int64
	cfaExpr []byte // instead of cfaReg, when not nil
	rules   []rule // those that are not ruleSame
	signal  bool
}

// ra is the rule for the return address.
func (r *row) ra() rule {
	for i := range r.rules {
		if r.rules[i].reg == regRA {
			return r.rules[i]
		}
	}
	return rule{kind: ruleSame, reg: regRA}
}

// state is a row while the program that makes it runs.
type state struct {
	cfaReg  uint8
	cfaOff  int64
	cfaExpr []byte
	regs    [numRegs]rule
}

// Call frame instructions (DW_CFA_…).
const (
	cfaAdvanceLoc       = 0x40 // delta in the low six bits
	cfaOffset           = 0x80 // register in the low six bits
	cfaRestore          = 0xc0 // register in the low six bits
	cfaNop              = 0x00
	cfaSetLoc           = 0x01
	cfaAdvanceLoc1      = 0x02
	cfaAdvanceLoc2      = 0x03
	cfaAdvanceLoc4      = 0x04
	cfaOffsetExtended   = 0x05
	cfaRestoreExtended  = 0x06
	cfaUndefined        = 0x07
	cfaSameValue        = 0x08
	cfaRegister         = 0x09
	cfaRememberState    = 0x0a
	cfaRestoreState     = 0x0b
	cfaDefCFA           = 0x0c
	cfaDefCFARegister   = 0x0d
	cfaDefCFAOffset     = 0x0e
	cfaDefCFAExpression = 0x0f
	cfaExpression       = 0x10
	cfaOffsetExtendedSF = 0x11
	cfaDefCFASF         = 0x12
	cfaDefCFAOffsetSF   = 0x13
	cfaValOffset        = 0x14
	cfaValOffsetSF      = 0x15
	cfaValExpression    = 0x16
	cfaGNUArgsSize      = 0x2e
	cfaGNUNegOffset     = 0x2f
)

// maxRemembered bounds the stack of remembered states.
const maxRemembered = 64

// interpreter runs the program of one function up to one address.
type interpreter struct {
	f       *fde
	sect    *cfiSection
	st      state
	initial state
	stack   []state
	loc     uint64
	pc      uint64
}

// rowAt gives the frame layout at pc, which lies in f.
func (s *cfiSection) rowAt(f *fde, pc uint64) (*row, bool) {
	in := interpreter{f: f, sect: s, loc: 0, pc: math.MaxUint64}
	if !in.run(f.cie.program) {
		return nil, false
	}
	in.initial = in.st
	in.loc, in.pc = f.lo, pc
	if !in.run(f.program) {
		return nil, false
	}
	out := &row{cfaReg: in.st.cfaReg, cfaOff: in.st.cfaOff, cfaExpr: in.st.cfaExpr, signal: f.cie.signal}
	if f.cie.raColumn != regRA {
		return nil, false
	}
	for reg, rl := range in.st.regs {
		if rl.kind != ruleSame {
			rl.reg = uint8(reg)
			out.rules = append(out.rules, rl)
		}
	}
	return out, true
}

// run executes instructions until the one that moves past pc.
func (in *interpreter) run(program []byte) bool {
	r := reader{b: program}
	for r.left() {
		op := r.u8()
		arg := uint64(op & 0x3f)
		switch op & 0xc0 {
		case cfaAdvanceLoc:
			in.loc += arg * in.f.cie.codeAlign
		case cfaOffset:
			in.set(arg, rule{kind: ruleOffset, off: int64(r.uleb()) * in.f.cie.dataAlign})
		case cfaRestore:
			in.restore(arg)
		default:
			if !in.extended(op, &r) {
				return false
			}
		}
		if in.loc > in.pc {
			return !r.bad
		}
	}
	return !r.bad
}

func (in *interpreter) set(reg uint64, rl rule) {
	if reg < numRegs { // the others (vector registers) are never needed
		in.st.regs[reg] = rl
	}
}

func (in *interpreter) restore(reg uint64) {
	if reg < numRegs {
		in.st.regs[reg] = in.initial.regs[reg]
	}
}

// extended executes the instructions without an operand in their first byte.
func (in *interpreter) extended(op uint8, r *reader) bool {
	align := in.f.cie.dataAlign
	switch op {
	case cfaNop:
	case cfaSetLoc:
		in.loc = r.pointer(in.f.cie.fdeEnc&encFormat, in.sect.addr, in.sect.hdrAddr)
	case cfaAdvanceLoc1:
		in.loc += uint64(r.u8()) * in.f.cie.codeAlign
	case cfaAdvanceLoc2:
		in.loc += uint64(r.u16()) * in.f.cie.codeAlign
	case cfaAdvanceLoc4:
		in.loc += uint64(r.u32()) * in.f.cie.codeAlign
	case cfaRememberState:
		if len(in.stack) == maxRemembered {
			return false
		}
		in.stack = append(in.stack, in.st)
	case cfaRestoreState:
		if len(in.stack) == 0 {
			return false
		}
		in.st = in.stack[len(in.stack)-1]
		in.stack = in.stack[:len(in.stack)-1]
	case cfaDefCFA, cfaDefCFASF, cfaDefCFARegister, cfaDefCFAOffset, cfaDefCFAOffsetSF, cfaDefCFAExpression:
		return in.defineCFA(op, r)
	case cfaOffsetExtended:
		in.set(r.uleb(), rule{kind: ruleOffset, off: int64(r.uleb()) * align})
	case cfaOffsetExtendedSF:
		in.set(r.uleb(), rule{kind: ruleOffset, off: r.sleb() * align})
	case cfaGNUNegOffset:
		in.set(r.uleb(), rule{kind: ruleOffset, off: -int64(r.uleb()) * align})
	case cfaValOffset:
		in.set(r.uleb(), rule{kind: ruleValOffset, off: int64(r.uleb()) * align})
	case cfaValOffsetSF:
		in.set(r.uleb(), rule{kind: ruleValOffset, off: r.sleb() * align})
	case cfaRegister:
		in.set(r.uleb(), rule{kind: ruleRegister, off: int64(r.uleb())})
	case cfaExpression:
		in.set(r.uleb(), rule{kind: ruleExpr, expr: r.block()})
	case cfaValExpression:
		in.set(r.uleb(), rule{kind: ruleValExpr, expr: r.block()})
	case cfaUndefined:
		in.set(r.uleb(), rule{kind: ruleUndefined})
	case cfaSameValue:
		in.set(r.uleb(), rule{kind: ruleSame})
	case cfaRestoreExtended:
		in.restore(r.uleb())
	case cfaGNUArgsSize:
		r.uleb()
	default:
		return false
	}
	return true
}

func (in *interpreter) defineCFA(op uint8, r *reader) bool {
	st := &in.st
	if op == cfaDefCFAExpression {
		st.cfaExpr = r.block()
		return st.cfaExpr != nil
	}
	st.cfaExpr = nil
	if op == cfaDefCFA || op == cfaDefCFASF || op == cfaDefCFARegister {
		reg := r.uleb()
		if reg >= numRegs {
			return false
		}
		st.cfaReg = uint8(reg)
	}
	switch op {
	case cfaDefCFA, cfaDefCFAOffset:
		st.cfaOff = int64(r.uleb())
	case cfaDefCFASF, cfaDefCFAOffsetSF:
		st.cfaOff = r.sleb() * in.f.cie.dataAlign
	}
	return true
}
