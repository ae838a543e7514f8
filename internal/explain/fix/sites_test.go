package fix_test

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"whyhot/internal/explain/fix"
)

// state has two members of packed bits: one is copied as a whole, in a loop that another
// kind of patch frees alone, and both are walked.
var state = map[string]string{
	"state.h": `#pragma once
#include <vector>
struct State {
  std::vector<bool> ready;
  std::vector<bool> dirty;
  void take(const State &o);
  unsigned count() const;
  void clear();
};
`,
	"state.cpp": `#include "state.h"
void State::take(const State &o) {
  for (unsigned i = 0; i < ready.size(); ++i)
    ready[i] = o.ready[i];
}
unsigned State::count() const {
  unsigned n = 0;
  for (unsigned i = 0; i < dirty.size(); ++i)
    n += dirty[i];
  return n;
}
void State::clear() {
  for (unsigned i = 0; i < dirty.size(); ++i)
    dirty[i] = false;
}
`,
}

// Whichever loop a few samples make the hottest, the patch is of all of them.
func TestAFindingIsFixedWhole(t *testing.T) {
	dir, o := project(t, "c++20", state)
	at := func(name string, line int) fix.Place { return fix.Place{File: filepath.Join(dir, name), Line: line} }
	share := func(x float64) *float64 { return &x }
	ready, dirty := at("state.h", 4), at("state.h", 5)
	o.Declarations = []fix.Place{ready, dirty}
	sites := []fix.Site{
		{Place: at("state.cpp", 3), Of: []fix.Place{ready}, Share: share(0.21)},
		{Place: at("state.cpp", 8), Of: []fix.Place{dirty}, Share: share(0.2)},
		{Place: at("state.cpp", 13), Of: []fix.Place{dirty}, Share: share(0.04)},
	}
	var first string
	for range sites {
		o.Sites = sites
		p, err := fix.Propose(t.Context(), o, sites[0].Place, fix.KindsFor("vector-bool"))
		if err != nil {
			t.Fatal(err)
		}
		p.OfShare(0.41)
		if !p.Sound() || p.Kind != fix.VectorBool || p.Covers.Places != 3 || p.Covers.Of != 3 {
			t.Fatalf("%s at %s: covers %v, refused for %v", p.Kind, sites[0].Place, p.Covers, p.Refusals)
		}
		if got, want := p.Covers.String(), "41 of 41% of the CPU, 3 of 3 loops"; got != want {
			t.Errorf("covers %q, want %q", got, want)
		}
		diff := fix.Diff(p.Changes, dir)
		if first == "" {
			first = diff
		}
		if diff != first {
			t.Errorf("one finding, two patches:\n%s\n%s", first, diff)
		}
		if !slices.ContainsFunc(p.Others, func(q fix.Proposal) bool { return q.Kind == fix.WholeCopy && q.Covers.Places == 1 }) {
			t.Errorf("the kind that competes is not named: %+v", p.Others)
		}
		sites = append(slices.Clone(sites[1:]), sites[0])
	}
	if strings.Count(first, "\n-") < 2 {
		t.Errorf("one declaration alone changes:\n%s", first)
	}
}
