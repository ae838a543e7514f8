package ebpf

import (
	"github.com/cilium/ebpf/asm"

	"whyhot/internal/collect/bpf"
	"whyhot/internal/collect/ebpf/known"
)

// Of the tracepoint sched_switch: the state of the thread that gives up its processor, and the
// thread that is given it (events/sched/sched_switch/format; the same since Linux 2.6.31). A
// thread that waits is TASK_INTERRUPTIBLE or TASK_UNINTERRUPTIBLE; the bits are the same in all
// versions.
const (
	stateOffset = 32
	nextOffset  = 56
	waiting     = 3
)

// What the kernel says of a wait that has ended.
const (
	endThread = 0
	endFrom   = 8
	endFor    = 16
	endSize   = 24
)

// What both sides know of which waits are looked at, by its place in the table.
const (
	chanceShare  = iota // of 2^32
	chanceLooked        // how many waits were looked at
	chanceSure          // how many of them since they were rare
	chanceRare          // for how many nanoseconds a thread has begun no wait whose next one is rare
	chances
)

// sure marks the begin of a wait that is rare: the last bit of its time.
const sure = 1

// Places in the stacks of both programs.
const (
	atTask = -known.Space - 8
	atKey  = atTask - 8
	atSpan = atKey - 8
	atEnd  = atSpan - endSize
)

// switchProgram is, at each switch:
//
//	if the next thread has waited: tell for how long
//	if the thread that runs begins to wait, is recorded, and has begun no other wait for a while or
//	chance says so: note the time
func switchProgram(processes int, o *offCPU) asm.Instructions {
	const context, began, task, now = asm.R6, asm.R7, asm.R9, asm.R8
	since, last, chance := o.since.FD(), o.last.FD(), o.chance.FD()
	var c bpf.Code
	c.Do(asm.Mov.Reg(context, asm.R1))
	c.Store(atKey, 0)
	c.Do(asm.LoadMem(asm.R1, context, nextOffset, asm.Word), asm.StoreMem(asm.RFP, atKey, asm.R1, asm.Word), asm.StoreMem(asm.RFP, atEnd+endThread, asm.R1, asm.DWord))
	c.Lookup(since, atKey, "begins")
	c.Do(asm.LoadMem(began, asm.R0, 0, asm.DWord), asm.StoreMem(asm.RFP, atEnd+endFrom, began, asm.DWord),
		asm.FnKtimeGetNs.Call(), asm.Sub.Reg(asm.R0, began), asm.StoreMem(asm.RFP, atEnd+endFor, asm.R0, asm.DWord))
	c.Delete(since, atKey)
	c.Do(asm.LoadMapPtr(asm.R1, o.ends.FD()))
	c.Place(asm.R2, atEnd)
	c.Do(asm.Mov.Imm(asm.R3, endSize), asm.Mov.Imm(asm.R4, 0), asm.FnRingbufOutput.Call())

	c.Do(asm.LoadMem(asm.R1, context, stateOffset, asm.DWord).WithSymbol("begins"), asm.And.Imm(asm.R1, waiting), asm.JEq.Imm(asm.R1, 0, "end"),
		asm.FnGetCurrentPidTgid.Call(), asm.Mov.Reg(task, asm.R0))
	c.Do(known.Only(processes, task, "end")...)
	c.Store(atKey, 0)
	c.Do(asm.StoreMem(asm.RFP, atKey, task, asm.Word), asm.FnKtimeGetNs.Call(), asm.Mov.Reg(now, asm.R0), asm.StoreMem(asm.RFP, atSpan, now, asm.DWord))
	c.Lookup(last, atKey, "first")
	const before = asm.R7
	c.Do(asm.LoadMem(before, asm.R0, 0, asm.DWord), asm.StoreMem(asm.R0, 0, now, asm.DWord), asm.Sub.Reg(now, before))
	c.Store(atKey, chanceRare)
	c.Lookup(chance, atKey, "end")
	c.Do(asm.LoadMem(asm.R1, asm.R0, 0, asm.DWord), asm.JGT.Reg(now, asm.R1, "rare"))
	c.Store(atKey, chanceShare)
	c.Lookup(chance, atKey, "end")
	c.Do(asm.Mov.Reg(before, asm.R0), asm.FnGetPrandomU32.Call(), asm.LoadMem(asm.R1, before, 0, asm.DWord), asm.JGT.Reg(asm.R0, asm.R1, "end"),
		asm.LoadMem(asm.R1, asm.RFP, atSpan, asm.DWord), asm.And.Imm(asm.R1, ^sure), asm.StoreMem(asm.RFP, atSpan, asm.R1, asm.DWord), asm.Ja.Label("note"))

	c.Named("first", func() { c.Update(last, atKey, atSpan) })
	c.Do(asm.LoadMem(asm.R1, asm.RFP, atSpan, asm.DWord).WithSymbol("rare"), asm.Or.Imm(asm.R1, sure), asm.StoreMem(asm.RFP, atSpan, asm.R1, asm.DWord))
	c.Store(atKey, chanceSure)
	c.Lookup(chance, atKey, "end")
	c.Add(asm.R0, 0, 1)

	c.Named("note", func() { c.Store(atKey, 0) })
	c.Do(asm.StoreMem(asm.RFP, atKey, task, asm.Word))
	c.Update(since, atKey, atSpan)
	c.Store(atKey, chanceLooked)
	c.Lookup(chance, atKey, "end")
	c.Add(asm.R0, 0, 1)
	c.End("end")
	return asm.Instructions(c)
}

// waitsProgram is, where the kernel counts a switch: if the thread was noted, go on with the
// program that unwinds it.
func waitsProgram(since, next int) asm.Instructions {
	const context = asm.R6
	var c bpf.Code
	c.Do(asm.Mov.Reg(context, asm.R1), asm.FnGetCurrentPidTgid.Call())
	c.Store(atKey, 0)
	c.Do(asm.StoreMem(asm.RFP, atKey, asm.R0, asm.Word))
	c.Lookup(since, atKey, "end")
	c.Do(asm.Mov.Reg(asm.R1, context), asm.LoadMapPtr(asm.R2, next), asm.Mov.Imm(asm.R3, 0), asm.FnTailCall.Call())
	c.End("end")
	return asm.Instructions(c)
}
