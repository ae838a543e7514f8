package loopfinding

import (
	"cmp"
	"fmt"
	"slices"

	"whyhot/internal/explain/analyzer"
)

// Judged is a candidate of the unit that compiles file with the verdict that every
// command gives: it is no longer confirmed if the user's code holds nothing to edit.
func Judged(c analyzer.Candidate, file string) analyzer.Candidate {
	if c.Confirmed && !editable(c, file) {
		c.Confirmed, c.Reach, c.Effect, c.Groups = false, nil, "", nil
	}
	return c
}

// editable tells whether the user's own code has what an edit would change. What
// a library's inline functions store cannot be stored otherwise from outside; but
// where locals alone have the effect, the caller can make them of what it reads
// itself.
//
// Example. v.size() is loaded again for each v[i] ^= k, which stores in <cstddef>:
// a local for it is the user's to make. What push_back loads to store is not.
func editable(c analyzer.Candidate, unit string) bool {
	stored := slices.Concat(c.Writes, qualified(c))
	if slices.ContainsFunc(stored, func(a analyzer.Access) bool { return len(a.Where) > 0 && isOwn(a.Where[0], unit) }) {
		return true
	}
	if !slices.Equal(c.Reach, []string{analyzer.WorldHoisted}) {
		return false
	}
	return slices.ContainsFunc(c.Loads, func(load analyzer.Access) bool {
		at, ok := ownPoint(load.Where, unit)
		return ok && !slices.ContainsFunc(stored, func(a analyzer.Access) bool {
			call, _ := ownPoint(a.Where, unit)
			return call.File == at.File && call.Line == at.Line && call.Column == at.Column
		})
	})
}

func loopKey(r rule, place analyzer.Point) string {
	return fmt.Sprintf("%s\x00%s\x00%d\x00%d", r.id, place.File, place.Line, place.Column)
}

// mergeNests makes one finding of an outer and an inner loop that are confirmed
// and repeat loads because of the same stores: a reader has one edit to make. The
// loop with the larger weight stays, the inner one where they weigh the same, with
// the other in its nest.
//
// Example. The store of line 12 makes the loops of lines 10 and 11 read n again.
// The inner one, at line 11, is vectorised by the edit and weighs more: the
// finding is at line 11, and says of the loop around it that it has the same
// cause. Where the loop of line 10 loads its bound again because of another store,
// there are two findings.
func mergeNests(loops map[string]*loop) {
	keys := make([]string, 0, len(loops))
	for k := range loops {
		keys = append(keys, k)
	}
	// Inner loops first, so that a nest of three folds step by step.
	slices.SortFunc(keys, func(a, b string) int {
		return cmp.Or(-cmp.Compare(loops[a].best.Depth, loops[b].best.Depth), cmp.Compare(a, b))
	})
	for _, k := range keys {
		inner := loops[k]
		if inner == nil || !inner.best.Confirmed {
			continue
		}
		for _, start := range inner.best.Enclosing {
			place, ok := ownPoint(start, inner.unit)
			outerKey := loopKey(inner.rule, place)
			outer := loops[outerKey]
			if !ok || outer == nil || outer == inner || !outer.best.Confirmed || !shareWrites(inner, outer) {
				continue
			}
			if weight(outer.best) > weight(inner.best) {
				outer.nest = append(append(outer.nest, inner), inner.nest...)
				delete(loops, k)
				break
			}
			inner.nest = append(append(inner.nest, outer), outer.nest...)
			delete(loops, outerKey)
		}
	}
}

func shareWrites(a, b *loop) bool {
	return slices.ContainsFunc(a.best.Writes, func(x analyzer.Access) bool {
		p, ok := ownPoint(x.Where, a.unit)
		return ok && slices.ContainsFunc(b.best.Writes, func(y analyzer.Access) bool {
			q, ok := ownPoint(y.Where, b.unit)
			return ok && p.File == q.File && p.Line == q.Line && p.Column == q.Column
		})
	})
}
