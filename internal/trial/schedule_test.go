package trial

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"whyhot/internal/trial/run"
)

func TestEveryRoundRunsEveryArmOnceInRandomOrder(t *testing.T) {
	f := speeds(map[string]int{"baseline": 100, "a": 100, "b": 100})
	p := planOf("a", "b")
	p.Rounds = 30
	do(t, f, p)
	orders := map[string]bool{}
	measured := f.names[3:]
	if len(measured) != 90 {
		t.Fatalf("%d runs measured", len(measured))
	}
	for i := 0; i < len(measured); i += 3 {
		round := slices.Clone(measured[i : i+3])
		orders[strings.Join(round, " ")] = true
		slices.Sort(round)
		if !slices.Equal(round, []string{"a", "b", "baseline"}) {
			t.Fatalf("round %d: %v", i/3, measured[i:i+3])
		}
	}
	if len(orders) != 6 {
		t.Errorf("%d of 6 orders in 30 rounds: %v", len(orders), orders)
	}
	again := speeds(map[string]int{"baseline": 100, "a": 100, "b": 100})
	do(t, again, p)
	if !slices.Equal(f.names, again.names) {
		t.Error("the same seed gave another order")
	}
}

func TestBudget(t *testing.T) {
	long := func() *fake { return speeds(map[string]int{"baseline": 28000, "a": 27500}) }
	p := planOf("a")
	o := do(t, long(), p)
	if o.Stopped != StopBudget || o.Rounds != 1 || o.Elapsed > 121 || o.Variants[0].Verdict != Unclear {
		t.Errorf("%d rounds in %.0f s, %s, %s", o.Rounds, o.Elapsed, o.Stopped, o.Variants[0].Verdict)
	}
	if !strings.Contains(o.Variants[0].Explanation, "--budget") || len(o.Trials()) != 0 {
		t.Errorf("too few runs: %q, %v", o.Variants[0].Explanation, o.Trials())
	}
	p.MinRounds = 4
	if o := do(t, long(), p); o.Rounds != 4 {
		t.Errorf("at least 4 rounds asked for: %d", o.Rounds)
	}
	p = planOf("a")
	p.Rounds = 11
	if o := do(t, speeds(map[string]int{"baseline": 10, "a": 5}), p); o.Rounds != 11 || o.Stopped != StopRounds {
		t.Errorf("exactly 11 rounds: %d, %s", o.Rounds, o.Stopped)
	}
}

// The warm-up took its part of the budget, and will again.
func TestAdvisedBudgetIsMoreThanWasNotEnough(t *testing.T) {
	f := newFake(func(_ string, n int) (*run.Result, error) {
		if n == 0 {
			return result(12 * time.Second), nil
		}
		return result(2600 * time.Millisecond), nil
	})
	p := planOf("a")
	p.Budget = 50 * time.Second
	o := do(t, f, p)
	if said := o.Variants[0].Explanation; o.Rounds >= 6 || !strings.HasSuffix(said, "--budget 2m should do") {
		t.Errorf("%d rounds in %.0f s: %q", o.Rounds, o.Elapsed, said)
	}
}

// A ratio that six rounds prove is a verdict, where the budget has room for no more.
func TestSixRoundsThatAgreeAreAVerdict(t *testing.T) {
	o := do(t, speeds(map[string]int{"baseline": 16_000, "a": 28}), planOf("a"))
	v := &o.Variants[0]
	if r, ok := o.SpeedUp(v); o.Stopped != StopBudget || o.Rounds != 6 || v.Verdict != Faster || !ok || r.Low < 500 {
		t.Errorf("%d rounds, %s: %s, %+v: %s", o.Rounds, o.Stopped, v.Verdict, v.Ratios, v.Explanation)
	}
	// Where runs are short, a trial ends after those that its first look needs.
	if o := do(t, speeds(map[string]int{"baseline": 1000, "a": 2}), planOf("a")); o.Stopped != StopSettled || o.Rounds != 8 {
		t.Errorf("%d rounds, %s", o.Rounds, o.Stopped)
	}
}

// hanging is a machine that ends runs at their limit, as the real one does.
func hanging(wall func(arm string, n int) time.Duration) *fake {
	f := newFake(nil)
	f.each = func(arm string, n int) (*run.Result, error) {
		r := result(wall(arm, n))
		if limit := f.specs[len(f.specs)-1].Timeout; limit > 0 && r.Wall > limit {
			r.Wall, r.User = limit, limit
			r.End.Limit = limit
		}
		return r, nil
	}
	return f
}

// A run that takes longer than could be foreseen is ended soon after the budget, and
// its round does not count.
func TestALongRunIsEndedWithTheBudget(t *testing.T) {
	f := hanging(func(arm string, n int) time.Duration {
		if arm == "a" && n == 4 {
			return time.Hour
		}
		return 5 * time.Second
	})
	p := planOf("a")
	p.Timeout = 2 * time.Hour
	o := do(t, f, p)
	if o.Stopped != StopBudget || o.Rounds != 3 || o.Elapsed > 132.1 || !slices.ContainsFunc(o.Notes, func(n string) bool { return strings.Contains(n, "a was ended after") }) {
		t.Errorf("%d rounds in %.0f s, %s: %q", o.Rounds, o.Elapsed, o.Stopped, o.Notes)
	}
}

// What is slow in its warm-up already says nothing about hanging: it is unclear.
func TestAVariantThatOutlastsTheBudget(t *testing.T) {
	f := hanging(func(arm string, _ int) time.Duration {
		return map[string]time.Duration{baselineName: 3 * time.Second, "a": time.Hour, "b": time.Second}[arm]
	})
	p := planOf("a")
	p.Budget = 20 * time.Second
	o := do(t, f, p)
	if v := o.Variants[0]; v.Verdict != Unclear || !strings.Contains(v.Explanation, "the baseline's first run took 3s") || o.Elapsed > 25.1 {
		t.Errorf("%.0f s: %s: %s", o.Elapsed, v.Verdict, v.Explanation)
	}
}

// A command that does not end, as a server does not, is told what to do instead.
func TestABaselineThatDoesNotEnd(t *testing.T) {
	f := hanging(func(string, int) time.Duration { return 1000 * time.Hour })
	_, err := Run(t.Context(), planOf("a"), f, f, nil)
	if _, ok := errors.AsType[*UnendingError](err); !ok || !strings.Contains(err.Error(), "--load") {
		t.Error(err)
	}
	if f.Now().Sub(time.Unix(1000, 0)) > 133*time.Second {
		t.Errorf("it ran until %s", f.Now())
	}
}

// A budget that the warm-up has used up leaves nothing, and a sentence.
func TestNoRoundFits(t *testing.T) {
	f := newFake(func(string, int) (*run.Result, error) { return result(50 * time.Second), nil })
	o := do(t, f, planOf("a"))
	if said := o.Variants[0].Explanation; o.Rounds != 0 || o.Stopped != StopBudget || !strings.Contains(said, "0 of 6") || !strings.Contains(said, "--budget 14m") {
		t.Errorf("%d rounds, %s: %q", o.Rounds, o.Stopped, said)
	}
}

func TestInterruptKeepsWholeRounds(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	f := newFake(func(arm string, n int) (*run.Result, error) {
		if n == 11 && arm == "a" {
			cancel()
			return nil, ctx.Err()
		}
		if arm == "a" {
			return result(time.Second), nil
		}
		return result(2 * time.Second), nil
	})
	p := planOf("a")
	p.Rounds = 50
	o, err := Run(ctx, p, f, f, nil)
	if err != nil || o.Stopped != StopInterrupted || o.Rounds != 10 || o.Baseline.Runs != 10 || o.Variants[0].Verdict != Faster {
		t.Fatalf("outcome %+v, error %v", o, err)
	}
}

func TestInterruptInTheWarmUp(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	f := newFake(func(string, int) (*run.Result, error) { return result(time.Second), nil })
	if o, err := Run(ctx, planOf("a"), f, f, nil); o != nil || !errors.Is(err, context.Canceled) {
		t.Fatalf("outcome %v, error %v", o, err)
	}
}

func TestTimeLimitFollowsTheFirstRun(t *testing.T) {
	f := newFake(func(string, int) (*run.Result, error) { return result(20 * time.Second), nil })
	p := planOf("a")
	p.Rounds, p.Budget = 1, 0
	do(t, f, p)
	if f.specs[1].Timeout != 200*time.Second {
		t.Errorf("limit %s", f.specs[1].Timeout)
	}
	g := newFake(func(string, int) (*run.Result, error) { return result(time.Millisecond), nil })
	do(t, g, p)
	if g.specs[1].Timeout != time.Minute {
		t.Errorf("limit of a short command %s", g.specs[1].Timeout)
	}
}

func TestPlansThatCannotBe(t *testing.T) {
	for name, change := range map[string]func(*Plan){
		"no command":           func(p *Plan) { p.Command = nil },
		"no variant":           func(p *Plan) { p.Variants = nil },
		"twice the same":       func(p *Plan) { p.Variants = envVariants("a", "a") },
		"more than exactly":    func(p *Plan) { p.Rounds, p.MinRounds = 3, 4 },
		"neither end nor time": func(p *Plan) { p.Budget = 0 },
	} {
		p := planOf("a")
		change(&p)
		f := speeds(nil)
		if _, err := Run(t.Context(), p, f, f, nil); err == nil {
			t.Errorf("%s: no error", name)
		}
		if len(f.names) != 0 {
			t.Errorf("%s: something ran", name)
		}
	}
}

func TestProgressTellsWhereItIs(t *testing.T) {
	f := speeds(map[string]int{"baseline": 1000, "a": 500})
	var phases []Phase
	last, intervals := 0.0, 0
	plan := planOf("a")
	plan.Rounds = 14
	_, err := Run(t.Context(), plan, f, f, func(p Progress) {
		phases = append(phases, p.Phase)
		for _, s := range p.Standings {
			if s.Low == 0 {
				if p.Round > 7 {
					t.Errorf("round %d has no interval", p.Round)
				}
				continue
			}
			if intervals++; p.Round < 7 || s.Low > 2 || s.High < 2 || s.Low <= 0 {
				t.Errorf("round %d: %+v", p.Round, s)
			}
		}
		if p.Fraction < last || p.Fraction > 1 {
			t.Errorf("fraction %v after %v", p.Fraction, last)
		}
		last = p.Fraction
	})
	if err != nil || phases[0] != PhaseWarmUp || phases[2] != PhaseAnnounce || phases[3] != PhaseRound {
		t.Errorf("phases %v, error %v", phases, err)
	}
	if intervals == 0 {
		t.Error("no interval was told")
	}
}
