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

func TestLittleIsMinor(t *testing.T) {
	of := func(share float64, change func(*finding.Finding)) judge.Found {
		f := finding.Finding{ID: "a", Certainty: finding.Suspected, Share: finding.Share{Exclusive: &share}}
		change(&f)
		return judge.Found{Finding: f}
	}
	guess := func(*finding.Finding) {}
	for name, x := range map[string]struct {
		found judge.Found
		minor bool
	}{
		"a loop of little":           {of(0.028, guess), true},
		"a loop of a bit more":       {of(0.06, guess), true},
		"a loop of more":             {of(0.12, guess), false},
		"a loop that waits":          {of(0.04, func(f *finding.Finding) { f.Certainty = finding.Confirmed }), false},
		"a loop that waits a little": {of(0.028, func(f *finding.Finding) { f.Certainty = finding.Confirmed }), true},
		"a library of little":        {of(0, func(f *finding.Finding) { f.Share = finding.Share{Inclusive: new(0.04)} }), true},
		"without a profile":          {of(0, func(f *finding.Finding) { f.Share = finding.Share{} }), false},
		"it promises little":         {of(0.3, func(f *finding.Finding) { f.Gain = &finding.Gain{Low: 0.005, High: 0.02} }), true},
		"it promises enough":         {of(0.04, func(f *finding.Finding) { f.Gain = &finding.Gain{Low: 0.03, High: 0.04} }), false},
		"what is to be mended first": {of(0.02, func(f *finding.Finding) { f.Foremost = true }), false},
	} {
		h := heard{found: []judge.Found{x.found}}
		h.setSmallMinor()
		if got := h.found[0].Minor != ""; got != x.minor {
			t.Errorf("%s: %q", name, h.found[0].Minor)
		}
	}
}

// Of two binaries the same advice is said once.
func TestGeneralAdviceIsSaidOnce(t *testing.T) {
	of := func(id string) judge.Found {
		return judge.Found{Finding: finding.Finding{ID: id, Title: "Built without PGO", General: true}}
	}
	h := heard{found: []judge.Found{of("a"), of("b")}}
	h.setGeneralAside(false)
	if len(h.found) != 0 || len(h.notes) != 1 {
		t.Errorf("%+v, %q", h.found, h.notes)
	}
}

func TestMachineCodeAfterOptimising(t *testing.T) {
	of := func(rule, binary string) judge.Found {
		return judge.Found{Finding: finding.Finding{ID: rule, Rule: rule, Place: finding.Place{Binary: binary}}}
	}
	h := heard{found: []judge.Found{of("rust-debug-build", "/a"), of("machine-load-stall", "/a"), of("machine-branch", "/b"), of("glibc-malloc", "/a")}}
	h.setAfterOptimising()
	for i, want := range []string{"", "rust-debug-build", "", ""} {
		if f := h.found[i]; f.After != want || (f.Minor != "") != (want != "") {
			t.Errorf("%s: after %q, %q", f.Rule, f.After, f.Minor)
		}
	}
}

// Two lines of a function are two findings of one judge.
func TestFindingsOfAJudgeHaveIDsOfTheirOwn(t *testing.T) {
	of := func(line int) judge.Found {
		return judge.Found{Finding: finding.Finding{ID: "growth-1", Rule: "growth-accumulation", Place: finding.Place{File: "a.php", Line: line}}}
	}
	found := []judge.Found{of(13), of(12)}
	separate(found)
	if found[0].ID == found[1].ID || found[1].ID != "growth-1" {
		t.Errorf("%s and %s", found[0].ID, found[1].ID)
	}
}
