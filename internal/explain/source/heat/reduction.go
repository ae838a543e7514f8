package heat

import (
	"fmt"
	"maps"
	"slices"

	"whyhot/internal/finding"
)

// callBytes is what an instruction of a library call (memcpy, memset) moves at
// least: the vector register that every x86-64 and AArch64 has.
const callBytes = 16

// reduction is the largest part of a loop's time that an edit may take away, and
// the reason in words. It takes the best of the edited worlds that have an effect.
// docs/decisions/0052 says why it is an upper bound.
func reduction(worlds []finding.World) (part float64, basis string) {
	written, ok := asWritten(worlds)
	if !ok {
		return 0, ""
	}
	patched := slices.ContainsFunc(worlds, func(w finding.World) bool { return w.Patched })
	for _, w := range worlds {
		if !w.Edit || !w.Reached || patched && !w.Patched {
			continue
		}
		if p, b := reductionOf(written, w); p > part {
			part, basis = p, b
		}
	}
	return part, basis
}

func asWritten(worlds []finding.World) (finding.World, bool) {
	i := slices.IndexFunc(worlds, func(w finding.World) bool { return !w.Edit })
	if i < 0 || worlds[i].Loads == nil || worlds[i].Stores == nil {
		return finding.World{}, false
	}
	return worlds[i], true
}

// reductionOf is the part of the loop's time that one edited world saves, by the
// first of these that is known:
//
//	a library call instead of the loop            1 − 1/16
//	cycles of the model, 4 as written, 1 edited   1 − 1/4, on the processor where they differ most
//	vectors of 8 elements, scalar as written      1 − 1/8
//	vectors of 16 elements, of 4 as written       1 − 4/16
//	loads and stores, 8 + 2 as written, 3 + 2     1 − 5/10
//
// 0 is no estimate: nothing is known, or the model sees no gain.
func reductionOf(written, edited finding.World) (part float64, basis string) {
	if edited.Fate == finding.FateReplaced {
		return 1 - 1.0/callBytes, fmt.Sprintf("a library call moves %d bytes or more at a time", callBytes)
	}
	cpu, modelled := "", false
	for _, name := range slices.Sorted(maps.Keys(written.Cycles)) {
		before, after := written.Cycles[name], edited.Cycles[name]
		modelled = modelled || before > 0 && after > 0
		if before > 0 && after > 0 && 1-after/before > part {
			part, cpu = 1-after/before, name
		}
	}
	if cpu != "" {
		return part, fmt.Sprintf("an iteration takes %s cycles as written and %s %s (LLVM's model of %s)",
			number(written.Cycles[cpu]), number(edited.Cycles[cpu]), edited.Name, cpu)
	}
	if modelled {
		return 0, "" // the model sees no gain: what may come of it, a measurement says
	}
	if edited.Fate == finding.FateVectorised && written.Fate != finding.FateVectorised && edited.Width > 1 {
		return 1 - 1/float64(edited.Width), fmt.Sprintf("%d elements at a time", edited.Width)
	}
	if edited.Fate == finding.FateVectorised && written.Fate == finding.FateVectorised && edited.Width > written.Width {
		return 1 - float64(written.Width)/float64(edited.Width), fmt.Sprintf("%d elements at a time instead of %d", edited.Width, written.Width)
	}
	if edited.Loads == nil || edited.Stores == nil {
		return 0, ""
	}
	before, after := *written.Loads+*written.Stores, *edited.Loads+*edited.Stores
	if before <= 0 || after >= before {
		return 0, ""
	}
	return 1 - after/before, fmt.Sprintf("%s loads and stores per iteration as written, %s %s", number(before), number(after), edited.Name)
}

func number(f float64) string { return fmt.Sprintf("%.3g", f) }
