package loopfinding

import (
	"cmp"
	"slices"

	"whyhot/internal/explain/analyzer"
	"whyhot/internal/finding"
)

// states says of every function that holds a copy of the loop what became of it
// there. A function with several copies has the state of the one that most needs
// the edit: confirmed before suspected before fine. A profile cannot tell two
// copies in one function apart, so its samples count if any copy is confirmed.
func (l *loop) states() []finding.Copy {
	of := map[string]string{}
	rank := []string{"", finding.CopyFine, finding.CopySuspected, finding.CopyConfirmed}
	add := func(function, state string) {
		if slices.Index(rank, state) > slices.Index(rank, of[function]) {
			of[function] = state
		}
	}
	for _, c := range slices.Concat(l.copies, l.silent) {
		add(c.Function, stateOf(c))
		for _, fine := range c.Fine {
			// Of a library's inline function the analyser lists the loops of all callers.
			if place, ok := ownPoint(fine.Start, l.unit); ok && loopKey(l.rule, place) == loopKey(l.rule, l.place) {
				add(fine.Function, finding.CopyFine)
			}
		}
	}
	out := make([]finding.Copy, 0, len(of))
	for function, state := range of {
		out = append(out, finding.Copy{Function: function, State: state})
	}
	slices.SortFunc(out, func(a, b finding.Copy) int { return cmp.Compare(a.Function, b.Function) })
	return out
}

func stateOf(c analyzer.Candidate) string {
	if c.Confirmed {
		return finding.CopyConfirmed
	}
	return finding.CopySuspected
}
