package rule

import (
	"slices"

	"whyhot/internal/explain/catalog"
)

// A service of a runtime is work that nobody calls for by name: collecting garbage,
// allocating, faulting in pages, compiling what runs. How much of it there is follows from
// the rest of the program, and a finding about it advises a setting, or less of whatever
// asks for it.

// isService says whether a verdict is about one: an entry of the families about memory,
// unless it names the code that asks, or work that a virtual machine does on threads of its
// own.
func (e *engine) isService(v *verdict) bool {
	switch c := v.entry.Entry; c.Family {
	case "garbage collection", "page faults":
		return true
	case "memory management":
		return c.Swap.Kind != "code"
	}
	i := e.releasedBy(v)
	return i >= 0 && e.memory[i].apart
}

// releasedBy is the way of getting memory that most of a verdict gives back by, or -1.
func (e *engine) releasedBy(v *verdict) int {
	return slices.IndexFunc(v.cost.memory, func(m memoryCost) bool { return 2*m.released > v.cost.inclusive })
}

const (
	enoughAsking = 10  // samples from which those who ask are a sample of all
	partAsking   = 0.3 // and the part of the service that must be in their stacks
)

// demand gives the samples that show who asks for a service, the best that there are:
//
//   - its own where the program's code is in their stacks: a collection begins in what
//     allocates, so collections are a sample of allocations;
//   - else what gets the memory that is given back;
//   - else all that the program does besides, which is rough: what runs need not ask. So
//     is what runs in a virtual machine that allocates where no frame shows it.
func (e *engine) demand(v *verdict) (rows []int32, rough bool) {
	samples := e.p.Samples()
	asks := slices.DeleteFunc(slices.Clone(v.trace.samples), func(row int32) bool {
		_, _, ok := e.lines.Innermost(samples[row].Stack)
		return !ok
	})
	if n := e.events(asks); n >= enoughAsking && float64(n) >= partAsking*float64(v.cost.count) {
		return asks, false
	}
	if i := e.releasedBy(v); i >= 0 {
		m := e.memory[i]
		makers := e.rowsOf(v.programID, func(g *group) bool {
			e.walk(g.Stack)
			return e.met(m.makes)
		})
		if e.events(makers) >= enoughAsking {
			return makers, m.apart
		}
	}
	own := v.trace.samples
	return e.rowsOf(v.programID, func(g *group) bool {
		_, is := slices.BinarySearch(own, g.first)
		return !is
	}), true
}

// rowsOf are the samples of a program's groups that hold.
func (e *engine) rowsOf(program int32, holds func(*group) bool) []int32 {
	var rows []int32
	for i := range e.groups {
		if g := &e.groups[i]; g.program == program && holds(g) {
			for at := g.first; at != none; at = e.follows[at] {
				rows = append(rows, at)
			}
		}
	}
	return rows
}

func (e *engine) events(rows []int32) int64 {
	n := int64(0)
	for _, row := range rows {
		n += e.p.Samples()[row].Count
	}
	return n
}

// replaces says whether what an entry advises puts something else in the place of the
// matched functions: what these alone call goes with them.
func replaces(c *catalog.Entry) bool {
	return (c.Reduction.Change == catalog.ChangeReplaced || c.Reduction.Change == catalog.ChangeData) && (c.Swap.Kind == "code" || c.Swap.Kind == "package" || c.Swap.Kind == "build")
}

// beneath are the samples of a verdict in which the matched functions, and what they call,
// are all that runs below the program's own code: without a call back into it.
func (e *engine) beneath(v *verdict) []int32 {
	samples := e.p.Samples()
	var rows []int32
	for i, row := range v.trace.samples {
		if _, own, ok := e.lines.Innermost(samples[row].Stack); !ok || int32(own) >= v.trace.depths[i] {
			rows = append(rows, row)
		}
	}
	return rows
}
