package rule

import (
	"cmp"
	"slices"

	"whyhot/internal/explain/catalog"
	"whyhot/internal/finding"
)

// sameCost is the share of the smaller of two costs that must lie in the other,
// while both are about as large, for them to be one cost told twice.
const sameCost = 0.8

// dedupe keeps one verdict per cost: of entries in one group, and of entries
// whose samples are nearly the same, the best speaks and names the others as
// alternatives: what knows the program before what knows a library in it, and what changes
// the work itself before what makes it cheaper from outside. General advice
// and asides come last: they yield to what is particular, and are no alternative to it.
func dedupe(vs []*verdict) []*verdict {
	slices.SortStableFunc(vs, func(a, b *verdict) int {
		return cmp.Or(
			cmp.Compare(a.programID, b.programID),
			cmp.Compare(last(a), last(b)),
			-cmp.Compare(narrow(a), narrow(b)),
			-cmp.Compare(rung(a), rung(b)),
			-cmp.Compare(a.entry.Priority, b.entry.Priority),
			-cmp.Compare(direct(a), direct(b)),
			-cmp.Compare(a.cost.inclusive, b.cost.inclusive),
			cmp.Compare(a.entry.ID, b.entry.ID),
		)
	})
	var kept []*verdict
	for _, v := range vs {
		if i := slices.IndexFunc(kept, func(k *verdict) bool { return tellsTheSame(k, v) }); i >= 0 {
			v.hidden = true
			if last(v) > last(kept[i]) {
				continue
			}
			kept[i].absorbed = append(kept[i].absorbed, v)
			continue
		}
		kept = append(kept, v)
	}
	return kept
}

// markAgain marks all but the largest verdict of each entry.
func markAgain(vs []*verdict) {
	largest := map[int]*verdict{}
	for _, v := range vs {
		of := largest[v.entryID]
		switch {
		case of == nil:
			largest[v.entryID] = v
		case v.cost.inclusive > of.cost.inclusive:
			largest[v.entryID], of.again = v, true
		default:
			v.again = true
		}
	}
}

// last is above 0 for what yields to others: asides, and advice that holds for every
// program.
func last(v *verdict) int {
	switch {
	case v.entry.Fallback:
		return 2
	case v.isAside():
		return 1
	}
	return 0
}

// narrow is 1 for what is about some programs alone.
func narrow(v *verdict) int {
	if len(v.entry.Match.Program) > 0 {
		return 1
	}
	return 0
}

// direct is 1 for what changes the work itself: how much a setting, a build or another version
// gives cannot be told from the share, and where it can, the work may be needless.
func direct(v *verdict) int {
	if v.entry.Reduction.Change != catalog.ChangeIndirect && v.entry.Swap.Kind != catalog.Env {
		return 1
	}
	return 0
}

func rung(v *verdict) int {
	if v.certainty == finding.Confirmed {
		return 1
	}
	return 0
}

func tellsTheSame(a, b *verdict) bool {
	if a.program != b.program {
		return false
	}
	both := float64(a.trace.overlap[b])
	small := float64(min(a.cost.inclusive, b.cost.inclusive))
	large := float64(max(a.cost.inclusive, b.cost.inclusive))
	if a.entry.Group != "" && a.entry.Group == b.entry.Group {
		return both >= small/2
	}
	return both >= sameCost*small && small >= sameCost*large
}
