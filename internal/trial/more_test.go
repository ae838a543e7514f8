package trial

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"whyhot/internal/trial/run"
)

// kept is an outcome as an archive gives it back.
func kept(t *testing.T, o *Outcome) *Outcome {
	t.Helper()
	data, err := json.Marshal(o)
	if err != nil {
		t.Fatal(err)
	}
	var out Outcome
	if err := json.Unmarshal(data, &out); err != nil {
		t.Fatal(err)
	}
	return &out
}

func TestRoundsAreAdded(t *testing.T) {
	f := speeds(map[string]int{"baseline": 1000, "a": 800})
	p := planOf("a")
	p.Rounds = 4
	first := do(t, f, p)
	if v := first.Variants[0]; v.Verdict != Unclear || v.Estimate < 1.2 || v.Estimate > 1.3 {
		t.Fatalf("%+v", v)
	}
	p = planOf("a")
	p.Earlier, p.Seed = kept(t, first), 2
	second := do(t, f, p)
	v := second.Variants[0]
	if second.Continued != 1 || second.Rounds < 9 || v.Runs != second.Rounds || v.Verdict != Faster || second.Level != 0.99 {
		t.Errorf("%d rounds at %v, %+v", second.Rounds, second.Level, v)
	}
	was, now := first.Baseline.Summary[Wall].Samples, second.Baseline.Summary[Wall].Samples
	for i := range was {
		if d := was[i] - now[i]; d > 1e-9 || d < -1e-9 {
			t.Errorf("round %d: %v, was %v", i, now[i], was[i])
		}
	}
	if f.seen[baselineName] != 4+1+second.Rounds-4+1 {
		t.Errorf("the baseline ran %d times", f.seen[baselineName])
	}
	p.Earlier = kept(t, second)
	if third := do(t, f, p); third.Rounds < second.Rounds || third.Continued != 2 || third.Level != 0.998 {
		t.Errorf("%d rounds, then %d at %v", second.Rounds, third.Rounds, third.Level)
	}
}

func TestRoundsAreNotAddedToSomethingElse(t *testing.T) {
	f := speeds(map[string]int{"baseline": 1000, "a": 800, "b": 900})
	first := kept(t, do(t, f, planOf("a")))
	for name, change := range map[string]func(*Plan){
		"the variants": func(p *Plan) { p.Variants = envVariants("b") },
		"decided by":   func(p *Plan) { p.Metric = CPU },
	} {
		p := planOf("a")
		p.Earlier = first
		change(&p)
		if _, err := Run(t.Context(), p, f, f, nil); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v", name, err)
		}
	}
	other := newFake(func(string, int) (*run.Result, error) {
		r := result(time.Second)
		r.Stdout = output("standard output", "other")
		return r, nil
	})
	p := planOf("a")
	p.Earlier = first
	if _, err := Run(t.Context(), p, other, other, nil); err == nil || !strings.Contains(err.Error(), "writes something else") {
		t.Error(err)
	}
}

func TestADifferentOutputStaysDifferent(t *testing.T) {
	quick := func(arm string) float64 { return map[string]float64{baselineName: 1}[arm] + 0.25 }
	differs := true
	f := printing(t, func(arm string, _ int) string {
		if differs && arm != baselineName {
			return "41"
		}
		return "42"
	}, quick)
	first := do(t, f, planOf("a"))
	differs = false
	p := planOf("a")
	p.Earlier = kept(t, first)
	if v := do(t, f, p).Variants[0]; v.Verdict != Different || !strings.Contains(v.Explanation, "differs from byte 0") {
		t.Errorf("%+v", v)
	}
}

// The budget is seen to be too short when one round is known, and the wished
// precision when the noise is.
func TestTooShortABudgetIsForeseen(t *testing.T) {
	said := func(f *fake, p Plan) string {
		var all []string
		if _, err := Run(t.Context(), p, f, f, func(p Progress) {
			if p.Phase == PhaseRemark {
				all = append(all, p.Remark)
			}
		}); err != nil {
			t.Fatal(err)
		}
		return strings.Join(all, "; ")
	}
	p := planOf("a")
	p.Budget = 10 * time.Second
	if got := said(speeds(map[string]int{"baseline": 1000, "a": 800}), p); !strings.Contains(got, "has room for 4 rounds of 1.") || !strings.Contains(got, "a verdict needs 6: --budget") {
		t.Errorf("a verdict: %q", got)
	}
	p = planOf("a")
	var f *fake
	f = newFake(func(string, int) (*run.Result, error) {
		return result(time.Duration(float64(time.Second) * (1 + 0.8*f.rng.Float64()))), nil
	})
	if got := said(f, p); !strings.Contains(got, "a is known to ±") || !strings.Contains(got, "and the budget of 2m0s has room for") {
		t.Errorf("precision: %q", got)
	}
	if got := said(speeds(map[string]int{"baseline": 1000, "a": 800}), planOf("a")); got != "" {
		t.Errorf("enough: %q", got)
	}
}

// Where rounds do not agree often enough the interval says so as well.
func TestTheIntervalAgreesWithTheVerdict(t *testing.T) {
	f := newFake(func(arm string, n int) (*run.Result, error) {
		d := 800 * time.Millisecond
		if arm == baselineName {
			d = 900 * time.Millisecond
			if n%4 == 0 { // now and then, it is far faster
				d = 400 * time.Millisecond
			}
		}
		return result(d + time.Duration(n)*time.Microsecond), nil
	})
	p := planOf("a")
	p.Rounds = 21
	v := do(t, f, p).Variants[0]
	i := v.Ratios[Wall]
	if v.Verdict != Unclear || i.Low > 1 || i.High < 1 || !strings.Contains(v.Explanation, "could be anything from") {
		t.Errorf("%+v: %s", i, v.Explanation)
	}
}

// Rounds that are too few for a verdict are remarked on before the first of them, unless
// nobody wants one.
func TestTooFewRunsAreForeseen(t *testing.T) {
	first := func(rounds int, unjudged bool, variants ...string) string {
		f := speeds(map[string]int{"baseline": 1000, "a": 800, "b": 900})
		p := planOf(variants...)
		p.Rounds, p.Budget, p.Unjudged = rounds, 0, unjudged
		var all []Progress
		if _, err := Run(t.Context(), p, f, f, func(p Progress) { all = append(all, p) }); err != nil {
			t.Fatal(err)
		}
		return all[0].Remark
	}
	if got := first(4, false, "a"); got != "--runs 4 is too few for a verdict, which needs 6 runs of each: --runs 6" {
		t.Errorf("%q", got)
	}
	if got := first(6, false, "a", "b"); !strings.Contains(got, "needs 7") {
		t.Errorf("of two variants: %q", got)
	}
	if got := first(6, false, "a") + first(4, true, "a"); got != "" {
		t.Errorf("%q", got)
	}
}
