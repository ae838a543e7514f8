package unwind

import "encoding/binary"

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
	row *row
}

const cacheBits = 15

// NewWalker returns a walker.
func NewWalker() *Walker { return &Walker{cache: make([]cached, 1<<cacheBits)} }

func (wk *Walker) row(m *Module, off uint64) *row {
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
		var r *row
		if m != nil {
			r = wk.row(m, off)
		}
		if r != nil && r.signal {
			// A handler "returns" to the first instruction of the trampoline.
			pc = ip
		}
		ips = append(ips, pc)
		var end End
		var ok bool
		if r != nil {
			end, ok = w.step(r)
			exact = r.signal
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
func (w *walk) step(r *row) (End, bool) {
	cfa, ok := w.cfa(r)
	if !ok {
		return EndLost, false
	}
	if r.ra().kind == ruleUndefined {
		return EndComplete, false
	}
	// A call moves the stack pointer; a layout that does not follow it back
	// would walk in a circle.
	if cfa <= w.regs[regRSP] && !r.signal {
		return EndLost, false
	}
	next := w.regs
	valid := w.valid
	for i := range r.rules {
		rl := &r.rules[i]
		v, ok := w.apply(rl, cfa)
		if ok {
			next[rl.reg] = v
			valid |= 1 << rl.reg
			continue
		}
		if rl.reg == regRA {
			return EndLost, false
		}
		valid &^= 1 << rl.reg
	}
	if !r.restoresSP() {
		next[regRSP] = cfa
		valid |= 1 << regRSP
	}
	w.regs, w.valid = next, valid
	return 0, valid>>regRA&1 == 1
}

// restoresSP says that the stack pointer has a rule of its own, as in the frame
// that a signal makes.
func (r *row) restoresSP() bool {
	for i := range r.rules {
		if r.rules[i].reg == regRSP {
			return true
		}
	}
	return false
}

func (w *walk) cfa(r *row) (uint64, bool) {
	if r.cfaExpr != nil {
		return w.eval(r.cfaExpr)
	}
	return w.regs[r.cfaReg] + uint64(r.cfaOff), w.valid>>r.cfaReg&1 == 1
}

// apply gives a register of the caller.
func (w *walk) apply(rl *rule, cfa uint64) (uint64, bool) {
	switch rl.kind {
	case ruleSame:
		return w.regs[rl.reg], w.valid>>rl.reg&1 == 1
	case ruleOffset:
		return w.mem(cfa + uint64(rl.off))
	case ruleValOffset:
		return cfa + uint64(rl.off), true
	case ruleRegister:
		if rl.off < 0 || rl.off >= numRegs {
			return 0, false
		}
		return w.regs[rl.off], w.valid>>rl.off&1 == 1
	case ruleExpr:
		addr, ok := w.eval(rl.expr, cfa)
		if !ok {
			return 0, false
		}
		return w.mem(addr)
	case ruleValExpr:
		return w.eval(rl.expr, cfa)
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
