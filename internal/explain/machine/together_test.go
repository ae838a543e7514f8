package machine

import (
	"math"
	"testing"

	"whyhot/internal/explain/analyzer"
	"whyhot/internal/finding"
	"whyhot/internal/profile"
)

// samples is a profile of so many.
func samples(n int64) *profile.Profile {
	b := profile.NewBuilder()
	b.Sample(profile.Sample{Stack: b.Stack(nil), Count: n, Value: n})
	return b.Build(profile.Meta{})
}

// What the flags of a binary mend is one finding, however many loops have it; loops that
// are changed one by one stay apart, and so do binaries.
func TestLoopsOfOneFlagAreOneFinding(t *testing.T) {
	p := samples(1000)
	loop := func(binary, rule string, start uint64, self int64) Loop {
		return Loop{
			Mapping: &profile.Mapping{Path: binary}, Start: start, End: start + 16, Self: self, Count: self,
			Matches: []analyzer.MachineMatch{{Rule: rule, Facts: map[string]string{"bytes": "4"}}},
		}
	}
	loops := []Loop{
		loop("/lib/a.so", "machine-scalar", 0x100, 12), loop("/lib/a.so", "machine-scalar", 0x200, 300),
		loop("/lib/a.so", "machine-float-sum", 0x300, 50), loop("/lib/a.so", "machine-float-sum", 0x400, 60),
		loop("/lib/b.so", "machine-scalar", 0x100, 40), loop("/lib/c.so", "machine-scalar", 0x100, 8),
		loop("/lib/a.so", "machine-scalar", 0x500, 100),
	}
	found := Together(p, Findings(p, loops))
	shares := map[string]float64{}
	for _, f := range found {
		shares[f.Rule+" "+f.Place.Binary] += f.Share.Main()
	}
	if len(found) != 4 || math.Abs(shares["machine-scalar /lib/a.so"]-0.412) > 1e-9 || shares["machine-scalar /lib/c.so"] != 0 {
		t.Fatalf("%d findings: %v", len(found), shares)
	}
	for _, f := range found {
		if f.Place.Binary != "/lib/a.so" || f.Rule != "machine-scalar" {
			continue
		}
		if f.Loop.Start != 0x200 || len(f.Others) != 2 || math.Abs(f.Gain.High-0.412*0.9) > 1e-9 || *f.Share.Error <= 0 {
			t.Errorf("%x, %d others, %+v", f.Loop.Start, len(f.Others), f.Gain)
		}
		// The same loops in another profile are the same finding, whichever is hottest.
		if f.ID != finding.ID("machine-scalar", finding.Place{Binary: "/lib/a.so"}) {
			t.Error(f.ID)
		}
	}
}
