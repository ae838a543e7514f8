package count

import (
	"fmt"

	"github.com/cilium/ebpf"
	"github.com/cilium/ebpf/asm"

	"whyhot/internal/collect/bpf"
)

// What the kernel keeps.
const (
	mostProcesses = 1 << 16
	mostNumbers   = 1024    // of system calls
	mostPaths     = 1 << 16 // different ones
)

// Offsets in the registers that the kernel saves when it is entered (struct pt_regs of
// x86-64); they keep the arguments until the call has ended.
const (
	regsSecond = 104 // rsi
	regsFirst  = 112 // rdi
	regsNumber = 120 // orig_rax
)

// tally is what is kept of one number, per processor.
type tally struct{ Calls, Bytes, Failed, Named uint64 }

const (
	tallySize        = 32
	offBytes         = 8
	offFailed        = 16
	offNamed         = 24
	pathSize         = 128 // bytes of a path that are told apart
	wordSize         = 8
	multiplier       = 0x1E3779B97F4A7C15
	fold       int32 = 29
)

// The stack of the program, below its frame pointer.
const (
	atIDs    = -8  // pid and tgid in this name space
	atNumber = -16 // of the call, a key
	atChild  = -24 // a key; later the address of a path
	atOne    = -32 // a value
	atHash   = -40 // a key
	atPath   = atHash - pathSize
)

// forks are the calls that make a process.
var forks = []int32{56, 57, 58, 435} // clone, fork, vfork, clone3

// maps of a counting.
type maps struct {
	processes, tallies, paths *ebpf.Map
}

func newMaps() (m maps, err error) {
	for _, one := range []struct {
		to   **ebpf.Map
		spec ebpf.MapSpec
	}{
		{&m.processes, ebpf.MapSpec{Name: "processes", Type: ebpf.LRUHash, KeySize: 4, ValueSize: 8, MaxEntries: mostProcesses}},
		{&m.tallies, ebpf.MapSpec{Name: "tallies", Type: ebpf.PerCPUArray, KeySize: 4, ValueSize: tallySize, MaxEntries: mostNumbers}},
		{&m.paths, ebpf.MapSpec{Name: "paths", Type: ebpf.Hash, KeySize: 8, ValueSize: 8, MaxEntries: mostPaths}},
	} {
		if *one.to, err = ebpf.NewMap(&one.spec); err != nil {
			m.close()
			return maps{}, fmt.Errorf("making a table in the kernel: %w", err)
		}
	}
	return m, nil
}

func (m maps) close() {
	for _, one := range []*ebpf.Map{m.processes, m.tallies, m.paths} {
		if one != nil {
			_ = one.Close() // what it held was read or is not wanted
		}
	}
}

// add adds a register to a number of the tally at R6.
func add(offset int16, value asm.Register) asm.Instructions {
	return asm.Instructions{
		asm.LoadMem(asm.R1, asm.R6, offset, asm.DWord),
		asm.Add.Reg(asm.R1, value),
		asm.StoreMem(asm.R6, offset, asm.R1, asm.DWord),
	}
}

// read copies from an address in R7 and an offset to the stack, by a function of the
// kernel, which gives something else than 0 (or a length below 1) where it cannot.
func read(to, size int32, offset int32, by asm.BuiltinFunc) asm.Instructions {
	var c bpf.Code
	c.Place(asm.R1, int16(to)) //nolint:gosec // in the stack
	c.Do(asm.Mov.Imm(asm.R2, size), asm.Mov.Reg(asm.R3, asm.R7), asm.Add.Imm(asm.R3, offset), by.Call())
	return asm.Instructions(c)
}

// program counts at the end of each call. R6 is the context, later the tally; R7 the saved
// registers, later a path; R8 the number, R9 what the call gave.
func program(m maps, own namespace) asm.Instructions {
	var code bpf.Code

	code.Do(asm.Mov.Reg(asm.R6, asm.R1), bpf.Number(atIDs, 0),
		asm.LoadImm(asm.R1, int64(own.device), asm.DWord), asm.LoadImm(asm.R2, int64(own.inode), asm.DWord)) //nolint:gosec // bits
	code.Place(asm.R3, atIDs)
	code.Do(asm.Mov.Imm(asm.R4, 8), asm.FnGetNsCurrentPidTgid.Call(), asm.JNE.Imm(asm.R0, 0, "end"))
	code.Lookup(m.processes.FD(), atIDs+4, "end") // the process, not the thread
	code.Do(asm.LoadMem(asm.R7, asm.R6, 0, asm.DWord), asm.LoadMem(asm.R9, asm.R6, wordSize, asm.DWord), bpf.Number(atNumber, 0))
	code.Do(read(atNumber, wordSize, regsNumber, asm.FnProbeReadKernel)...)
	code.Do(asm.JNE.Imm(asm.R0, 0, "end"), asm.LoadMem(asm.R8, asm.RFP, atNumber, asm.Word), asm.JGE.Imm(asm.R8, mostNumbers, "end"))

	// A child is of the command too.
	for _, number := range forks {
		code.Do(asm.JEq.Imm(asm.R8, number, "child"))
	}
	code.Do(asm.Ja.Label("tally"), asm.JSLE.Imm(asm.R9, 0, "tally").WithSymbol("child"),
		asm.StoreMem(asm.RFP, atChild, asm.R9, asm.Word), bpf.Number(atOne, 1))
	code.Update(m.processes.FD(), atChild, atOne)

	code.Named("tally", func() { code.Lookup(m.tallies.FD(), atNumber, "end") })
	code.Do(asm.Mov.Reg(asm.R6, asm.R0), asm.Mov.Imm(asm.R2, 1))
	code.Do(add(0, asm.R2)...)
	code.Do(asm.JSLT.Imm(asm.R9, 0, "failed"))
	code.Do(add(offBytes, asm.R9)...)
	code.Do(asm.Ja.Label("path"), asm.Mov.Imm(asm.R2, 1).WithSymbol("failed"))
	code.Do(add(offFailed, asm.R2)...)

	// Which argument is a path?
	code.Do(asm.Mov.Imm(asm.R5, regsFirst).WithSymbol("path"))
	for _, c := range calls {
		if c.path == 1 {
			code.Do(asm.JEq.Imm(asm.R8, c.number, "first"))
		}
	}
	for _, c := range calls {
		if c.path == 2 { //nolint:mnd // the second argument
			code.Do(asm.JEq.Imm(asm.R8, c.number, "second"))
		}
	}
	code.Do(asm.Ja.Label("end"), asm.Mov.Imm(asm.R5, regsSecond).WithSymbol("second"),
		asm.Add.Reg(asm.R7, asm.R5).WithSymbol("first"), bpf.Number(atChild, 0))
	code.Do(read(atChild, wordSize, 0, asm.FnProbeReadKernel)...)
	code.Do(asm.JNE.Imm(asm.R0, 0, "end"), asm.LoadMem(asm.R7, asm.RFP, atChild, asm.DWord))
	for at := int16(0); at < pathSize; at += wordSize {
		code.Do(bpf.Number(atPath+at, 0))
	}
	code.Do(read(atPath, pathSize, 0, asm.FnProbeReadUserStr)...)
	code.Do(asm.JSLE.Imm(asm.R0, 1, "end")) // none, or an empty one: the call is about a descriptor
	code.Do(asm.Mov.Imm(asm.R2, 1))
	code.Do(add(offNamed, asm.R2)...)
	code.Do(asm.Mov.Imm(asm.R2, 0), asm.LoadImm(asm.R3, multiplier, asm.DWord))
	for at := int16(0); at < pathSize; at += wordSize {
		code.Do(asm.LoadMem(asm.R1, asm.RFP, atPath+at, asm.DWord), asm.Xor.Reg(asm.R2, asm.R1), asm.Mul.Reg(asm.R2, asm.R3),
			asm.Mov.Reg(asm.R1, asm.R2), asm.RSh.Imm(asm.R1, fold), asm.Xor.Reg(asm.R2, asm.R1))
	}
	code.Do(asm.StoreMem(asm.RFP, atHash, asm.R2, asm.DWord), bpf.Number(atOne, 1))
	code.Update(m.paths.FD(), atHash, atOne)
	code.End("end")
	return asm.Instructions(code)
}
