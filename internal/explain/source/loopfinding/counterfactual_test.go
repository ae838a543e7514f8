package loopfinding

import (
	"slices"
	"testing"

	"whyhot/internal/explain/analyzer"
)

func TestCounterfactualEndsInTheUsersCode(t *testing.T) {
	copied := candidate(10, false)
	copied.Start = append(slices.Clone(copied.Start), at("/src/caller.cpp", 90)...)
	copied.Function = "_Z5otherv"
	cs := Counterfactuals([]analyzer.Outcome{outcome(true, candidate(10, true), copied)}, Options{Suspected: true}, "")
	if len(cs) != 1 {
		t.Fatalf("got %d counterfactuals, want 1", len(cs))
	}
	c := cs[0]
	if len(c.Loops) != 1 || len(c.Loops[0]) != 1 {
		t.Errorf("both copies start at one place of the source, got %v", c.Loops)
	}
	if len(c.Accesses) != 2 || c.World != analyzer.WorldRetyped {
		t.Errorf("got world %s with accesses %v", c.World, c.Accesses)
	}
	if want := Findings([]analyzer.Outcome{outcome(true, candidate(10, true))}, Options{})[0].ID; c.Finding.ID != want {
		t.Errorf("finding %s, the list calls it %s", c.Finding.ID, want)
	}
}

func TestStoresInLibrariesArePreferablyHoisted(t *testing.T) {
	inlined := candidate(10, true)
	for i := range inlined.Writes[:1] {
		inlined.Writes[i].Where = append([]analyzer.Point{{File: "/usr/include/c++/12/bits/char_traits.h", Line: 354, Column: 7}}, inlined.Writes[i].Where...)
	}
	in := []analyzer.Outcome{outcome(true, inlined)}
	if c := Counterfactuals(in, Options{}, "")[0]; c.World != analyzer.WorldHoisted || len(c.Accesses[0]) != 2 {
		t.Errorf("got world %s with accesses %v", c.World, c.Accesses)
	}
	if c := Counterfactuals(in, Options{}, analyzer.WorldRetyped)[0]; c.World != analyzer.WorldRetyped {
		t.Errorf("asked for, got world %s", c.World)
	}
	inlined.Reach = []string{analyzer.WorldRetyped}
	if c := Counterfactuals([]analyzer.Outcome{outcome(true, inlined)}, Options{}, "")[0]; c.World != analyzer.WorldRetyped {
		t.Errorf("the only world that reaches it is not taken: %s", c.World)
	}
}
