package fix

import (
	"cmp"
	"fmt"
	"slices"

	"whyhot/internal/explain/analyzer"
)

// Compiled is a loop of one function before and after the fix.
type Compiled struct {
	Function string // linkage name
	Was, Is  analyzer.LoopState
}

// comparison is what a fix makes of the loops at its place.
type comparison struct {
	effect  string
	verdict int        // 1 for better, -1 for worse, 0 where nothing tells
	better  []Compiled // what got better, most first
	whole   bool       // the best of it becomes a library call or is vectorised
}

// copyOf tells the copies of a loop apart: the n-th at a depth of a function.
type copyOf struct {
	function string
	depth, n int
}

func index(list []analyzer.Candidate) (of map[copyOf]analyzer.Candidate, order []copyOf) {
	of = map[copyOf]analyzer.Candidate{}
	for _, c := range list {
		k := copyOf{function: c.Function, depth: c.Depth}
		for ; ; k.n++ {
			if _, taken := of[k]; !taken {
				break
			}
		}
		of[k] = c
		order = append(order, k)
	}
	return of, order
}

// compare holds the loops as written against each other: the same loop of the
// same function, inlined copies apart. The effect is that of the copy that gains most.
func compare(before, after []analyzer.Candidate, mayVanish bool) comparison {
	was, order := index(before)
	is, _ := index(after)
	switch {
	case len(was) == 0 && mayVanish:
		return comparison{effect: "fewer stores; there is no loop to compare", verdict: 1}
	case len(was) == 0:
		return comparison{effect: "there is no loop to compare"}
	}
	c := comparison{effect: "the loop is compiled as before"}
	gone, worse := "", ""
	for _, k := range order {
		w := was[k].Worlds[analyzer.WorldWritten]
		now, there := is[k]
		if !there {
			switch {
			case mayVanish:
				gone = "the loop is gone"
			case was[k].Worlds[analyzer.WorldHoisted].Idiom && !w.Idiom:
				// Early passes make the call, before loops are looked at. Without the world
				// that says so, a loop that is not there could be one that was not found.
				gone = describe(w) + " before, a library call after"
				c.whole = true
			}
			continue
		}
		n := now.Worlds[analyzer.WorldWritten]
		switch gain(w, n) {
		case 1:
			c.better = append(c.better, Compiled{k.function, w, n})
		case -1:
			worse = describe(w) + " before, " + describe(n) + " after"
		}
	}
	slices.SortStableFunc(c.better, func(a, b Compiled) int {
		return cmp.Or(-cmp.Compare(rank(a.Is)-rank(a.Was), rank(b.Is)-rank(b.Was)), -cmp.Compare(saved(a.Was, a.Is), saved(b.Was, b.Is)))
	})
	switch {
	case gone != "":
		c.effect, c.better = gone, nil
	case len(c.better) > 0:
		best := c.better[0]
		c.effect = describe(best.Was) + " before, " + describe(best.Is) + " after"
		c.whole = best.Is.Idiom || best.Is.Vectorised
	case worse != "":
		c.effect = worse
	}
	better := gone != "" || len(c.better) > 0
	switch {
	case better && (worse == "" || len(was) > 1):
		c.verdict = 1
	case worse != "":
		c.verdict, c.whole = -1, false
	}
	return c
}

// least is what counts as a difference in loads or stores an iteration.
const least = 0.2

// rank orders what a loop may become.
func rank(s analyzer.LoopState) int {
	switch {
	case s.Idiom:
		return 2
	case s.Vectorised:
		return 1
	}
	return 0
}

func saved(was, is analyzer.LoopState) float64 {
	return was.LoadsPerIteration - is.LoadsPerIteration + was.StoresPerIteration - is.StoresPerIteration
}

// gain says whether a loop got better (1), worse (-1) or neither.
func gain(was, is analyzer.LoopState) int {
	if !is.Present && !is.Idiom {
		return 0 // unrolled or gone: nothing to compare
	}
	switch a, b := rank(was), rank(is); {
	case b > a:
		return 1
	case b < a:
		return -1
	}
	if !was.Present {
		return 0
	}
	switch d := saved(was, is); {
	case d >= least || is.Calls < was.Calls:
		return 1
	case d <= -least:
		return -1
	}
	return 0
}

func describe(s analyzer.LoopState) string {
	switch {
	case s.Idiom:
		return "a library call"
	case !s.Present:
		return "no loop"
	case s.Vectorised:
		return fmt.Sprintf("vectorised %d wide", s.VectorWidth)
	}
	return fmt.Sprintf("%.3g loads and %.3g stores per iteration", s.LoadsPerIteration, s.StoresPerIteration)
}
