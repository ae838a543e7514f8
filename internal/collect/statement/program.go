package statement

import (
	"github.com/cilium/ebpf/asm"

	"whyhot/internal/collect/bpf"
	"whyhot/internal/collect/ebpf/known"
	"whyhot/internal/profile/sqlshape"
)

// What an event has before its text.
const (
	offTime   = 0
	offThread = 8  // process << 32 | thread
	offHandle = 16 // 0 for none
	offSteps  = 24 // of the statement that the thread was at before
	offProbe  = 32
	offRuns   = 36 // 1: an execution begins; apart: one ends that the thread is not at
	offWork   = 40 // the statement's counters: see workSize
	headSize  = offWork + workSize

	textSize = sqlshape.MaxText
	nameSize = 32 // bytes of a handle's name that are told apart
)

const apart = 2

// Of SQLite's counters of a prepared statement, which are uint32: those of
// SQLITE_STMTSTATUS_FULLSCAN_STEP, _SORT, _AUTOINDEX and _VM_STEP, 1 to 4.
const (
	firstWork = 4 // bytes before the first of them
	lastWork  = 16
	workSize  = 16
)

// state is what a thread is at, of a system with steps; of one whose statements nest, the
// address of the text of the one that a client sent.
const (
	offStatement = 0
	offCount     = 8
	offPrepared  = 16
	stateSize    = 24
)

// Places in the stack of the program, below its frame pointer.
const (
	atKey     = -known.Space - 8
	atPair    = atKey - 16 // process, handle
	atState   = atPair - stateSize
	atName    = atState - nameSize
	atPointer = atName - 8
	atOne     = atPointer - 8
)

const (
	noWakeup   = 1 // BPF_RB_NO_WAKEUP: whoever reads comes by itself
	multiplier = 0x1E3779B97F4A7C15
	half       = 32
)

// target is what one program is for.
type target struct {
	function

	probe    int32 // its number
	stateful bool
	nested   bool  // see System.nested
	offset   int32 // of the text, for steps and nests
	counters int32 // of a statement, 0 where that is not known
}

// descriptors are those of the maps.
type descriptors struct{ hits, scratch, ring, states, running, known int }

// program tells of a call. R6 is the context, later the state of the thread, or 0 where a
// statement ends that ran; R7 the event, R8 the handle, later the text; R9 process << 32 |
// thread.
func program(t target, m descriptors) asm.Instructions {
	var c bpf.Code
	load := func(to asm.Register, n int) {
		offset, _ := bpf.Argument(n)
		c.Do(asm.LoadMem(to, asm.R6, offset, asm.DWord))
	}

	c.Do(asm.Mov.Reg(asm.R6, asm.R1), bpf.Number(atKey, t.probe))
	c.Lookup(m.hits, atKey, "end")
	c.Add(asm.R0, 0, 1)
	c.Do(asm.FnGetCurrentPidTgid.Call(), asm.Mov.Reg(asm.R9, asm.R0))
	if m.known >= 0 {
		c.Do(known.Only(m.known, asm.R9, "end")...)
	}
	c.Do(bpf.Number(atKey, 0))
	c.Lookup(m.scratch, atKey, "end")
	c.Do(asm.Mov.Reg(asm.R7, asm.R0), asm.FnKtimeGetNs.Call(), asm.StoreMem(asm.R7, offTime, asm.R0, asm.DWord),
		asm.StoreMem(asm.R7, offThread, asm.R9, asm.DWord), asm.Mov.Imm(asm.R1, 0),
		asm.StoreMem(asm.R7, offHandle, asm.R1, asm.DWord), asm.StoreMem(asm.R7, offSteps, asm.R1, asm.DWord),
		asm.StoreMem(asm.R7, offWork, asm.R1, asm.DWord), asm.StoreMem(asm.R7, offWork+8, asm.R1, asm.DWord))
	work := func() { // of the statement in R8
		if t.counters > 0 {
			c.Do(asm.Mov.Reg(asm.R1, asm.R7), asm.Add.Imm(asm.R1, offWork), asm.Mov.Imm(asm.R2, workSize),
				asm.Mov.Reg(asm.R3, asm.R8), asm.Add.Imm(asm.R3, t.counters+firstWork), asm.FnProbeReadUser.Call())
		}
	}
	runs := int32(0)
	if t.runs {
		runs = 1
	}
	c.Do(asm.Mov.Imm(asm.R1, t.probe), asm.StoreMem(asm.R7, offProbe, asm.R1, asm.Word), asm.Mov.Imm(asm.R1, runs), asm.StoreMem(asm.R7, offRuns, asm.R1, asm.Word))
	if t.handle > 0 {
		load(asm.R8, t.handle)
		if t.name > 0 {
			for at := int16(0); at < nameSize; at += 8 {
				c.Do(bpf.Number(atName+at, 0))
			}
			load(asm.R3, t.name)
			c.Place(asm.R1, atName)
			c.Do(asm.Mov.Imm(asm.R2, nameSize), asm.FnProbeReadUserStr.Call(), asm.LoadImm(asm.R2, multiplier, asm.DWord))
			for at := int16(0); at < nameSize; at += 8 {
				c.Do(asm.LoadMem(asm.R1, asm.RFP, atName+at, asm.DWord), asm.Xor.Reg(asm.R8, asm.R1), asm.Mul.Reg(asm.R8, asm.R2))
			}
		}
		c.Do(asm.StoreMem(asm.R7, offHandle, asm.R8, asm.DWord))
	}
	if t.stateful || t.nested {
		// The key of the thread, and that of the statement in its process.
		c.Do(bpf.Number(atKey, 0), asm.StoreMem(asm.RFP, atKey, asm.R9, asm.Word), asm.Mov.Reg(asm.R1, asm.R9), asm.RSh.Imm(asm.R1, half),
			asm.StoreMem(asm.RFP, atPair, asm.R1, asm.DWord))
		if t.handle > 0 {
			c.Do(asm.StoreMem(asm.RFP, atPair+8, asm.R8, asm.DWord))
		}
	}
	switch {
	case t.role == nests:
		c.Do(bpf.Number(atPointer, 0), bpf.Number(atOne, 1))
		c.Place(asm.R1, atPointer)
		c.Do(asm.Mov.Imm(asm.R2, 8), asm.Mov.Reg(asm.R3, asm.R8), asm.Add.Imm(asm.R3, t.offset), asm.FnProbeReadUser.Call(), //nolint:mnd // a pointer
			asm.LoadMem(asm.R8, asm.RFP, atPointer, asm.DWord))
		c.Lookup(m.states, atKey, "inner")
		c.Do(asm.LoadMem(asm.R1, asm.R0, offStatement, asm.DWord), asm.JEq.Reg(asm.R1, asm.R8, "end"))
		c.Named("inner", func() { c.Update(m.running, atPair, atOne) })
	case t.role == leaves:
		c.Delete(m.running, atPair)
		c.Do(asm.JNE.Imm(asm.R0, 0, "end"))
	case t.role == steps:
		for at := int16(0); at < stateSize; at += 8 {
			c.Do(bpf.Number(atState+at, 0))
		}
		c.Lookup(m.states, atKey, "first")
		c.Do(asm.Ja.Label("known"))
		c.Named("first", func() { c.Update(m.states, atKey, atState) })
		c.Lookup(m.states, atKey, "end")
		c.Do(asm.Mov.Reg(asm.R6, asm.R0).WithSymbol("known"),
			asm.LoadMem(asm.R1, asm.R6, offStatement, asm.DWord), asm.JNE.Reg(asm.R1, asm.R8, "begins"),
			asm.LoadMem(asm.R1, asm.R6, offPrepared, asm.DWord), asm.JNE.Imm(asm.R1, 0, "begins"))
		if t.counters > 0 {
			// SQLite frees the statements that it runs for itself without a call that is seen, and
			// the next one may have the same place: it has done nothing yet.
			c.Do(bpf.Number(atPointer, 0))
			c.Place(asm.R1, atPointer)
			c.Do(asm.Mov.Imm(asm.R2, 4), asm.Mov.Reg(asm.R3, asm.R8), asm.Add.Imm(asm.R3, t.counters+lastWork), asm.FnProbeReadUser.Call(), //nolint:mnd // a uint32
				asm.LoadMem(asm.R1, asm.RFP, atPointer, asm.DWord), asm.JNE.Imm(asm.R1, 0, "same"),
				asm.Mov.Imm(asm.R1, 1), asm.StoreMem(asm.R6, offPrepared, asm.R1, asm.DWord), asm.Ja.Label("begins"))
		}
		c.Do(asm.LoadMem(asm.R1, asm.R6, offCount, asm.DWord).WithSymbol("same"), asm.Add.Imm(asm.R1, 1), asm.StoreMem(asm.R6, offCount, asm.R1, asm.DWord), asm.Ja.Label("end"),
			asm.LoadMem(asm.R1, asm.R6, offCount, asm.DWord).WithSymbol("begins"), asm.StoreMem(asm.R7, offSteps, asm.R1, asm.DWord),
			asm.LoadMem(asm.R1, asm.R6, offPrepared, asm.DWord), asm.StoreMem(asm.R7, offRuns, asm.R1, asm.Word),
			asm.Mov.Imm(asm.R1, 0), asm.StoreMem(asm.R6, offPrepared, asm.R1, asm.DWord),
			asm.Mov.Imm(asm.R1, 1), asm.StoreMem(asm.R6, offCount, asm.R1, asm.DWord), asm.StoreMem(asm.R6, offStatement, asm.R8, asm.DWord))
		work()
		// A statement that was stepped and not reset goes on.
		c.Find(m.running, atPair)
		c.Do(asm.JNE.Imm(asm.R0, 0, "text"), asm.Mov.Imm(asm.R1, 1), asm.StoreMem(asm.R7, offRuns, asm.R1, asm.Word), bpf.Number(atOne, 1))
		c.Update(m.running, atPair, atOne)
		c.Do(bpf.Number(atPointer, 0).WithSymbol("text"))
		c.Place(asm.R1, atPointer)
		c.Do(asm.Mov.Imm(asm.R2, 8), asm.Mov.Reg(asm.R3, asm.R8), asm.Add.Imm(asm.R3, t.offset), asm.FnProbeReadUser.Call(), //nolint:mnd // a pointer
			asm.LoadMem(asm.R8, asm.RFP, atPointer, asm.DWord))
	case t.role == ends:
		c.Delete(m.running, atPair)
		c.Do(asm.Mov.Reg(asm.R6, asm.R0))
		c.Lookup(m.states, atKey, "end")
		c.Do(asm.LoadMem(asm.R1, asm.R0, offStatement, asm.DWord), asm.JEq.Reg(asm.R1, asm.R8, "current"))
		if t.counters == 0 {
			c.Do(asm.Ja.Label("end"))
		} else {
			c.Do(asm.JNE.Imm(asm.R6, 0, "end"), // it did not run: drivers reset statements twice
				asm.Mov.Imm(asm.R1, apart), asm.StoreMem(asm.R7, offRuns, asm.R1, asm.Word), asm.Ja.Label("counters"))
		}
		c.Do(asm.LoadMem(asm.R1, asm.R0, offCount, asm.DWord).WithSymbol("current"), asm.StoreMem(asm.R7, offSteps, asm.R1, asm.DWord),
			asm.Mov.Imm(asm.R1, 0), asm.StoreMem(asm.R0, offCount, asm.R1, asm.DWord), asm.StoreMem(asm.R0, offStatement, asm.R1, asm.DWord),
			asm.Mov.Imm(asm.R1, 0).WithSymbol("counters"))
		work()
	case t.stateful:
		c.Do(bpf.Number(atState+offStatement, 0), bpf.Number(atState+offCount, 0), bpf.Number(atState+offPrepared, 1))
		c.Lookup(m.states, atKey, "none")
		c.Do(asm.LoadMem(asm.R1, asm.R0, offCount, asm.DWord), asm.StoreMem(asm.R7, offSteps, asm.R1, asm.DWord))
		c.Named("none", func() { c.Update(m.states, atKey, atState) })
	}
	if t.text > 0 {
		load(asm.R8, t.text)
	}
	if t.nested && (t.role == begins || t.role == tells) {
		// The first text after the server tells of a client's request is the client's. Another one
		// is that of a cursor within it, of which its execution tells.
		c.Do(bpf.Number(atState+offStatement, 0), bpf.Number(atState+offCount, 0), bpf.Number(atState+offPrepared, 0))
		if t.role == begins {
			c.Lookup(m.states, atKey, "outer")
			c.Do(asm.LoadMem(asm.R1, asm.R0, offStatement, asm.DWord), asm.JEq.Imm(asm.R1, 0, "outer"), asm.JNE.Reg(asm.R1, asm.R8, "end"))
			c.Do(asm.StoreMem(asm.RFP, atState+offStatement, asm.R8, asm.DWord).WithSymbol("outer"))
		}
		c.Update(m.states, atKey, atState)
	}
	c.Do(asm.Mov.Imm(asm.R0, 0))
	if t.text > 0 || t.role == steps || t.role == nests {
		c.Do(asm.JEq.Imm(asm.R8, 0, "tell"), asm.Mov.Imm(asm.R2, textSize))
		if t.length > 0 {
			load(asm.R1, t.length)
			c.Do(asm.LSh.Imm(asm.R1, half), asm.RSh.Imm(asm.R1, half), asm.JGT.Imm(asm.R1, textSize-2, "whole"), asm.Mov.Reg(asm.R2, asm.R1), asm.Add.Imm(asm.R2, 1))
		}
		c.Do(asm.Mov.Reg(asm.R1, asm.R7).WithSymbol("whole"), asm.Add.Imm(asm.R1, headSize), asm.Mov.Reg(asm.R3, asm.R8), asm.FnProbeReadUserStr.Call(),
			asm.JSLT.Imm(asm.R0, 0, "unread"), asm.JSGT.Imm(asm.R0, textSize, "unread"), asm.Ja.Label("tell"),
			asm.Mov.Imm(asm.R0, 0).WithSymbol("unread"))
	}
	c.Do(asm.Mov.Reg(asm.R3, asm.R0).WithSymbol("tell"), asm.Add.Imm(asm.R3, headSize), asm.LoadMapPtr(asm.R1, m.ring), asm.Mov.Reg(asm.R2, asm.R7),
		asm.Mov.Imm(asm.R4, noWakeup), asm.FnRingbufOutput.Call(),
		asm.JEq.Imm(asm.R0, 0, "end"), bpf.Number(atKey, lostSlot))
	c.Lookup(m.hits, atKey, "end")
	c.Add(asm.R0, 0, 1)
	c.End("end")
	return asm.Instructions(c)
}
