package loopfinding

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"whyhot/internal/explain/analyzer"
	"whyhot/internal/finding"
)

// Counterfactual is where the fix of a finding would change the program, for a
// build that makes the change without the source: every copy of the loop, as the
// user's edit would reach every copy. A chain ends at its first point in the
// user's own code, since no edit can tell more apart.
type Counterfactual struct {
	Finding  finding.Finding
	World    string // analyzer.WorldRetyped or analyzer.WorldHoisted
	Loops    [][]analyzer.Point
	Accesses [][]analyzer.Point // the blamed ones
	// Predicate is the analyser's name of what is blamed.
	Predicate string
}

// Counterfactuals gives the change behind each finding of Findings, in the same
// order. world is the one to take where a finding can be reached by both, "" for
// the one that a build can show best.
//
// Example. For f of the package's comment, inlined into g, the candidate's start
// is the chain [f:11, g:90]: the line in f and the call in g. The chain is cut
// after its first point of the user's own code, [f:11], so that every copy of f's
// loop is edited, the one in h too. An access inside operator[] has the chain
// [stl_vector.h:1121, f:12, g:90] and keeps two points: the access in the library
// is edited where f:12 calls it, and nowhere else.
func Counterfactuals(outcomes []analyzer.Outcome, opts Options, world string) []Counterfactual {
	loops := loopsOf(outcomes, opts)
	findings := findingsOf(loops)
	out := make([]Counterfactual, 0, len(loops))
	for i, l := range loops {
		c := Counterfactual{Finding: findings[i], Predicate: l.best.Predicate}
		copies := slices.Clone(l.copies)
		for _, o := range l.nest {
			copies = append(copies, o.copies...)
		}
		for _, k := range copies {
			c.Loops = addChain(c.Loops, k.Start, l.unit)
			for _, a := range slices.Concat(k.Writes, qualified(k)) {
				c.Accesses = addChain(c.Accesses, a.Where, l.unit)
			}
		}
		c.World = c.choose(l.best, world)
		out = append(out, c)
	}
	return out
}

// choose prefers the change of type where all accesses are written in the user's
// own code: it needs no second run of the optimiser, whose own effect would be in
// the numbers. A store in a library's inline function belongs to all its callers,
// so where there is one, hoisting is preferred if it has an effect.
func (c *Counterfactual) choose(best analyzer.Candidate, wish string) string {
	reach := best.Reach
	if len(reach) == 0 {
		for _, w := range []string{analyzer.WorldRetyped, analyzer.WorldHoisted} {
			if _, ok := best.Worlds[w]; ok {
				reach = append(reach, w)
			}
		}
	}
	inOwnCode := !slices.ContainsFunc(c.Accesses, func(chain []analyzer.Point) bool { return len(chain) > 1 })
	switch {
	case slices.Contains(reach, wish):
		return wish
	case slices.Contains(reach, analyzer.WorldRetyped) && (inOwnCode || len(reach) == 1):
		return analyzer.WorldRetyped
	}
	return analyzer.WorldHoisted
}

// qualified are the loads that are blamed themselves.
func qualified(c analyzer.Candidate) []analyzer.Access {
	if c.Predicate == "volatile" {
		return c.Loads
	}
	return nil
}

// addChain adds a chain, cut after its first point in the user's code, once. What
// has no position, or none in the user's code, cannot be edited and is not added.
func addChain(chains [][]analyzer.Point, chain []analyzer.Point, unit string) [][]analyzer.Point {
	own := slices.IndexFunc(chain, func(p analyzer.Point) bool { return isOwn(p, unit) })
	if own < 0 || chain[0].Line == 0 {
		return chains
	}
	chain = chain[:own+1]
	same := func(a, b analyzer.Point) int {
		return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column))
	}
	if slices.ContainsFunc(chains, func(c []analyzer.Point) bool { return slices.CompareFunc(c, chain, same) == 0 }) {
		return chains
	}
	return append(chains, chain)
}

// Predicates are the analyser's names of all that can be blamed, sorted.
func Predicates() []string { return slices.Sorted(maps.Keys(rules)) }

// PredicateOf is the one that a finding's id speaks of, "" where the finding is
// of another kind.
func PredicateOf(id string) string {
	for name, r := range rules {
		if strings.HasPrefix(id, r.id+"-") {
			return name
		}
	}
	return ""
}
