package heat

import (
	"fmt"
	"maps"
	"slices"

	"whyhot/internal/finding"
)

// callBytes is what a library call moves an instruction at least: a vector
// register of the oldest x86-64 and AArch64.
const callBytes = 16

// reduction is the largest part of a loop's time that an edit may take away,
// and what that rests on. It is read off the worlds, by the first of these that
// is known: the cycles of the machine model, as written and with the edit, on
// the processor where they differ most; the lanes of the vectors; the loads and
// stores that go away, as a part of all there are. 0 is no estimate: nothing is
// known, or the model sees no gain.
func reduction(worlds []finding.World) (part float64, basis string) {
	written, ok := asWritten(worlds)
	if !ok {
		return 0, ""
	}
	for _, w := range worlds {
		if !w.Edit || !w.Reached {
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
	if edited.Loads == nil || edited.Stores == nil {
		return 0, ""
	}
	before, after := *written.Loads+*written.Stores, *edited.Loads+*edited.Stores
	if before <= 0 || after >= before {
		return 0, ""
	}
	return 1 - after/before, fmt.Sprintf("%s loads and stores an iteration as written, %s %s", number(before), number(after), edited.Name)
}

func number(f float64) string { return fmt.Sprintf("%.3g", f) }
