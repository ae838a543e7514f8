package loopfinding

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"

	"whyhot/internal/analyzer"
)

// editable tells whether the user's own code has what an edit would change:
// what a library's inline functions store, such as a string that grows, cannot
// be stored otherwise from outside.
func editable(c analyzer.Candidate) bool {
	return slices.ContainsFunc(slices.Concat(c.Writes, qualified(c)), func(a analyzer.Access) bool {
		return len(a.Where) > 0 && a.Where[0].Line > 0 && !isSystem(filepath.Clean(a.Where[0].File))
	})
}

func loopKey(r rule, place analyzer.Point) string {
	return fmt.Sprintf("%s\x00%s\x00%d\x00%d", r.id, place.File, place.Line, place.Column)
}

// mergeNests makes one of an outer and an inner loop that repeat loads because
// of the same writes: a reader has one edit to make. The loop with the larger
// effect stays, with the other in its nest.
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
			place, ok := ownPoint(start)
			outerKey := loopKey(inner.rule, place)
			outer := loops[outerKey]
			if !ok || outer == nil || outer == inner || !outer.best.Confirmed || !shareWrites(inner.best, outer.best) {
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

func shareWrites(a, b analyzer.Candidate) bool {
	return slices.ContainsFunc(a.Writes, func(x analyzer.Access) bool {
		p, ok := ownPoint(x.Where)
		return ok && slices.ContainsFunc(b.Writes, func(y analyzer.Access) bool {
			q, ok := ownPoint(y.Where)
			return ok && p.File == q.File && p.Line == q.Line && p.Column == q.Column
		})
	})
}
