package native

import (
	"math"
	"regexp"
	"strings"

	"whyhot/internal/explain/machine"
)

// fewerCycles is what the cycles of an iteration have to fall to for the model to say that
// they did: which of several ports an instruction takes makes a few percent.
const fewerCycles = 0.95

// gainsNothing says whether loops are known to be no faster than they were: the same
// number of them, each with as many instructions and stores as before and with as many
// cycles on every processor that was modelled. Fewer loads alone do not count: where they
// are operands of an instruction that stays, and cost no cycle, they were free. A store
// less does, since the model takes no notice of a load that waits for it.
//
// Example. for (j = 0; j < d[i]; j++) with d[i] in a register: the comparison reads it from
// there rather than from memory, and both loops have 13 instructions and 3 cycles.
func gainsNothing(was, is []*machine.Loop) bool {
	if len(was) == 0 || len(was) != len(is) {
		return false
	}
	for i, w := range was {
		if !noFaster(w, is[i]) {
			return false
		}
	}
	return true
}

func noFaster(was, is *machine.Loop) bool {
	switch {
	case isVector(was) != isVector(is), was.Step != is.Step, stores(was) != stores(is): // other loops, or other parts of an unrolled one
		return false
	case len(is.Instructions) < len(was.Instructions), is.Calls < was.Calls, is.Atomic < was.Atomic, is.Strings < was.Strings:
		return false
	}
	modelled := 0
	for processor, before := range was.Cycles {
		after, both := is.Cycles[processor]
		if !both || before.Least == 0 || after.Least == 0 {
			continue
		}
		modelled++
		if math.Min(after.Least/before.Least, after.Most/before.Most) < fewerCycles {
			return false
		}
	}
	return modelled > 0
}

// Of x86 as the analyser prints it, and of ARM: what writes to memory. What only reads has
// the address as its last operand, too.
var (
	writes = regexp.MustCompile(`^(lock\s+)?[a-z][a-z0-9]*\s.*\)$|^st[a-z0-9]*\s.*\[`)
	reads  = regexp.MustCompile(`^(v?u?comis|cmp[bwlq]?\s|test|bt[bwlq]?\s|v?p?test|i?mul|i?div|nop|prefetch|call|jmp|push)`)
)

func stores(l *machine.Loop) int {
	n := 0
	for _, in := range l.Instructions {
		text := strings.TrimSpace(in.Text)
		if writes.MatchString(text) && !reads.MatchString(text) {
			n++
		}
	}
	return n
}
