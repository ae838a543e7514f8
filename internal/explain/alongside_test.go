package explain

import (
	"math"
	"testing"

	"whyhot/internal/explain/judge"
	"whyhot/internal/finding"
	"whyhot/internal/profile"
)

func TestEstimatesReachBeyondTheSamples(t *testing.T) {
	const margin = 0.014
	for name, x := range map[string]struct {
		share, high float64
		removes     bool
		want        float64
	}{
		"all of it goes":       {0.831, 0.845, true, 0.910},
		"a small part":         {0.05, 0.06, true, 0.088},
		"a part of it goes":    {0.831, 0.4, true, 0.4},
		"it says why it is so": {0.5, 0.7, true, 0.7},
		"it becomes cheaper":   {0.831, 0.845, false, 0.845},
	} {
		error := margin
		found := []judge.Found{{Removes: x.removes, Finding: finding.Finding{Share: finding.Share{Inclusive: &x.share, Error: &error}, Gain: &finding.Gain{Low: 0.01, High: x.high}}}}
		given := found[0].Gain
		widen(found)
		if got := found[0].Gain.High; math.Abs(got-x.want) > 0.001 {
			t.Errorf("%s: %.3f, want %.3f", name, got, x.want)
		}
		r, err := Request{Profile: profile.NewBuilder().Build(profile.Meta{})}.report(heard{found: []judge.Found{{Removes: x.removes, Finding: finding.Finding{
			Share: found[0].Share, Gain: given,
		}}}})
		if err != nil || len(r.Findings) != 1 || math.Abs(r.Findings[0].Gain.High-x.want) > 0.001 {
			t.Errorf("%s: the report has %+v, %v", name, r.Findings, err)
		}
		if given.High != x.high {
			t.Errorf("%s: the judge's own estimate was changed", name)
		}
	}
}
