package rule

import "whyhot/internal/profile"

// truncated is the part of a program's CPU of which nothing but that is known: the
// unwinder had no tables yet for code that was just loaded, or lost its way.
func (e *engine) truncated(pr *program) float64 {
	if e.unknown == nil {
		e.unknown = map[*program]int64{}
		for i := range e.groups {
			g := &e.groups[i]
			if stack := e.p.Stack(g.Stack); len(stack) > 0 && e.namedTruncated(stack[0]) {
				e.unknown[e.programs.list[g.program]] += g.Value
			}
		}
	}
	if pr.total <= 0 {
		return 0
	}
	return float64(e.unknown[pr]) / float64(pr.total)
}

func (e *engine) namedTruncated(loc profile.LocationID) bool {
	lines := e.p.Lines(loc)
	return len(lines) > 0 && e.p.Function(lines[0].Function).Name == profile.TruncatedStack
}

// isCut says whether the outer part of a stack is missing.
func (e *engine) isCut(id profile.StackID) bool {
	stack := e.p.Stack(id)
	return len(stack) > 0 && e.namedTruncated(stack[len(stack)-1])
}

// leastKnown is the part of a verdict's samples from which those whose stacks reach a caller
// stand for those that are truncated before it.
const leastKnown = 0.1

// known is what a verdict has of samples that could show a caller.
//
// Example. List.append calls itself for each element: where lists are long, stacks are deeper than
// a recorder unwinds, and 28% of the samples show who appends. It is one line in all of them.
func (v *verdict) known() int64 {
	if known := v.cost.inclusive - v.trace.cut; float64(known) >= leastKnown*float64(v.cost.inclusive) {
		return known
	}
	return v.cost.inclusive
}

// hidden is the share of all CPU that a verdict may have in such samples: as much of
// them as it has of those whose stacks are known.
func (e *engine) hidden(v *verdict) float64 {
	lost := e.truncated(v.program)
	if lost <= 0 || lost >= 1 {
		return 0
	}
	ofProgram := float64(v.program.total) / float64(e.p.Total())
	return v.share / (1 - lost) * lost * ofProgram
}
