package trial

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"whyhot/internal/finding"
)

func TestFailIf(t *testing.T) {
	at := func(low, high float64) map[Metric]finding.Interval {
		return map[Metric]finding.Interval{Wall: {Estimate: (low + high) / 2, Low: low, High: high}}
	}
	o := func(higher bool) *Outcome {
		return &Outcome{Metric: Wall, HigherIsBetter: higher, Variants: []VariantArm{
			{Arm: Arm{Name: "slow"}, Verdict: Slower, Ratios: at(0.93, 0.96)}, // 4% to 8% more time, or 4% to 7% less of a rate
			{Arm: Arm{Name: "fast"}, Verdict: Faster, Ratios: at(1.05, 1.2)},  // 5% to 17% less, or 5% to 20% more
			{Arm: Arm{Name: "lost"}, Verdict: Unclear, Ratios: at(0.8, 1.2)},
			{Arm: Arm{Name: "other"}, Verdict: Different},
		}}
	}
	for condition, want := range map[string][]string{
		"slower":               {"slow"},
		"slower>3%":            {"slow"},
		"slower > 3.5 %":       {"slow"},
		"slower>5%":            nil, // the interval does not say so
		"faster>4%":            {"fast"},
		"faster>6%":            nil,
		"unclear":              {"lost"},
		"slower>3%, different": {"slow", "other"},
		"failed":               nil,
	} {
		for _, higher := range []bool{false, true} {
			f, err := ParseFailIf(condition)
			if err != nil {
				t.Fatal(err)
			}
			out := o(higher)
			out.FailIf(f)
			if !slices.Equal(f.Variants, want) || f.Holds != (len(want) > 0) {
				t.Errorf("%s, higher %v: %v, want %v", condition, higher, f.Variants, want)
			}
			text, err := json.Marshal(out)
			if err != nil || !strings.Contains(string(text), `"fail_if":{"condition":`) {
				t.Errorf("%s: %v", text, err)
			}
		}
	}
	for _, bad := range []string{"", "slow", "slower>", "slower>3", "slower<3%", "different>3%", "slower>3%,", "slower>-1%"} {
		if _, err := ParseFailIf(bad); err == nil || !strings.Contains(err.Error(), "invalid --fail-if") {
			t.Errorf("%q: %v", bad, err)
		}
	}
}
