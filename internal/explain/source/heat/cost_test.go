package heat

import (
	"math"
	"path/filepath"
	"testing"

	"whyhot/internal/finding"
)

// What a call makes and destroys runs in the library: the lines of the finding have
// next to nothing themselves.
func TestCostIsInWhatIsCalled(t *testing.T) {
	tree, dir := project(t, twoUnits, "src/a.cpp", "src/b.cpp")
	a, b := "/build/src/a.cpp", "/build/src/b.cpp"
	f := func(line int) frame { return frame{"/bin/p", []inlined{{"_Z1fv", a, line}}} }
	call := func(line int) frame { return frame{"/bin/p", []inlined{{"main", b, line}}} }
	std := func(name string) frame { return frame{"/bin/p", []inlined{{name, "/usr/include/c++/12/x.h", 7}}} }
	malloc := frame{"/usr/lib/libc.so.6", []inlined{{"malloc", "", 0}}}
	g := frame{"/bin/p", []inlined{{"_Z1gSt6vector", a, 30}}}
	p := profileOf(map[string][]frame{
		"made":      {malloc, std("std::map::map"), f(4), call(50)},
		"destroyed": {malloc, std("std::map::~map"), f(9), call(50)},
		"searched":  {std("std::map::find"), f(6), call(50)},
		"end":       {std("std::map::size"), f(9), call(50)}, // no destructor
		"inlined":   {{"/bin/p", []inlined{{"std::map::map", "/usr/include/c++/12/x.h", 7}, {"_Z1fv", a, 4}}}, call(50)},
		"copied":    {malloc, std("std::vector::vector"), call(60)},
		"called":    {malloc, g, call(60)},
		"computed":  {{"/bin/p", []inlined{{"_Z7computev", b, 70}}}, call(60)}, // an argument, not of the library
		"elsewhere": {std("std::vector::vector"), call(61)},
	}, map[string]int64{"made": 200, "destroyed": 100, "searched": 50, "end": 25, "inlined": 50, "copied": 150, "called": 300, "computed": 75, "elsewhere": 50})
	h := NewHeat(p, tree)
	file := filepath.Join(dir, "src/a.cpp")
	for name, test := range map[string]struct {
		cost finding.Cost
		want float64
	}{
		"a container":            {finding.Cost{From: finding.Place{File: file, Line: 4}, Ends: finding.Place{File: file, Line: 9}}, 0.35},
		"without an end":         {finding.Cost{From: finding.Place{File: file, Line: 4}}, 0.25},
		"an argument":            {finding.Cost{ArgumentsOf: []string{"_Z1gSt6vector", "g"}}, 0.15},
		"a name alone":           {finding.Cost{ArgumentsOf: []string{"", "_Z1gSt6vector"}}, 0.15},
		"of what nobody calls":   {finding.Cost{ArgumentsOf: []string{"_Z1xv"}}, 0},
		"of another line number": {finding.Cost{From: finding.Place{File: file, Line: 5}}, 0},
	} {
		r := h.Rank([]finding.Finding{{ID: name, Place: finding.Place{File: file, Line: 4}, Cost: &test.cost}}, Options{All: true})
		if test.want == 0 {
			if len(r.Findings) != 0 {
				t.Errorf("%s: %+v", name, r.Findings)
			}
			continue
		}
		if len(r.Findings) != 1 {
			t.Errorf("%s: nothing is found", name)
			continue
		}
		got := r.Findings[0]
		if got.Share.Inclusive == nil || math.Abs(*got.Share.Inclusive-test.want) > 1e-9 {
			t.Errorf("%s: share %+v, want %v", name, got.Share.Main(), test.want)
		}
		if got.Gain == nil || got.Gain.Low > test.want/2 || got.Gain.High < test.want {
			t.Errorf("%s: gain %+v", name, got.Gain)
		}
	}
}
