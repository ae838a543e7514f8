package loopfinding

import (
	"strings"

	"whyhot/internal/explain/analyzer"
)

const (
	// shortLoop is how many iterations a loop has at most that is no place to save
	// time in by itself: a vector body of the usual width runs once or not at all.
	shortLoop = 16
	// callInEach is how many calls an average iteration makes where a few loads less
	// are lost beside them.
	callInEach = 0.5
	// smallPart of what an average iteration loads is what no measurement shows.
	smallPart = 0.25
)

// minor says why the edit of a confirmed loop can give back little whatever the
// program does, "" where it depends on the program. No profile is asked: one that
// shows the loop hot overrules it (heat.Rank).
//
// Example. A loop that calls a function for each element and loads one pointer less
// per iteration after the edit: "calls in the loop".
func minor(c analyzer.Candidate) string {
	written := c.Worlds[analyzer.WorldWritten]
	switch {
	case !c.Confirmed:
		return ""
	case strings.HasPrefix(c.Function, "_GLOBAL__sub_I_") || strings.HasPrefix(c.Function, "__cxx_global_var_init"):
		return "runs once, before main"
	case len(c.Enclosing) == 0 && c.MostIterations > 0 && c.MostIterations <= shortLoop:
		return "few iterations"
	case c.Effect != "fewer loads" && c.Effect != "fewer stores":
		return ""
	case written.UsualNestCalls >= callInEach:
		return "calls in the loop"
	case c.Effect == "fewer loads" && written.UsualNestLoads > 0 && usualGain(c) < smallPart*written.UsualNestLoads:
		return "a small part of what the loop loads"
	}
	return ""
}

// usualGain is how many loads of an average iteration the better edit takes away.
func usualGain(c analyzer.Candidate) float64 {
	gain := 0.0
	for _, w := range c.Reach {
		if s := c.Worlds[w]; s.Present {
			gain = max(gain, c.Worlds[analyzer.WorldWritten].UsualLoads-s.UsualLoads)
		}
	}
	return gain
}
