package trial

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"whyhot/internal/preload"
	"whyhot/internal/trial/run"
	"whyhot/internal/trial/variant"
)

// fake is a machine on which a run takes as long as the test says. Its clock
// moves by what its runs take.
type fake struct {
	now   time.Time
	specs []run.Spec
	names []string
	rng   *rand.Rand
	// each makes the result of the n-th run (from 0) of an arm.
	each func(arm string, n int) (*run.Result, error)
	seen map[string]int
}

func newFake(each func(arm string, n int) (*run.Result, error)) *fake {
	return &fake{now: time.Unix(1000, 0), rng: rand.New(rand.NewPCG(7, 7)), each: each, seen: map[string]int{}}
}

func (f *fake) Now() time.Time { return f.now }

func (f *fake) Run(ctx context.Context, spec run.Spec) (*run.Result, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	arm := baselineName
	for _, e := range spec.Env {
		if name, ok := strings.CutPrefix(e, "ARM="); ok {
			arm = name
		}
	}
	n := f.seen[arm]
	f.seen[arm]++
	f.specs = append(f.specs, spec)
	f.names = append(f.names, arm)
	res, err := f.each(arm, n)
	if err == nil {
		f.now = f.now.Add(res.Wall)
	}
	return res, err
}

func (f *fake) noisy(d time.Duration) time.Duration {
	return time.Duration(float64(d) * math.Exp(0.01*f.rng.NormFloat64()))
}

func result(d time.Duration) *run.Result {
	return &run.Result{Wall: d, User: d, PeakRSS: 1 << 26, MinorFaults: 100, Stdout: output("standard output", "same")}
}

func output(name, content string) run.Output {
	return run.Output{Name: name, Length: int64(len(content)), SHA256: content, Written: true, FirstDifference: -1}
}

func envVariants(names ...string) []variant.Variant {
	var vs []variant.Variant
	for _, n := range names {
		vs = append(vs, variant.Variant{Name: n, Env: []string{"ARM=" + n}})
	}
	return vs
}

func planOf(names ...string) Plan {
	return Plan{Command: []string{"prog"}, Metric: Wall, Budget: 2 * time.Minute, WarmUps: 1, Seed: 1, Variants: envVariants(names...)}
}

func do(t *testing.T, f *fake, p Plan) *Outcome {
	t.Helper()
	o, err := Run(t.Context(), p, f, f, nil)
	if err != nil {
		t.Fatal(err)
	}
	return o
}

// speeds gives every arm a run time.
func speeds(ms map[string]int) *fake {
	var f *fake
	f = newFake(func(arm string, _ int) (*run.Result, error) {
		return result(f.noisy(time.Duration(ms[arm]) * time.Millisecond)), nil
	})
	return f
}

func verdicts(o *Outcome) []Verdict {
	var out []Verdict
	for _, v := range o.Variants {
		out = append(out, v.Verdict)
	}
	return out
}

func TestVerdictsOfClearDifferences(t *testing.T) {
	f := speeds(map[string]int{"baseline": 1000, "quick": 800, "slow": 1200, "equal": 1000})
	o := do(t, f, planOf("quick", "slow", "equal"))
	if got, want := verdicts(o), []Verdict{Faster, Slower, Same}; !slices.Equal(got, want) {
		t.Fatalf("got %v, want %v", got, want)
	}
	r, _ := o.SpeedUp(&o.Variants[0])
	if r.Low > 1.25 || r.High < 1.25 || r.High-r.Low > 0.1 {
		t.Errorf("1.25 times as fast: %+v", r)
	}
	if o.Stopped != StopSettled {
		t.Errorf("stopped because of %s", o.Stopped)
	}
	if len(o.Trials()) != 3 || o.Trials()[0].Verdict != "faster" {
		t.Errorf("trials: %+v", o.Trials())
	}
}

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
	long := func() *fake { return speeds(map[string]int{"baseline": 30000, "a": 29500}) }
	p := planOf("a")
	if o := do(t, long(), p); o.Stopped != StopBudget || o.Rounds != 9 {
		t.Errorf("default budget, long runs: %d rounds, %s; a verdict needs 9", o.Rounds, o.Stopped)
	}
	p.HardBudget = true
	o := do(t, long(), p)
	if o.Rounds != 1 || o.Elapsed > 121 || o.Variants[0].Verdict != Unclear {
		t.Errorf("hard budget: %d rounds in %.0f s, %s", o.Rounds, o.Elapsed, o.Variants[0].Verdict)
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
	p.Budget, p.HardBudget = time.Minute, true
	o := do(t, f, p)
	if said := o.Variants[0].Explanation; o.Rounds >= 9 || !strings.HasSuffix(said, "--budget 2m should do") {
		t.Errorf("%d rounds in %.0f s: %q", o.Rounds, o.Elapsed, said)
	}
}

// A budget that the warm-up has used up is overrun by the round that is made
// anyway, and the announcement says so.
func TestAnnouncedEndCountsTheRoundThatIsAlwaysMade(t *testing.T) {
	f := newFake(func(string, int) (*run.Result, error) { return result(5 * time.Second), nil })
	p := planOf("a")
	p.Budget, p.HardBudget = 9*time.Second, true
	var announced time.Duration
	o, err := Run(t.Context(), p, f, f, func(p Progress) {
		if p.Phase == PhaseAnnounce {
			announced = p.Expected
		}
	})
	if err != nil || announced.Seconds() < o.Elapsed {
		t.Errorf("announced %v, took %.0f s: %v", announced, o.Elapsed, err)
	}
}

func TestDifferentOutputIsNeverFaster(t *testing.T) {
	f := newFake(func(arm string, _ int) (*run.Result, error) {
		if arm == baselineName {
			return result(time.Second), nil
		}
		r := result(time.Second / 2)
		r.Stdout = output("standard output", "other")
		r.Stdout.FirstDifference = 17
		return r, nil
	})
	o := do(t, f, planOf("a"))
	v := o.Variants[0]
	if v.Verdict != Different || v.FirstDifference == nil || v.FirstDifference.Offset != 17 || !strings.Contains(v.Explanation, "byte 17") {
		t.Errorf("%+v", v)
	}
}

func TestOutputThatVariesInTheBaselineSaysNothing(t *testing.T) {
	f := newFake(func(arm string, n int) (*run.Result, error) {
		r := result(time.Second)
		if arm == "a" {
			r = result(time.Second * 3 / 4)
		}
		r.Stdout = output("standard output", fmt.Sprint(arm, n))
		return r, nil
	})
	o := do(t, f, planOf("a"))
	if o.Variants[0].Verdict != Faster {
		t.Errorf("verdict %s", o.Variants[0].Verdict)
	}
	if !slices.ContainsFunc(o.Notes, func(n string) bool { return strings.Contains(n, "varies between runs of the baseline") }) {
		t.Errorf("notes %q", o.Notes)
	}
}

func TestOutputFiles(t *testing.T) {
	f := newFake(func(arm string, _ int) (*run.Result, error) {
		r := result(time.Second)
		r.Outputs = []run.Output{output("out.bin", "x")}
		if arm == "a" {
			r.Outputs[0].Written = false
		}
		return r, nil
	})
	p := planOf("a")
	p.Outputs = []string{"out.bin"}
	if o := do(t, f, p); o.Variants[0].Verdict != Different {
		t.Errorf("a variant that does not write its file: %s", o.Variants[0].Verdict)
	}
	unwritten := newFake(func(string, int) (*run.Result, error) {
		r := result(time.Second)
		r.Outputs = []run.Output{{Name: "out.bin", FirstDifference: -1}}
		return r, nil
	})
	if _, err := Run(t.Context(), p, unwritten, unwritten, nil); err == nil || !strings.Contains(err.Error(), "out.bin") {
		t.Errorf("a file that the baseline does not write: %v", err)
	}
}

func failing(code int) *run.Result {
	return &run.Result{Wall: time.Millisecond, ExitCode: code, StderrTail: "first\nlast words\n", Stdout: output("standard output", "same")}
}

func TestBaselineThatFails(t *testing.T) {
	f := newFake(func(string, int) (*run.Result, error) { return failing(3), nil })
	o, err := Run(t.Context(), planOf("a"), f, f, nil)
	code, ok := IsBaselineFailure(err)
	if o != nil || !ok || code != 3 || !strings.Contains(err.Error(), "last words") || !strings.Contains(err.Error(), "status 3") {
		t.Fatalf("outcome %v, error %v", o, err)
	}
	p := planOf("a")
	p.IgnoreFailure = true
	g := newFake(func(string, int) (*run.Result, error) { return failing(3), nil })
	if o := do(t, g, p); o.Variants[0].Verdict == Failed || o.Variants[0].Verdict == Different {
		t.Errorf("ignored failure: %s", o.Variants[0].Verdict)
	}
	h := newFake(func(arm string, _ int) (*run.Result, error) { return failing(len(arm)), nil })
	if o := do(t, h, p); o.Variants[0].Verdict != Different || !strings.Contains(o.Variants[0].Explanation, "exit status 1") {
		t.Errorf("another exit status: %+v", o.Variants[0])
	}
}

func TestBaselineThatFailsLaterKeepsWhatWasMeasured(t *testing.T) {
	f := newFake(func(arm string, n int) (*run.Result, error) {
		if arm == baselineName && n == 12 {
			return failing(1), nil
		}
		if arm == baselineName {
			return result(2 * time.Second), nil
		}
		return result(time.Second), nil
	})
	p := planOf("a")
	p.Rounds = 50
	o, err := Run(t.Context(), p, f, f, nil)
	if err == nil || o == nil || o.Rounds != 11 || o.Stopped != StopFailed || o.Baseline.Runs != 11 || o.Variants[0].Runs != 11 {
		t.Fatalf("outcome %+v, error %v", o, err)
	}
}

func TestVariantThatFailsLeavesTheOthers(t *testing.T) {
	f := newFake(func(arm string, n int) (*run.Result, error) {
		switch {
		case arm == "bad":
			return failing(134), nil
		case arm == "late" && n == 4:
			r := failing(0)
			r.TimedOut = true
			return r, nil
		case arm == "good":
			return result(500 * time.Millisecond), nil
		}
		return result(time.Second), nil
	})
	o := do(t, f, planOf("bad", "late", "good"))
	if got, want := verdicts(o), []Verdict{Failed, Failed, Faster}; !slices.Equal(got, want) {
		t.Fatalf("got %v, want %v", got, want)
	}
	if !strings.Contains(o.Variants[0].Explanation, "last words") || !strings.Contains(o.Variants[1].Explanation, "time limit") {
		t.Errorf("%q, %q", o.Variants[0].Explanation, o.Variants[1].Explanation)
	}
	if f.seen["bad"] != 1 {
		t.Errorf("a failed variant ran %d times", f.seen["bad"])
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
	p.Rounds = 1
	do(t, f, p)
	if f.specs[0].Timeout != 0 || f.specs[1].Timeout != 200*time.Second {
		t.Errorf("limits %s and %s", f.specs[0].Timeout, f.specs[1].Timeout)
	}
	g := newFake(func(string, int) (*run.Result, error) { return result(time.Millisecond), nil })
	do(t, g, p)
	if g.specs[1].Timeout != time.Minute {
		t.Errorf("limit of a short command %s", g.specs[1].Timeout)
	}
}

func TestDriftIsNoted(t *testing.T) {
	var f *fake
	f = newFake(func(_ string, n int) (*run.Result, error) {
		return result(f.noisy(time.Second + time.Duration(n)*10*time.Millisecond)), nil
	})
	p := planOf("a")
	p.Rounds = 40
	o := do(t, f, p)
	if !slices.ContainsFunc(o.Notes, func(n string) bool { return strings.Contains(n, "went up") }) {
		t.Errorf("notes %q", o.Notes)
	}
	if v := o.Variants[0].Verdict; v == Faster || v == Slower {
		t.Errorf("drift taken for a difference: %+v", o.Variants[0].Ratios)
	}
}

func TestMemoryDecides(t *testing.T) {
	f := newFake(func(arm string, _ int) (*run.Result, error) {
		r := result(time.Second)
		if arm == "a" {
			r.PeakRSS /= 2
		}
		return r, nil
	})
	p := planOf("a")
	p.Metric = Memory
	o := do(t, f, p)
	if o.Variants[0].Verdict != Faster || !strings.Contains(o.Variants[0].Explanation, "less memory") || o.Unit != "bytes" {
		t.Errorf("%+v", o.Variants[0])
	}
	if !f.specs[5].Watch {
		t.Error("small programs need a watched run to know their memory")
	}
}

func TestUnknownMetricIsLeftOut(t *testing.T) {
	f := newFake(func(string, int) (*run.Result, error) {
		r := result(time.Second)
		r.PeakRSS = 0
		return r, nil
	})
	o := do(t, f, planOf("a"))
	if _, ok := o.Variants[0].Ratios[Memory]; ok {
		t.Error("a ratio of unknown memory")
	}
	if _, ok := o.Baseline.Summary[Memory]; ok {
		t.Error("a summary of unknown memory")
	}
}

func TestLibraryThatIsNotLoaded(t *testing.T) {
	lib := &preload.Library{Name: "lib", Path: "/lib/lib.so"}
	process := func(name string, s preload.State, cpu time.Duration, why string) run.Process {
		return run.Process{PID: len(name), Program: name, State: s, CPU: cpu, Why: why}
	}
	shell := process("/bin/sh", preload.Loaded, 0, "")
	for _, c := range []struct {
		name      string
		processes []run.Process
		verdict   Verdict
		note      string
	}{
		{"static", []run.Process{process("/x", preload.NotLoaded, time.Second, "it is statically linked")}, NoEffect, ""},
		{"shell around static", []run.Process{shell, process("/x", preload.NotLoaded, time.Second, "it is statically linked")}, NoEffect, ""},
		{"half static", []run.Process{process("/y", preload.Loaded, time.Second, ""), process("/x", preload.NotLoaded, time.Second, "it is statically linked")}, Same, "50% of the CPU time"},
		{"loaded", []run.Process{shell, process("/y", preload.Loaded, time.Second, "")}, Same, ""},
		{"nothing known", []run.Process{process("/y", preload.Early, 0, "")}, Same, ""},
		{"nothing seen", nil, Same, ""},
	} {
		f := newFake(func(arm string, _ int) (*run.Result, error) {
			r := result(time.Second)
			if arm == "a" {
				r.Processes = c.processes
			}
			return r, nil
		})
		p := planOf("a")
		p.Variants[0].Preload = lib
		o := do(t, f, p)
		v := o.Variants[0]
		if v.Verdict != c.verdict {
			t.Errorf("%s: %s, %s", c.name, v.Verdict, v.Explanation)
		}
		if v.Verdict == NoEffect && (!strings.Contains(v.Explanation, "statically") || o.Rounds != 0) {
			t.Errorf("%s: %q after %d rounds", c.name, v.Explanation, o.Rounds)
		}
		if c.note != "" && !strings.Contains(strings.Join(o.Notes, "\n"), c.note) {
			t.Errorf("%s: notes %q", c.name, o.Notes)
		}
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

// A program against itself, three times at once, must hardly ever differ. The
// full simulation is in bench/trial.
func TestFalseVerdictsAreRare(t *testing.T) {
	const trials = 60
	wrong := 0
	for seed := range uint64(trials) {
		f := speeds(map[string]int{"baseline": 1000, "a": 1000, "b": 1000, "c": 1000})
		f.rng = rand.New(rand.NewPCG(seed, 1))
		p := planOf("a", "b", "c")
		p.Seed = seed
		o := do(t, f, p)
		if slices.ContainsFunc(verdicts(o), func(v Verdict) bool { return v == Faster || v == Slower }) {
			wrong++
		}
	}
	if wrong > 7 { // 5 % of 60 is 3
		t.Errorf("%d of %d trials saw a difference where there is none", wrong, trials)
	}
}

func TestProgressTellsWhereItIs(t *testing.T) {
	f := speeds(map[string]int{"baseline": 1000, "a": 500})
	var phases []Phase
	last := 0.0
	_, err := Run(t.Context(), planOf("a"), f, f, func(p Progress) {
		phases = append(phases, p.Phase)
		if p.Fraction < last || p.Fraction > 1 {
			t.Errorf("fraction %v after %v", p.Fraction, last)
		}
		last = p.Fraction
	})
	if err != nil || phases[0] != PhaseWarmUp || phases[2] != PhaseAnnounce || phases[3] != PhaseRound {
		t.Errorf("phases %v, error %v", phases, err)
	}
}

func TestWords(t *testing.T) {
	for got, want := range map[string]string{
		change(Wall, 1.25):                     "20% less time",
		change(Wall, 0.8):                      "25% more time",
		change(Faults, 2):                      "50% fewer page faults",
		side(1.25):                             "−20%",
		side(0.99):                             "+1.0%",
		roundUp(12 * time.Second):              "20s",
		roundUp(55 * time.Second):              "1m",
		roundUp(61 * time.Second):              "2m",
		lastLine("a\nb\n\n"):                   "b",
		ending(&run.Result{Signal: "SIGSEGV"}): "killed by SIGSEGV",
	} {
		if got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}
