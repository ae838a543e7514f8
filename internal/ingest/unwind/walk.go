package unwind

import (
	"encoding/binary"

	"whyhot/internal/elfinfo/cfi"
)

// DWARF register numbers of x86-64 that have a meaning here. The return
// address has a column of its own.
const (
	regRBP  = 6
	regRSP  = 7
	regRA   = 16
	numRegs = cfi.Columns
)

// Registers are the user registers of one sample, indexed by DWARF number; RIP
// is number 16. Valid has a bit for each that was recorded.
type Registers struct {
	Value [numRegs]uint64
	Valid uint32
}

// RIP and RSP index Registers.Value.
const (
	RIP = regRA
	RSP = regRSP
)

// Input is one recorded stack.
type Input struct {
	Regs Registers
	// Stack is the memory from the stack pointer up.
	Stack []byte
	// Find says which module a run-time address lies in and at which file
	// offset; nil when there is none that is known.
	Find func(addr uint64) (m *Module, off uint64)
	// Max is the greatest number of frames to return.
	Max int
}

// End says why a walk ended.
type End uint8

// The ends of a walk.
const (
	EndComplete End = iota // at the outermost frame
	EndStack               // the recorded memory ended: there are more frames
	EndMax                 // Max was reached
	EndLost                // no frame description and no frame pointer that holds
)

// Walker walks stacks one at a time. It remembers frame layouts, so one walker
// should serve many stacks.
type Walker struct {
	cache []cached
	w     walk
}

type cached struct {
	m   *Module
	off uint64
	row *cfi.Row
}

const cacheBits = 15

// NewWalker returns a walker.
func NewWalker() *Walker { return &Walker{cache: make([]cached, 1<<cacheBits)} }

func (wk *Walker) row(m *Module, off uint64) *cfi.Row {
	c := &wk.cache[off*0x9e3779b97f4a7c15>>(64-cacheBits)]
	if c.m != m || c.off != off {
		*c = cached{m, off, m.row(off)}
	}
	return c.row
}

// walk is the state of one frame.
type walk struct {
	regs  [numRegs]uint64
	valid uint32
	sp    uint64 // address of stack[0]
	stack []byte
	over  bool // memory behind the end of the stack was asked for
}

// mem reads a word of the recorded stack.
func (w *walk) mem(addr uint64) (uint64, bool) {
	off := addr - w.sp
	if addr < w.sp {
		return 0, false
	}
	if n := uint64(len(w.stack)); off >= n || n-off < 8 {
		w.over = true
		return 0, false
	}
	return binary.LittleEndian.Uint64(w.stack[off:]), true
}

// Walk appends the instruction addresses of a stack to ips, leaf first. Those
// of callers are one less than the return address, so that they lie inside the
// call; where a signal came in between they are exact.
func (wk *Walker) Walk(in *Input, ips []uint64) ([]uint64, End) {
	w := &wk.w
	*w = walk{regs: in.Regs.Value, valid: in.Regs.Valid, sp: in.Regs.Value[RSP], stack: in.Stack}
	if w.valid>>RIP&1 == 0 {
		return ips, EndLost
	}
	exact := true // the address is that of an instruction, not behind a call
	for range in.Max {
		w.over = false
		ip := w.regs[RIP]
		if ip == 0 {
			return ips, EndComplete
		}
		pc := ip
		if !exact {
			pc--
		}
		m, off := in.Find(pc)
		var r *cfi.Row
		if m != nil {
			r = wk.row(m, off)
		}
		if r != nil && r.Signal {
			// A handler "returns" to the first instruction of the trampoline.
			pc = ip
		}
		ips = append(ips, pc)
		var end End
		var ok bool
		if r != nil {
			end, ok = w.step(r)
			exact = r.Signal
		} else {
			end, ok = w.stepFramePointer()
			exact = false
		}
		if !ok {
			if w.over {
				end = EndStack
			}
			return ips, end
		}
	}
	return ips, EndMax
}

// step goes to the caller by a frame layout.
func (w *walk) step(r *cfi.Row) (End, bool) {
	cfa, ok := w.cfa(r)
	if !ok {
		return EndLost, false
	}
	if r.Rule(regRA).Kind == cfi.Lost {
		return EndComplete, false
	}
	// A call moves the stack pointer; a layout that does not follow it back
	// would walk in a circle.
	if cfa <= w.regs[regRSP] && !r.Signal {
		return EndLost, false
	}
	next := w.regs
	valid := w.valid
	for i := range r.Rules {
		rl := &r.Rules[i]
		v, ok := w.apply(rl, cfa)
		if ok {
			next[rl.Register] = v
			valid |= 1 << rl.Register
			continue
		}
		if rl.Register == regRA {
			return EndLost, false
		}
		valid &^= 1 << rl.Register
	}
	// The frame that a signal makes has a rule for the stack pointer.
	if r.Rule(regRSP).Kind == cfi.Same {
		next[regRSP] = cfa
		valid |= 1 << regRSP
	}
	w.regs, w.valid = next, valid
	return 0, valid>>regRA&1 == 1
}

func (w *walk) cfa(r *cfi.Row) (uint64, bool) {
	if r.CFAExpr != nil {
		return w.eval(r.CFAExpr)
	}
	return w.regs[r.CFARegister] + uint64(r.CFAOffset), w.valid>>r.CFARegister&1 == 1
}

// apply gives a register of the caller.
func (w *walk) apply(rl *cfi.Rule, cfa uint64) (uint64, bool) {
	switch rl.Kind {
	case cfi.Same:
		return w.regs[rl.Register], w.valid>>rl.Register&1 == 1
	case cfi.AtOffset:
		return w.mem(cfa + uint64(rl.Offset))
	case cfi.IsOffset:
		return cfa + uint64(rl.Offset), true
	case cfi.OfRegister:
		if rl.Offset < 0 || rl.Offset >= numRegs {
			return 0, false
		}
		return w.regs[rl.Offset], w.valid>>rl.Offset&1 == 1
	case cfi.AtValue:
		addr, ok := w.eval(rl.Expr, cfa)
		if !ok {
			return 0, false
		}
		return w.mem(addr)
	case cfi.IsValue:
		return w.eval(rl.Expr, cfa)
	case cfi.Lost:
	}
	return 0, false
}

// maxFrameSize bounds the jump from one frame pointer to the next, because any
// number may be in that register where it is not used as one.
const maxFrameSize = 1 << 16

// stepFramePointer goes to the caller by RBP, where nothing describes the code.
func (w *walk) stepFramePointer() (End, bool) {
	if w.valid>>regRBP&1 == 0 {
		return EndLost, false
	}
	bp := w.regs[regRBP]
	if bp == 0 {
		return EndComplete, false
	}
	if bp%8 != 0 || bp < w.regs[regRSP] || bp-w.regs[regRSP] > maxFrameSize {
		return EndLost, false
	}
	saved, ok := w.mem(bp)
	if !ok {
		return EndLost, false
	}
	ra, ok := w.mem(bp + 8)
	if !ok {
		return EndLost, false
	}
	if saved != 0 && saved <= bp {
		return EndLost, false
	}
	w.regs[regRBP], w.regs[regRSP], w.regs[RIP] = saved, bp+16, ra
	w.valid = 1<<regRBP | 1<<regRSP | 1<<RIP
	return 0, true
}
