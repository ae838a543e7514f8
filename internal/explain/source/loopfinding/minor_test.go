package loopfinding

import (
	"testing"

	"whyhot/internal/explain/analyzer"
)

func TestMinor(t *testing.T) {
	loop := func(edit func(*analyzer.Candidate, *analyzer.LoopState)) analyzer.Candidate {
		c := analyzer.Candidate{Confirmed: true, Effect: "fewer loads", Reach: []string{analyzer.WorldHoisted}, Function: "f"}
		written := analyzer.LoopState{Present: true, UsualLoads: 6, UsualNestLoads: 6}
		edited := analyzer.LoopState{Present: true, UsualLoads: 2, UsualNestLoads: 2}
		edit(&c, &written)
		c.Worlds = map[string]analyzer.LoopState{analyzer.WorldWritten: written, analyzer.WorldHoisted: edited}
		return c
	}
	around := [][]analyzer.Point{{{File: "a.c", Line: 1}}}
	for _, x := range []struct {
		name, want string
		edit       func(*analyzer.Candidate, *analyzer.LoopState)
	}{
		{"six loads to two", "", func(*analyzer.Candidate, *analyzer.LoopState) {}},
		{"twelve iterations", "few iterations", func(c *analyzer.Candidate, _ *analyzer.LoopState) { c.MostIterations = 12 }},
		{"twelve iterations in a loop", "", func(c *analyzer.Candidate, _ *analyzer.LoopState) { c.MostIterations, c.Enclosing = 12, around }},
		{"before main", "runs once, before main", func(c *analyzer.Candidate, _ *analyzer.LoopState) { c.Function = "_GLOBAL__sub_I_a.cpp" }},
		{"a call an iteration", "calls in the loop", func(_ *analyzer.Candidate, w *analyzer.LoopState) { w.UsualNestCalls = 1 }},
		{"a call where it is vectorised after the edit", "", func(c *analyzer.Candidate, w *analyzer.LoopState) { c.Effect, w.UsualNestCalls = "vectorised", 1 }},
		{"four loads of a nest of forty", "a small part of what the loop loads", func(_ *analyzer.Candidate, w *analyzer.LoopState) { w.UsualNestLoads = 40 }},
		{"nothing confirms it", "", func(c *analyzer.Candidate, _ *analyzer.LoopState) { c.Confirmed, c.MostIterations = false, 2 }},
	} {
		if got := minor(loop(x.edit)); got != x.want {
			t.Errorf("%s: %q, want %q", x.name, got, x.want)
		}
	}
}
