package heat

import (
	"math"
	"path/filepath"
	"strings"
	"testing"

	"whyhot/internal/finding"
)

// What is said of a loop is not said of the loops inside it: a loop that runs once
// around all the work has next to nothing itself.
func TestALoopDoesNotCountTheLoopsInside(t *testing.T) {
	tree, dir := project(t, twoUnits, "src/a.cpp", "src/b.cpp")
	a, shared, vector := "/build/src/a.cpp", "/build/include/shared.h", "/usr/include/c++/12/bits/stl_algo.h"
	at := func(lines ...inlined) []frame { return []frame{{"/bin/p", lines}} }
	p := profileOf(map[string][]frame{
		"around":  at(inlined{"main", a, 11}),
		"inside":  at(inlined{"main", a, 14}),
		"inlined": at(inlined{"_Z1hv", shared, 4}, inlined{"main", a, 12}),
		"library": at(inlined{"_ZSt4findv", vector, 100}, inlined{"main", a, 12}),
		"no loop": at(inlined{"_Z1gv", shared, 40}, inlined{"main", a, 12}), // called in the outer one
	}, map[string]int64{"around": 20, "inside": 300, "inlined": 350, "library": 250, "no loop": 80})
	h := NewHeat(p, tree)
	loops := []Range{
		{File: filepath.Join(dir, "src/a.cpp"), Line: 10, End: 20},
		{File: filepath.Join(dir, "src/a.cpp"), Line: 13, End: 15},
		{File: filepath.Join(dir, "include/shared.h"), Line: 3, End: 5},
		{File: filepath.Join(dir, "include/shared.h"), Line: 3, End: 5}, // of another unit
		{File: vector, Line: 90, End: 110},
	}
	loop := func(rule, file string, line, end int) finding.Finding {
		return finding.Finding{ID: rule, Rule: rule, Place: finding.Place{File: filepath.Join(dir, file), Line: line, EndLine: end}}
	}
	o := Options{All: true, Loops: loops, Own: func(f finding.Finding) bool { return strings.HasPrefix(f.Rule, "missed-") }}
	for _, test := range []struct {
		f    finding.Finding
		want float64
	}{
		{loop("missed-vectorize", "src/a.cpp", 10, 20), 0.1},
		{loop("missed-vectorize", "src/a.cpp", 13, 15), 0.3},
		{loop("missed-vectorize", "include/shared.h", 3, 5), 0.35},
		{loop("alias-char-write", "src/a.cpp", 10, 20), 1}, // an edit of which may help what is inside
	} {
		r := h.Rank([]finding.Finding{test.f}, o)
		if got := *r.Findings[0].Share.Exclusive; math.Abs(got-test.want) > 1e-9 {
			t.Errorf("%s of %s:%d: share %v, want %v", test.f.Rule, test.f.Place.File, test.f.Place.Line, got, test.want)
		}
	}
}
