package goroutine

import (
	endian "encoding/binary"

	"github.com/cilium/ebpf/asm"

	"whyhot/internal/collect/bpf"
	"whyhot/internal/collect/ebpf/known"
)

// What is noted of a goroutine that waits, by its process and descriptor.
const (
	sinceTime   = 0
	sinceStack  = 8
	sinceCaller = 16
	sinceSize   = 24
)

// What the kernel tells of a wait that has ended.
const (
	toldProcess   = 0
	toldGoroutine = 8
	toldStack     = 16
	toldCaller    = 24
	toldFrom      = 32
	toldFor       = 40
	toldSize      = 48
)

// Places in the stacks of both programs.
const (
	atKey    = -known.Space - 16
	atSince  = atKey - sinceSize
	atTold   = atSince - toldSize
	atNumber = atTold - 8
)

// userStack has bpf_get_stackid walk the stack of the program and not the kernel's.
const userStack = 1 << 8

// noWakeup leaves the reader of a ring alone, who looks by himself.
const noWakeup = 1

// descriptors are those of the maps; processes is below 0 where all are recorded.
type descriptors struct{ processes, since, stacks, calls, ring int }

// keyed puts the process in register 9 and a goroutine, at a place of the context in register 6, into
// the key.
func keyed(c *bpf.Code, goroutine int16) {
	const half = 32
	c.Do(asm.Mov.Reg(asm.R1, asm.R9), asm.RSh.Imm(asm.R1, half), asm.StoreMem(asm.RFP, atKey, asm.R1, asm.DWord),
		asm.LoadMem(asm.R1, asm.R6, goroutine, asm.DWord), asm.StoreMem(asm.RFP, atKey+8, asm.R1, asm.DWord))
}

// parks is, where a goroutine begins to wait:
//
//	if its process is recorded: note the time, its stack and the caller, and count it
func parks(m descriptors, g bpf.Go) asm.Instructions {
	var c bpf.Code
	c.Do(asm.Mov.Reg(asm.R6, asm.R1), asm.FnGetCurrentPidTgid.Call(), asm.Mov.Reg(asm.R9, asm.R0))
	if m.processes >= 0 {
		c.Do(known.Only(m.processes, asm.R9, "end")...)
	}
	c.Store(atNumber, 0)
	c.Lookup(m.calls, atNumber, "end")
	c.Add(asm.R0, 0, 1)
	keyed(&c, g.Goroutine)
	c.Do(asm.Mov.Reg(asm.R1, asm.R6), asm.LoadMapPtr(asm.R2, m.stacks), asm.Mov.Imm(asm.R3, userStack), asm.FnGetStackid.Call(),
		asm.JSLT.Imm(asm.R0, 0, "end"), asm.StoreMem(asm.RFP, atSince+sinceStack, asm.R0, asm.DWord))
	if g.Caller > 0 {
		c.Do(asm.LoadMem(asm.R1, asm.R6, g.Caller, asm.DWord), asm.StoreMem(asm.RFP, atSince+sinceCaller, asm.R1, asm.DWord))
	} else {
		c.Store(atSince+sinceCaller, 0)
		c.Place(asm.R1, atSince+sinceCaller)
		c.Do(asm.Mov.Imm(asm.R2, 8), asm.LoadMem(asm.R3, asm.R6, g.Stack, asm.DWord), asm.FnProbeReadUser.Call()) //nolint:mnd // an address
	}
	c.Do(asm.FnKtimeGetNs.Call(), asm.StoreMem(asm.RFP, atSince+sinceTime, asm.R0, asm.DWord))
	c.Update(m.since, atKey, atSince)
	c.End("end")
	return asm.Instructions(c)
}

// runs is, where a goroutine goes on: if it has waited, tell for how long.
func runs(m descriptors, g bpf.Go) asm.Instructions {
	var c bpf.Code
	c.Do(asm.Mov.Reg(asm.R6, asm.R1), asm.FnGetCurrentPidTgid.Call(), asm.Mov.Reg(asm.R9, asm.R0))
	keyed(&c, g.First)
	c.Lookup(m.since, atKey, "end")
	c.Do(asm.Mov.Reg(asm.R7, asm.R0))
	copied := func(to int16, from asm.Register, at int16) {
		c.Do(asm.LoadMem(asm.R1, from, at, asm.DWord), asm.StoreMem(asm.RFP, atTold+to, asm.R1, asm.DWord))
	}
	copied(toldProcess, asm.RFP, atKey)
	copied(toldGoroutine, asm.RFP, atKey+8)
	copied(toldStack, asm.R7, sinceStack)
	copied(toldCaller, asm.R7, sinceCaller)
	copied(toldFrom, asm.R7, sinceTime)
	c.Do(asm.LoadMem(asm.R8, asm.R7, sinceTime, asm.DWord), asm.FnKtimeGetNs.Call(), asm.Sub.Reg(asm.R0, asm.R8),
		asm.StoreMem(asm.RFP, atTold+toldFor, asm.R0, asm.DWord))
	c.Delete(m.since, atKey)
	c.Do(asm.LoadMapPtr(asm.R1, m.ring))
	c.Place(asm.R2, atTold)
	c.Do(asm.Mov.Imm(asm.R3, toldSize), asm.Mov.Imm(asm.R4, noWakeup), asm.FnRingbufOutput.Call())
	c.End("end")
	return asm.Instructions(c)
}

// ended is a wait that has ended.
type ended struct {
	process     uint32
	goroutine   uint64
	stack       uint32
	caller      uint64
	from        int64 // of the kernel's clock
	nanoseconds int64
}

// parse reads what the kernel wrote; ok is false for anything else.
func parse(b []byte) (e ended, ok bool) {
	if len(b) != toldSize {
		return e, false
	}
	n := endian.NativeEndian
	e = ended{
		process: uint32(n.Uint64(b[toldProcess:])), goroutine: n.Uint64(b[toldGoroutine:]), stack: uint32(n.Uint64(b[toldStack:])), //nolint:gosec // numbers of 32 bits
		caller: n.Uint64(b[toldCaller:]), from: int64(n.Uint64(b[toldFrom:])), nanoseconds: int64(n.Uint64(b[toldFor:])), //nolint:gosec // times
	}
	return e, e.nanoseconds >= 0
}
