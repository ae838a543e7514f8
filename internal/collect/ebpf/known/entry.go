package known

import (
	"fmt"

	"github.com/cilium/ebpf"
	"github.com/cilium/ebpf/asm"

	"whyhot/internal/collect/bpf"
)

// Entry is a program to run at each sample, before the profiler's.
type Entry struct {
	// Program is what the clocks are to call.
	Program *ebpf.Program
	next    *ebpf.Map
}

// Before loads a program that makes the process of a sample known, which is the profiler's
// pid_page_to_mapping_info, and goes on with the profiler's own program for samples, next. The
// profiler then lists the process, as it does where a known one runs code that it does not know
// yet. It takes one of the kernel's 33 tail calls, of which the profiler uses 30.
func Before(next *ebpf.Program, known *ebpf.Map) (*Entry, error) {
	if next == nil || next.Type() != ebpf.PerfEvent || !hasForm(known) {
		return nil, errForm
	}
	e := &Entry{}
	var err error
	if e.next, err = ebpf.NewMap(&ebpf.MapSpec{
		Name: "whyhot_next", Type: ebpf.ProgramArray, KeySize: 4, ValueSize: 4, MaxEntries: 1,
		Contents: []ebpf.MapKV{{Key: uint32(0), Value: next}},
	}); err != nil {
		return nil, fmt.Errorf("sampling new processes: %w", err)
	}
	if e.Program, err = ebpf.NewProgram(&ebpf.ProgramSpec{
		Name: "whyhot_entry", Type: ebpf.PerfEvent, License: "Apache-2.0", Instructions: entryProgram(known.FD(), e.next.FD()),
	}); err != nil {
		e.Close()
		return nil, fmt.Errorf("sampling new processes: %w", err)
	}
	return e, nil
}

// Close ends it: from here on there are no samples.
func (e *Entry) Close() {
	if e == nil {
		return
	}
	if e.Program != nil {
		_ = e.Program.Close() // nothing is kept in it
	}
	_ = e.next.Close()
}

// entryProgram is, for each sample:
//
//	if the process is not that of idle processors, and not known: make it known, without mappings
//	next()
func entryProgram(known, next int) asm.Instructions {
	const context, pid = asm.R6, asm.R7
	code := bpf.Code{
		asm.Mov.Reg(context, asm.R1),
		asm.FnGetCurrentPidTgid.Call(),
		asm.Mov.Reg(pid, asm.R0),
		asm.RSh.Imm(pid, 32),
		asm.JEq.Imm(pid, 0, "next"),
	}
	code.Do(wholeProcess()...)
	code.Do(keyOf(pid)...)
	code.Find(known, key)
	code.Do(
		asm.JNE.Imm(asm.R0, 0, "next"),
		asm.Mov.Imm(asm.R1, 0),
	)
	for offset := int16(0); offset < int16(valueSize); offset += 8 {
		code.Do(asm.StoreMem(asm.RFP, value+offset, asm.R1, asm.DWord))
	}
	code.Update(known, key, value)
	code.Do(
		asm.Mov.Reg(asm.R1, context).WithSymbol("next"),
		asm.LoadMapPtr(asm.R2, next),
		asm.Mov.Imm(asm.R3, 0),
		asm.FnTailCall.Call(),
		asm.Mov.Imm(asm.R0, 0),
		asm.Return(),
	)
	return asm.Instructions(code)
}
