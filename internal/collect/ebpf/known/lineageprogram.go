package known

import (
	"github.com/cilium/ebpf/asm"

	"whyhot/internal/collect/bpf"
)

// Places in the program's stack, from its end, below those of key and value.
const (
	childAt  = value - 4
	parentAt = value - 8
	tokenAt  = value - 16
)

// A token says when a process was last listed for the profiler, in nanoseconds since boot;
// its low bits are of a limit.
const (
	tokenBits = 6
	// Never are low bits with which a process is not listed for as long as anybody records:
	// a pause of 0.1 s << 15 before the next time, and the one that may come sooner is used up.
	Never = 1<<5 | 15
)

// cloneThread is set where a thread of the same process is made (clone(2)).
const cloneThread = 0x10000

// lineageProgram is, for each new process:
//
//	if the parent is known: make the child known in the same way, parents[child] = parent
//	else: forget parents[child], which is of an earlier process with that number,
//	      reported[child] = now | never
//
// A process is made before it runs, so none of its samples can come before this.
func lineageProgram(f fields, known, reported, parents int) asm.Instructions {
	const child, parent = asm.R7, asm.R8
	var code bpf.Code
	code.Do(
		asm.LoadMem(asm.R2, asm.R1, f.flags, asm.DWord),
		asm.And.Imm(asm.R2, cloneThread),
		asm.JNE.Imm(asm.R2, 0, "end"),
		asm.LoadMem(child, asm.R1, f.pid, asm.Word),
		asm.StoreMem(asm.RFP, childAt, child, asm.Word),
		asm.FnGetCurrentPidTgid.Call(),
		asm.Mov.Reg(parent, asm.R0),
		asm.RSh.Imm(parent, 32),
		asm.StoreMem(asm.RFP, parentAt, parent, asm.Word),
	)
	code.Do(wholeProcess()...)
	code.Do(keyOf(parent)...)
	code.Find(known, key)
	code.Do(
		asm.JEq.Imm(asm.R0, 0, "foreign"),
	)
	for offset := int16(0); offset < int16(valueSize); offset += 8 {
		code.Do(
			asm.LoadMem(asm.R1, asm.R0, offset, asm.DWord),
			asm.StoreMem(asm.RFP, value+offset, asm.R1, asm.DWord),
		)
	}
	code.Do(keyOf(child)...)
	code.Update(known, key, value)
	code.Update(parents, childAt, parentAt)
	code.Do(asm.Ja.Label("end"))
	code.Named("foreign", func() { code.Delete(parents, childAt) })
	code.Do(
		asm.FnKtimeGetNs.Call(),
		asm.RSh.Imm(asm.R0, tokenBits),
		asm.LSh.Imm(asm.R0, tokenBits),
		asm.Or.Imm(asm.R0, Never),
		asm.StoreMem(asm.RFP, tokenAt, asm.R0, asm.DWord),
	)
	code.Update(reported, childAt, tokenAt)
	code.End("end")
	return asm.Instructions(code)
}
