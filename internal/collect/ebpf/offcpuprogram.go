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
//	if the thread that runs begins to wait, is recorded, and chance says so: note the time
func switchProgram(processes, since, chance, ends int) asm.Instructions {
	const context, began, task = asm.R6, asm.R7, asm.R9
	var c bpf.Code
	c.Do(asm.Mov.Reg(context, asm.R1))
	c.Store(atKey, 0)
	c.Do(asm.LoadMem(asm.R1, context, nextOffset, asm.Word), asm.StoreMem(asm.RFP, atKey, asm.R1, asm.Word), asm.StoreMem(asm.RFP, atEnd+endThread, asm.R1, asm.DWord))
	c.Lookup(since, atKey, "begins")
	c.Do(asm.LoadMem(began, asm.R0, 0, asm.DWord), asm.StoreMem(asm.RFP, atEnd+endFrom, began, asm.DWord),
		asm.FnKtimeGetNs.Call(), asm.Sub.Reg(asm.R0, began), asm.StoreMem(asm.RFP, atEnd+endFor, asm.R0, asm.DWord))
	c.Delete(since, atKey)
	c.Do(asm.LoadMapPtr(asm.R1, ends))
	c.Place(asm.R2, atEnd)
	c.Do(asm.Mov.Imm(asm.R3, endSize), asm.Mov.Imm(asm.R4, 0), asm.FnRingbufOutput.Call())

	c.Do(asm.LoadMem(asm.R1, context, stateOffset, asm.DWord).WithSymbol("begins"), asm.And.Imm(asm.R1, waiting), asm.JEq.Imm(asm.R1, 0, "end"),
		asm.FnGetCurrentPidTgid.Call(), asm.Mov.Reg(task, asm.R0))
	c.Do(known.Only(processes, task, "end")...)
	c.Store(atKey, 0)
	c.Lookup(chance, atKey, "end")
	c.Do(asm.Mov.Reg(asm.R7, asm.R0), asm.FnGetPrandomU32.Call(), asm.LoadMem(asm.R1, asm.R7, 0, asm.DWord), asm.JGT.Reg(asm.R0, asm.R1, "end"),
		asm.FnKtimeGetNs.Call(), asm.StoreMem(asm.RFP, atSpan, asm.R0, asm.DWord),
		asm.StoreMem(asm.RFP, atKey, task, asm.Word))
	c.Update(since, atKey, atSpan)
	c.Store(atKey, 1)
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
