package whatif

import (
	"strings"
	"testing"

	"whyhot/internal/finding"
	"whyhot/internal/trial"
)

func side(name string, v trial.Verdict, r finding.Interval, times float64) trial.VariantArm {
	samples := make([]float64, 12)
	for i := range samples {
		samples[i] = times * (1 + float64(i%3)/1000)
	}
	return trial.VariantArm{
		Arm:     trial.Arm{Name: name, Runs: len(samples), Summary: map[trial.Metric]trial.Summary{trial.Wall: {Samples: samples}}},
		Ratios:  map[trial.Metric]finding.Interval{trial.Wall: r},
		Verdict: v,
	}
}

func one() finding.Interval { return finding.Interval{Estimate: 1, Low: 0.99, High: 1.01} }

func TestPrediction(t *testing.T) {
	late := &Plan{Edits: []Edit{{Finding: "f-1", World: Hoisted}}}
	early := &Plan{Edits: []Edit{{Finding: "f-1", World: Retyped}, {Finding: "f-2", World: Retyped}}}
	gain := finding.Interval{Estimate: 2, Low: 1.9, High: 2.1}
	for _, c := range []struct {
		name    string
		plan    *Plan
		world   trial.VariantArm
		placebo trial.VariantArm
		want    []string // of each sentence, a part
	}{
		{"gain", late, side(VariantName, trial.Faster, gain, 1), side(PlaceboName, trial.Same, one(), 2), []string{"2.00 times as fast (1.90 to 2.10) with the finding fixed"}},
		{"several", early, side(VariantName, trial.Faster, gain, 1), side(PlaceboName, trial.Same, one(), 2), []string{"with these findings fixed"}},
		{"none", late, side(VariantName, trial.Same, one(), 2), side(PlaceboName, trial.Same, one(), 2), []string{"makes no difference"}},
		{"layout noise", late, side(VariantName, trial.LayoutNoise, one(), 2), side(PlaceboName, trial.Same, one(), 2), []string{"than the code layout does"}},
		{"loss", late, side(VariantName, trial.Slower, finding.Interval{Estimate: 0.9, Low: 0.88, High: 0.92}, 2.2), side(PlaceboName, trial.Same, one(), 2), []string{"does not pay here, 0.90 times"}},
		{"unclear", late, side(VariantName, trial.Unclear, gain, 2), side(PlaceboName, trial.Same, one(), 2), []string{"no prediction"}},
		{"different", early, side(VariantName, trial.Different, gain, 1), side(PlaceboName, trial.Same, one(), 2), []string{"not safe"}},
		{"second pass", late, side(VariantName, trial.Faster, gain, 1), side(PlaceboName, trial.Faster, finding.Interval{Estimate: 1.6, Low: 1.5, High: 1.7}, 1.25),
			[]string{"2.00 times", "compiling the units twice"}},
		{"layout", early, side(VariantName, trial.Faster, gain, 1), side(PlaceboName, trial.Faster, finding.Interval{Estimate: 1.6, Low: 1.5, High: 1.7}, 1.25),
			[]string{"2.00 times", "is code layout"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := c.plan.Prediction(&trial.Outcome{Metric: trial.Wall, Level: 0.95, Variants: []trial.VariantArm{c.world, c.placebo}})
			if len(got) != len(c.want) {
				t.Fatalf("got %q", got)
			}
			for i, want := range c.want {
				if !strings.Contains(got[i], want) {
					t.Errorf("%q lacks %q", got[i], want)
				}
			}
			if c.name == "second pass" && !strings.Contains(got[1], "bring 1.25 (") {
				t.Errorf("the gain over the placebo is 1.25: %q", got[1])
			}
		})
	}
}

func TestNoPredictionWithoutNumbers(t *testing.T) {
	p := &Plan{Edits: []Edit{{Finding: "f-1", World: Retyped}}}
	failed := side(VariantName, trial.Failed, one(), 1)
	failed.Ratios = nil
	if got := p.Prediction(&trial.Outcome{Metric: trial.Wall, Variants: []trial.VariantArm{failed, side(PlaceboName, trial.Same, one(), 1)}}); len(got) > 0 {
		t.Errorf("got %q", got)
	}
	if got := p.Prediction(&trial.Outcome{Metric: trial.Wall}); len(got) > 0 {
		t.Errorf("got %q", got)
	}
}
