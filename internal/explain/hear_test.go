package explain

import (
	"testing"

	"whyhot/internal/explain/judge"
	"whyhot/internal/finding"
)

func TestTheSameAdviceTwice(t *testing.T) {
	of := func(id, rule string, share float64, paid bool) judge.Found {
		f := finding.Finding{ID: id, Rule: rule, Title: rule + " is hot", Share: finding.Share{Inclusive: &share}}
		if paid {
			f.PaidBy = []finding.HotLine{{File: "engine.py", Line: 27}}
		}
		return judge.Found{Finding: f}
	}
	for name, x := range map[string]struct {
		found []judge.Found
		minor bool // the second
	}{
		"a worker does the same":           {[]judge.Found{of("a", "python-pickle", 0.2, true), of("b", "python-pickle", 0.17, false)}, true},
		"it has a line of its own":         {[]judge.Found{of("a", "python-pickle", 0.2, true), of("b", "python-pickle", 0.17, true)}, false},
		"it is the larger one":             {[]judge.Found{of("a", "python-pickle", 0.2, true), of("b", "python-pickle", 0.3, false)}, false},
		"another rule":                     {[]judge.Found{of("a", "python-pickle", 0.2, true), of("b", "python-json", 0.17, false)}, false},
		"nobody knows who pays for either": {[]judge.Found{of("a", "python-pickle", 0.2, false), of("b", "python-pickle", 0.17, false)}, false},
	} {
		h := heard{found: x.found}
		h.setTwiceMinor()
		if got := h.found[1].Minor != ""; got != x.minor || h.found[0].Minor != "" {
			t.Errorf("%s: %q, %q", name, h.found[0].Minor, h.found[1].Minor)
		}
	}
}
