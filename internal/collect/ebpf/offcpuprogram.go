package ebpf

import (
	"github.com/cilium/ebpf/asm"

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

// code is a program that is written.
type code asm.Instructions

func (c *code) do(more ...asm.Instruction) { *c = append(*c, more...) }

func (c *code) store(at int16, n int64) {
	c.do(asm.Instruction{OpCode: asm.StoreImmOp(asm.DWord), Dst: asm.RFP, Offset: at, Constant: n})
}

// place gives a register the address of a place in the stack.
func (c *code) place(to asm.Register, at int16) {
	c.do(asm.Mov.Reg(to, asm.RFP), asm.Add.Imm(to, int32(at)))
}

// lookup finds a key, and goes to a symbol where it is not there.
func (c *code) lookup(in int, key int16, otherwise string) {
	c.do(asm.LoadMapPtr(asm.R1, in))
	c.place(asm.R2, key)
	c.do(asm.FnMapLookupElem.Call(), asm.JEq.Imm(asm.R0, 0, otherwise))
}

// switchProgram is, at each switch:
//
//	if the next thread has waited: tell for how long
//	if the thread that runs begins to wait, is recorded, and chance says so: note the time
func switchProgram(processes, since, chance, ends int) asm.Instructions {
	const context, began, task = asm.R6, asm.R7, asm.R9
	var c code
	c.do(asm.Mov.Reg(context, asm.R1))
	c.store(atKey, 0)
	c.do(asm.LoadMem(asm.R1, context, nextOffset, asm.Word), asm.StoreMem(asm.RFP, atKey, asm.R1, asm.Word), asm.StoreMem(asm.RFP, atEnd+endThread, asm.R1, asm.DWord))
	c.lookup(since, atKey, "begins")
	c.do(asm.LoadMem(began, asm.R0, 0, asm.DWord), asm.StoreMem(asm.RFP, atEnd+endFrom, began, asm.DWord),
		asm.FnKtimeGetNs.Call(), asm.Sub.Reg(asm.R0, began), asm.StoreMem(asm.RFP, atEnd+endFor, asm.R0, asm.DWord),
		asm.LoadMapPtr(asm.R1, since))
	c.place(asm.R2, atKey)
	c.do(asm.FnMapDeleteElem.Call(), asm.LoadMapPtr(asm.R1, ends))
	c.place(asm.R2, atEnd)
	c.do(asm.Mov.Imm(asm.R3, endSize), asm.Mov.Imm(asm.R4, 0), asm.FnRingbufOutput.Call())

	c.do(asm.LoadMem(asm.R1, context, stateOffset, asm.DWord).WithSymbol("begins"), asm.And.Imm(asm.R1, waiting), asm.JEq.Imm(asm.R1, 0, "end"),
		asm.FnGetCurrentPidTgid.Call(), asm.Mov.Reg(task, asm.R0))
	c.do(known.Only(processes, task, "end")...)
	c.store(atKey, 0)
	c.lookup(chance, atKey, "end")
	c.do(asm.Mov.Reg(asm.R7, asm.R0), asm.FnGetPrandomU32.Call(), asm.LoadMem(asm.R1, asm.R7, 0, asm.DWord), asm.JGT.Reg(asm.R0, asm.R1, "end"),
		asm.FnKtimeGetNs.Call(), asm.StoreMem(asm.RFP, atSpan, asm.R0, asm.DWord),
		asm.StoreMem(asm.RFP, atKey, task, asm.Word), asm.LoadMapPtr(asm.R1, since))
	c.place(asm.R2, atKey)
	c.place(asm.R3, atSpan)
	c.do(asm.Mov.Imm(asm.R4, 0), asm.FnMapUpdateElem.Call())
	c.store(atKey, 1)
	c.lookup(chance, atKey, "end")
	c.do(asm.LoadMem(asm.R1, asm.R0, 0, asm.DWord), asm.Add.Imm(asm.R1, 1), asm.StoreMem(asm.R0, 0, asm.R1, asm.DWord),
		asm.Mov.Imm(asm.R0, 0).WithSymbol("end"), asm.Return())
	return asm.Instructions(c)
}

// waitsProgram is, where the kernel counts a switch: if the thread was noted, go on with the
// program that unwinds it.
func waitsProgram(since, next int) asm.Instructions {
	const context = asm.R6
	var c code
	c.do(asm.Mov.Reg(context, asm.R1), asm.FnGetCurrentPidTgid.Call())
	c.store(atKey, 0)
	c.do(asm.StoreMem(asm.RFP, atKey, asm.R0, asm.Word))
	c.lookup(since, atKey, "end")
	c.do(asm.Mov.Reg(asm.R1, context), asm.LoadMapPtr(asm.R2, next), asm.Mov.Imm(asm.R3, 0), asm.FnTailCall.Call(),
		asm.Mov.Imm(asm.R0, 0).WithSymbol("end"), asm.Return())
	return asm.Instructions(c)
}
