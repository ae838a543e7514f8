package branch

import (
	"github.com/cilium/ebpf/asm"
)

const (
	// sequenceSize is how many outcomes a round has at most, a power of two: for each jump so
	// many that half of them give a rate of one in two an error of two in a hundred.
	sequenceSize = 1 << 15
	firstSize    = 1 << 12
	sizeOfSite   = 1 << 11
	mostSites    = 64
	wordSize     = 2
)

// What the table has, one value for all jumps: the thread that is followed, how many outcomes
// there were, and two bytes for each of the first: the flags that jumps ask, and above them the
// number of the jump.
const (
	offThread   = 0
	offCount    = 8
	offOutcomes = 16
	tableSize   = offOutcomes + wordSize*sequenceSize
)

// offFlags is where struct pt_regs of x86-64 has the flags.
const offFlags = 144

// flag is a bit of the flags that jumps ask, in the order in which the table has them.
type flag struct {
	bit int32 // in the register
	at  byte  // in the table
}

var (
	carry    = flag{0, 1 << 0}
	parity   = flag{2, 1 << 1}
	zero     = flag{6, 1 << 2}
	sign     = flag{7, 1 << 3}
	overflow = flag{11, 1 << 4}
)

const flagBits = 5

// sizeFor is how many outcomes are noted of some jumps. One that closes a loop has as many as all
// others, and takes no room from them.
func sizeFor(sites []site) int {
	size := firstSize + len(sites)*sizeOfSite
	for _, s := range sites {
		if s.closes() {
			size += firstSize
		}
	}
	return min(size, sequenceSize)
}

// program notes the flags of one execution, of the thread that came first. number is that of
// the jump; below zero it is what the probe was given with its address. size is how many are
// noted. R6 is the context, later the number; R7 the table, R8 the thread, R9 the flags.
func program(number, size int32, table int) asm.Instructions {
	const key = -8
	ins := asm.Instructions{
		asm.Mov.Reg(asm.R6, asm.R1), asm.LoadMem(asm.R9, asm.R6, offFlags, asm.DWord),
		asm.FnGetCurrentPidTgid.Call(), asm.Mov.Reg(asm.R8, asm.R0),
	}
	if number < 0 {
		ins = append(ins, asm.Mov.Reg(asm.R1, asm.R6), asm.FnGetAttachCookie.Call(), asm.Mov.Reg(asm.R6, asm.R0))
	} else {
		ins = append(ins, asm.Mov.Imm(asm.R6, number))
	}
	ins = append(ins,
		asm.Mov.Imm(asm.R1, 0), asm.StoreMem(asm.RFP, key, asm.R1, asm.DWord),
		asm.LoadMapPtr(asm.R1, table), asm.Mov.Reg(asm.R2, asm.RFP), asm.Add.Imm(asm.R2, key),
		asm.FnMapLookupElem.Call(), asm.JEq.Imm(asm.R0, 0, "end"), asm.Mov.Reg(asm.R7, asm.R0),
		asm.LoadMem(asm.R1, asm.R7, offThread, asm.DWord), asm.JEq.Reg(asm.R1, asm.R8, "mine"), asm.JNE.Imm(asm.R1, 0, "end"),
		asm.StoreMem(asm.R7, offThread, asm.R8, asm.DWord),
		asm.LoadMem(asm.R2, asm.R7, offCount, asm.DWord).WithSymbol("mine"),
		asm.Mov.Reg(asm.R3, asm.R2), asm.Add.Imm(asm.R3, 1), asm.StoreMem(asm.R7, offCount, asm.R3, asm.DWord),
		asm.JGE.Imm(asm.R2, size, "end"),
		asm.LSh.Imm(asm.R6, flagBits),
	)
	for i, f := range []flag{carry, parity, zero, sign, overflow} {
		ins = append(ins, asm.Mov.Reg(asm.R1, asm.R9), asm.RSh.Imm(asm.R1, f.bit), asm.And.Imm(asm.R1, 1),
			asm.LSh.Imm(asm.R1, int32(i)), asm.Or.Reg(asm.R6, asm.R1)) //nolint:gosec // small
	}
	return append(ins,
		asm.And.Imm(asm.R2, sequenceSize-1), asm.LSh.Imm(asm.R2, 1), asm.Add.Reg(asm.R7, asm.R2), asm.StoreMem(asm.R7, offOutcomes, asm.R6, asm.Half),
		asm.Mov.Imm(asm.R0, 0).WithSymbol("end"), asm.Return(),
	)
}

// isTaken says whether flags, as the table has them, fulfil a jump's condition.
func isTaken(condition, flags byte) bool {
	has := func(f flag) bool { return flags&f.at != 0 }
	var is bool
	switch condition &^ 1 {
	case 0x0: //nolint:mnd // as the instruction has it
		is = has(overflow)
	case 0x2: //nolint:mnd // below
		is = has(carry)
	case 0x4: //nolint:mnd // equal
		is = has(zero)
	case 0x6: //nolint:mnd // below or equal
		is = has(carry) || has(zero)
	case 0x8: //nolint:mnd // negative
		is = has(sign)
	case 0xa: //nolint:mnd // parity
		is = has(parity)
	case 0xc: //nolint:mnd // less
		is = has(sign) != has(overflow)
	default: // less or equal
		is = has(sign) != has(overflow) || has(zero)
	}
	return is != (condition&1 != 0)
}
