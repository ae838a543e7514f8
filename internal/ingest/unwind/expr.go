package unwind

import "whyhot/internal/elfinfo/scan"

// DWARF expression operators (DW_OP_…) that frame descriptions use.
const (
	opAddr       = 0x03
	opDeref      = 0x06
	opConst1u    = 0x08
	opConst1s    = 0x09
	opConst2u    = 0x0a
	opConst2s    = 0x0b
	opConst4u    = 0x0c
	opConst4s    = 0x0d
	opConst8u    = 0x0e
	opConst8s    = 0x0f
	opConstu     = 0x10
	opConsts     = 0x11
	opDup        = 0x12
	opDrop       = 0x13
	opOver       = 0x14
	opPick       = 0x15
	opSwap       = 0x16
	opRot        = 0x17
	opAbs        = 0x19
	opAnd        = 0x1a
	opDiv        = 0x1b
	opMinus      = 0x1c
	opMod        = 0x1d
	opMul        = 0x1e
	opNeg        = 0x1f
	opNot        = 0x20
	opOr         = 0x21
	opPlus       = 0x22
	opPlusUconst = 0x23
	opShl        = 0x24
	opShr        = 0x25
	opShra       = 0x26
	opXor        = 0x27
	opBra        = 0x28
	opEq         = 0x29
	opGe         = 0x2a
	opGt         = 0x2b
	opLe         = 0x2c
	opLt         = 0x2d
	opNe         = 0x2e
	opSkip       = 0x2f
	opLit0       = 0x30
	opLit31      = 0x4f
	opBreg0      = 0x70
	opBreg31     = 0x8f
	opBregx      = 0x92
	opDerefSize  = 0x94
	opNop        = 0x96
)

const (
	maxExprSteps = 1000 // expressions can jump backwards
	maxExprStack = 64
)

// evaluation is one run of an expression over the registers of a frame.
type evaluation struct {
	r     scan.Cursor
	w     *walk
	stack []uint64
	bad   bool
}

// eval gives the value of an expression; initial, when there is one, is on its
// stack at the start.
func (w *walk) eval(expr []byte, initial ...uint64) (uint64, bool) {
	e := evaluation{r: scan.Cursor{Data: expr}, w: w, stack: append(make([]uint64, 0, 8), initial...)}
	for steps := 0; e.r.Left(); steps++ {
		if steps == maxExprSteps || len(e.stack) > maxExprStack {
			return 0, false
		}
		e.step(e.r.U8())
		if e.bad || e.r.Bad {
			return 0, false
		}
	}
	v := e.pop()
	return v, !e.bad && !e.r.Bad
}

func (e *evaluation) push(v uint64) { e.stack = append(e.stack, v) }

func (e *evaluation) pop() uint64 { return e.take(0) }

// take removes the value that is n below the top.
func (e *evaluation) take(n int) uint64 {
	i := len(e.stack) - 1 - n
	if i < 0 {
		e.bad = true
		return 0
	}
	v := e.stack[i]
	e.stack = append(e.stack[:i], e.stack[i+1:]...)
	return v
}

// pick copies the value that is n below the top.
func (e *evaluation) pick(n int) {
	i := len(e.stack) - 1 - n
	if i < 0 {
		e.bad = true
		return
	}
	e.push(e.stack[i])
}

func (e *evaluation) register(n uint64, off int64) {
	if n >= numRegs || e.w.valid>>n&1 == 0 {
		e.bad = true
		return
	}
	e.push(e.w.regs[n] + uint64(off))
}

func (e *evaluation) step(op uint8) {
	r := &e.r
	switch {
	case op >= opLit0 && op <= opLit31:
		e.push(uint64(op - opLit0))
	case op >= opBreg0 && op <= opBreg31:
		e.register(uint64(op-opBreg0), r.SLEB())
	case op >= opAddr && op <= opConsts && op != opDeref:
		e.push(constant(op, r))
	case op >= opDup && op <= opRot:
		e.shuffle(op)
	case op == opBregx:
		n := r.ULEB()
		e.register(n, r.SLEB())
	case op == opDeref:
		e.deref(8)
	case op == opDerefSize:
		e.deref(r.U8())
	case op == opBra || op == opSkip:
		d := int(int16(r.U16()))
		if op == opSkip || e.pop() != 0 {
			if r.Pos += d; r.Pos < 0 || r.Pos > len(r.Data) {
				r.Fail()
			}
		}
	case op == opAbs || op == opNeg || op == opNot || op == opPlusUconst:
		e.unary(op)
	case op == opNop:
	default:
		b := e.pop()
		a := e.pop()
		v, ok := binaryOp(op, a, b)
		e.bad = e.bad || !ok
		e.push(v)
	}
}

func constant(op uint8, r *scan.Cursor) uint64 {
	switch op {
	case opConst1u:
		return uint64(r.U8())
	case opConst1s:
		return uint64(int64(int8(r.U8())))
	case opConst2u:
		return uint64(r.U16())
	case opConst2s:
		return uint64(int64(int16(r.U16())))
	case opConst4u:
		return uint64(r.U32())
	case opConst4s:
		return uint64(int64(int32(r.U32())))
	case opConstu:
		return r.ULEB()
	case opConsts:
		return uint64(r.SLEB())
	case opAddr, opConst8u, opConst8s:
		return r.U64()
	}
	r.Fail()
	return 0
}

func (e *evaluation) shuffle(op uint8) {
	switch op {
	case opDup:
		e.pick(0)
	case opDrop:
		e.pop()
	case opOver:
		e.pick(1)
	case opPick:
		e.pick(int(e.r.U8()))
	case opSwap:
		e.push(e.take(1))
	case opRot: // the top goes below the two that were under it
		top, second, third := e.pop(), e.pop(), e.pop()
		e.stack = append(e.stack, top, third, second)
	default:
		e.bad = true
	}
}

func (e *evaluation) deref(size uint8) {
	v, ok := e.w.mem(e.pop())
	if !ok {
		e.bad = true
	}
	if size == 0 || size > 8 {
		e.bad = true
		return
	}
	if size < 8 {
		v &= 1<<(8*size) - 1
	}
	e.push(v)
}

func (e *evaluation) unary(op uint8) {
	v := e.pop()
	switch op {
	case opAbs:
		if int64(v) < 0 {
			v = -v
		}
	case opNeg:
		v = -v
	case opNot:
		v = ^v
	case opPlusUconst:
		v += e.r.ULEB()
	}
	e.push(v)
}

func binaryOp(op uint8, a, b uint64) (uint64, bool) {
	truth := func(t bool) (uint64, bool) {
		if t {
			return 1, true
		}
		return 0, true
	}
	switch op {
	case opAnd:
		return a & b, true
	case opDiv:
		if b == 0 {
			return 0, false
		}
		return uint64(int64(a) / int64(b)), true
	case opMinus:
		return a - b, true
	case opMod:
		if b == 0 {
			return 0, false
		}
		return a % b, true
	case opMul:
		return a * b, true
	case opOr:
		return a | b, true
	case opPlus:
		return a + b, true
	case opShl:
		return a << min(b, 64), true
	case opShr:
		return a >> min(b, 64), true
	case opShra:
		return uint64(int64(a) >> min(b, 64)), true
	case opXor:
		return a ^ b, true
	case opEq:
		return truth(a == b)
	case opNe:
		return truth(a != b)
	case opGe:
		return truth(int64(a) >= int64(b))
	case opGt:
		return truth(int64(a) > int64(b))
	case opLe:
		return truth(int64(a) <= int64(b))
	case opLt:
		return truth(int64(a) < int64(b))
	}
	return 0, false
}
