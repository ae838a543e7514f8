package explain

import (
	"math"
	"testing"

	"whyhot/internal/explain/judge"
	"whyhot/internal/finding"
	"whyhot/internal/profile"
)

// Other functions of the program go on; a collector does not, nor what the finding's own function does.
func TestAnEstimateLeavesOtherCode(t *testing.T) {
	for name, x := range map[string]struct {
		function, below string
		want            float64
	}{
		"another function":           {"report", "eval", 1 - 0.7*0.4},
		"its collections":            {"report", "gc_collect_main", 0.97},
		"another line of its own":    {"find", "eval", 0.97},
		"another, with a comparison": {"report", "list_richcompare", 1 - 0.7*0.4},
	} {
		b := profile.NewBuilder()
		frame := func(name, file string, kind profile.Kind) profile.LocationID {
			return b.Location(0, 0, kind, profile.Line{Function: b.Function(profile.Function{Name: name, File: file, Kind: kind}), Line: 3})
		}
		native := func(name string) profile.LocationID { return frame(name, "", profile.KindNative) }
		own := func(name string) profile.LocationID { return frame(name, "/home/me/a.py", profile.KindPython) }
		b.Sample(profile.Sample{Stack: b.Stack([]profile.LocationID{native("list_contains"), own("find")}), Count: 60, Value: 60})
		b.Sample(profile.Sample{Stack: b.Stack([]profile.LocationID{native(x.below), own(x.function)}), Count: 40, Value: 40})
		share := 0.6
		f := judge.Found{Samples: []int32{0}, Finding: finding.Finding{Share: finding.Share{Inclusive: &share}, Gain: &finding.Gain{Low: 0.25, Likely: 0.6, High: 0.97}}}
		found := []judge.Found{f}
		leaveOthers(b.Build(profile.Meta{}), found)
		if g := found[0].Gain; math.Abs(g.High-x.want) > 1e-9 || g.Likely != 0.6 || g.Low != 0.25 {
			t.Errorf("%s: %+v", name, *g)
		}
	}
}
