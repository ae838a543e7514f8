package hunt

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"whyhot/internal/finding"
	"whyhot/internal/hunt/candidate"
	"whyhot/internal/hunt/keep"
	"whyhot/internal/hunt/race"
)

func do(t *testing.T, h *hunt) *Result {
	t.Helper()
	r, err := h.run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if !r.Finished {
		t.Fatal("not finished")
	}
	return r
}

func TestHuntSorts(t *testing.T) {
	f := &fake{
		rng: rand.New(rand.NewPCG(1, 1)), noise: 0.01,
		gains:  map[string]float64{"A=1": 1.3, "B=1": 1.1, "C=1": 1.0, "D=1": 0.8, "what-if x": 1.2},
		broken: map[string]finding.Verdict{"E=1": finding.Different},
	}
	edit := candidate.Candidate{Name: "what-if x", Kind: candidate.WhatIf, WhatIf: "x", Builds: 3, How: "edit x"}
	h := hunted(t, f, t.TempDir(), setting("A=1", "alloc"), setting("A=2", "alloc"), setting("B=1", ""), setting("C=1", ""), setting("D=1", ""), setting("E=1", ""), edit)
	r := do(t, h)
	if got := names(r.Proved); got != "A=1, what-if x, B=1" {
		t.Errorf("proved: %s", got)
	}
	if got := names(r.Refuted); got != "C=1, D=1, E=1" && got != "A=2, C=1, D=1, E=1" && got != "C=1, A=2, D=1, E=1" {
		t.Errorf("refuted: %s", got)
	}
	// The verdict that takes one out of the race is a field: the reason does not repeat it.
	if i := slices.IndexFunc(r.Refuted, func(v Verdict) bool { return v.Name == "E=1" }); i >= 0 && (r.Refuted[i].Verdict != finding.Different || r.Refuted[i].Why != "it fails") {
		t.Errorf("%+v", r.Refuted[i])
	}
	c := r.Combined
	if c == nil || !slices.Equal(c.Names, []string{"A=1", "B=1"}) || c.Verdict != finding.Faster {
		t.Fatalf("%+v", c)
	}
	if c.Ratio.Low > 1.43 || c.Ratio.High < 1.43 {
		t.Errorf("both together are 1.43×: %+v", c.Ratio)
	}
	// The ratio that is reported is that of rounds which chose nothing.
	for _, v := range r.Proved {
		if v.Runs != proofRounds {
			t.Errorf("%s: %d rounds, those of its proof are %d", v.Name, v.Runs, proofRounds)
		}
	}
	// The levels of all proofs together leave what is promised.
	spent := 0.0
	for _, a := range f.asked {
		if a.keep {
			spent += 1 - a.level
		}
	}
	if spent > 1-Level+1e-9 {
		t.Errorf("the proofs may be wrong with %.3f together", spent)
	}
}

// Gains that do not add up: the second is left out, and a worse one is told.
func TestCombinationChecksInteraction(t *testing.T) {
	f := &fake{
		rng: rand.New(rand.NewPCG(2, 2)), noise: 0.005,
		gains: map[string]float64{"A=1": 1.3, "B=1": 1.25, "C=1": 1.2},
		joint: func(parts []string) float64 {
			if slices.Contains(parts, "B=1") {
				return 1.1 // B takes back what A gains
			}
			return 1.5
		},
	}
	r := do(t, hunted(t, f, t.TempDir(), setting("A=1", ""), setting("B=1", ""), setting("C=1", "")))
	c := r.Combined
	if !slices.Equal(c.Names, []string{"A=1", "C=1"}) || len(c.Left) != 1 || c.Left[0].Name != "B=1" || c.Left[0].Ratio.High > 1 {
		t.Errorf("%+v", c)
	}
	if len(r.Proved) != 3 {
		t.Errorf("each is faster alone: %s", names(r.Proved))
	}
}

// A placebo that is as fast as the edit proves nothing.
func TestPlaceboIsBelieved(t *testing.T) {
	f := &fake{rng: rand.New(rand.NewPCG(3, 3)), noise: 0.01, gains: map[string]float64{"what-if x": 1.2, "placebo": 1.2}}
	edit := candidate.Candidate{Name: "what-if x", Kind: candidate.WhatIf, WhatIf: "x", Builds: 3}
	r := do(t, hunted(t, f, t.TempDir(), edit))
	if len(r.Proved) != 0 || len(r.Open) != 1 || !strings.Contains(r.Open[0].Why, "placebo") {
		t.Errorf("%+v", r)
	}
}

// A built program that is a little faster is not believed before other layouts are.
func TestSmallGainsNeedLayouts(t *testing.T) {
	f := &fake{rng: rand.New(rand.NewPCG(4, 4)), noise: 0.003, gains: map[string]float64{"-O3": 1.04}}
	flags := candidate.Candidate{Name: "-O3", Kind: candidate.Flags, Variant: "cflags=-O3", Builds: 1}
	h := hunted(t, f, t.TempDir(), flags)
	h.state.Build = time.Hour // other layouts take too long
	h.state.Race.Standings[0].State = race.Finalist
	h.state.Race.Standings[0].Logs = []float64{0.04, 0.04, 0.04, 0.04}
	r := do(t, h)
	if len(r.Proved) != 0 || len(r.Open) != 1 || !strings.Contains(r.Open[0].Why, "layouts") {
		t.Errorf("%+v", r)
	}
	if !strings.Contains(r.Open[0].Command, "--variant cflags=-O3") {
		t.Errorf("no way to go on: %q", r.Open[0].Command)
	}
}

// What does not fit into the budget is left to a person, with the command.
func TestBudgetIsKept(t *testing.T) {
	f := &fake{rng: rand.New(rand.NewPCG(5, 5)), noise: 0.01, gains: map[string]float64{"S0=1": 1.5}, run: 20 * time.Second}
	var cs []candidate.Candidate
	for i := range 12 {
		cs = append(cs, setting(fmt.Sprintf("S%d=1", i), ""))
	}
	h := hunted(t, f, t.TempDir(), cs...)
	r := do(t, h)
	if names(r.Proved) != "S0=1" {
		t.Errorf("proved %s", names(r.Proved))
	}
	if len(r.Untried) == 0 || !strings.Contains(r.Untried[0].Command, "whyhot try") {
		t.Errorf("%+v", r.Untried)
	}
	if spent, budget := h.spent(), h.request.Budget; spent > budget+budget/10 {
		t.Errorf("%s of %s", spent, budget)
	}
}

// Builds that take long are predicted from the one of the program as it is: those
// that the budget has no room for are not begun, and the result says what they need.
func TestSlowBuildsKeepTheBudget(t *testing.T) {
	const one = 80 * time.Second
	f := &fake{
		rng: rand.New(rand.NewPCG(9, 9)), noise: 0.005, gains: map[string]float64{"-O3": 1.2, "pgo": 1.3},
		builds: map[string]time.Duration{"-O3": one, "lto": 3 * one / 2, "pgo": 5 * one / 2, "-march=native": one},
	}
	var cs []candidate.Candidate
	for _, c := range []candidate.Candidate{
		{Name: "-O3", Variant: "cflags=-O3", Builds: 1}, {Name: "-march=native", Variant: "cflags=-march=native", Builds: 1},
		{Name: "lto", Variant: "lto", Builds: 1.5}, {Name: "pgo", Variant: "pgo", Builds: 2.5},
	} {
		c.Kind = candidate.Flags
		cs = append(cs, c)
	}
	h := hunted(t, f, t.TempDir(), cs...)
	h.request.Budget, h.state.Build = 5*time.Minute, one
	r := do(t, h)
	if spent, budget := h.spent(), h.request.Budget; spent > budget+budget/10 {
		t.Errorf("%s of %s", spent, budget)
	}
	if names(r.Proved) != "-O3" {
		t.Errorf("proved %s", names(r.Proved))
	}
	i := slices.IndexFunc(r.Untried, func(u Untried) bool { return u.Name == "pgo" })
	if i < 0 || r.Untried[i].Needs < 2.5*one.Seconds() {
		t.Errorf("%+v", r.Untried)
	}
}

// What cannot be built is not refuted: it is told with the reason, or as what there
// was no time for, and a later hunt tries it again.
func TestBuildsThatFail(t *testing.T) {
	for _, late := range []bool{false, true} {
		f := &fake{
			rng: rand.New(rand.NewPCG(9, 9)), noise: 0.005, gains: map[string]float64{"A=1": 1.3},
			fails: map[string]string{"bolt": "bolt: llvm-bolt: BOLT-ERROR: no relocations"}, late: late,
		}
		bolt := candidate.Candidate{Name: "bolt", Kind: candidate.BOLT, Variant: "bolt", Builds: 2}
		h := hunted(t, f, t.TempDir(), setting("A=1", ""), bolt)
		h.state.Build = time.Second
		r := do(t, h)
		if names(r.Proved) != "A=1" || len(r.Refuted) != 0 || len(r.Untried) != 1 {
			t.Fatalf("proved %s, refuted %s, untried %+v", names(r.Proved), names(r.Refuted), r.Untried)
		}
		u := r.Untried[0]
		if late && (u.Needs <= 0 || !strings.Contains(u.Why, "no time")) || !late && (u.Needs != 0 || !strings.Contains(u.Why, "could not be built: bolt: llvm-bolt: BOLT-ERROR")) {
			t.Errorf("%+v", u)
		}
		if u.Command == "" {
			t.Error("no way to go on")
		}
	}
}

// A hunt that ends in the middle of any trial goes on to the same end, and measures
// nothing again that was kept.
func TestHuntGoesOn(t *testing.T) {
	gains := map[string]float64{"A=1": 1.3, "B=1": 1.1, "C=1": 1.0, "D=1": 0.8}
	all := []candidate.Candidate{setting("A=1", ""), setting("B=1", ""), setting("C=1", ""), setting("D=1", "")}
	whole := &fake{rng: rand.New(rand.NewPCG(6, 6)), noise: 0.005, gains: gains}
	want := do(t, hunted(t, whole, t.TempDir(), all...))
	for n := 1; n <= len(whole.asked); n++ {
		t.Run(fmt.Sprintf("trial %d", n), func(t *testing.T) {
			dir := t.TempDir()
			ctx, cancel := context.WithCancel(t.Context())
			first := &fake{rng: rand.New(rand.NewPCG(6, 6)), noise: 0.005, gains: gains}
			first.before = func(i int, _ ask) error {
				if i == n {
					cancel()
				}
				return nil
			}
			h := hunted(t, first, dir, all...)
			r, err := h.run(ctx)
			if _, ok := errors.AsType[*InterruptedError](err); !ok || r == nil || r.Finished {
				t.Fatalf("%+v, %v", r, err)
			}
			h.close()
			second := &fake{rng: rand.New(rand.NewPCG(7, 7)), noise: 0.005, gains: gains, now: first.now, run: first.run}
			d, err := keep.Open(dir)
			if err != nil {
				t.Fatal(err)
			}
			again := &hunt{request: h.request, listener: deaf{}, dir: d, bench: second, now: func() time.Time { return second.now }}
			again.mark = again.now()
			if found, err := d.Load(&again.state); err != nil || !found {
				t.Fatal(err)
			}
			got := do(t, again)
			if names(got.Proved) != names(want.Proved) || !slices.Equal(got.Combined.Names, want.Combined.Names) {
				t.Errorf("proved %s, together %q", names(got.Proved), got.Combined.Names)
			}
			if made := len(first.asked) - 1 + len(second.asked); made > len(whole.asked)+1 {
				t.Errorf("%d trials, without the interruption %d", made, len(whole.asked))
			}
			if got.Spent < first.now.Sub(time.Unix(1000, 0)).Seconds() {
				t.Errorf("the time before the interruption is not counted: %v", got.Spent)
			}
		})
	}
}

// The level that is promised, by simulation: of hunts over candidates without any
// effect, hardly more than 5% may call one proved. The same rounds judged by a
// person who looks after every stage, as a race has to, and calls proved what then
// stands apart at 95% would find something in most of them.
func TestFalseWinners(t *testing.T) {
	const hunts, candidates = 60, 12
	wrong, peeking := 0, 0
	for i := range hunts {
		f := &fake{rng: rand.New(rand.NewPCG(uint64(i), 8)), noise: 0.02, gains: map[string]float64{}}
		var cs []candidate.Candidate
		for k := range candidates {
			cs = append(cs, setting(fmt.Sprintf("S%d=1", k), ""))
		}
		h := hunted(t, f, t.TempDir(), cs...)
		seen := map[string]*race.Standing{}
		peeked := false
		f.before = func(int, ask) error {
			for k := range h.state.Race.Standings {
				s := h.state.Race.Standings[k]
				seen[s.Name] = &s
				if i := s.Interval(Level); len(s.Logs) > 0 && i.Low > 1 {
					peeked = true
				}
			}
			return nil
		}
		if r := do(t, h); len(r.Proved) > 0 || r.Combined != nil {
			wrong++
		}
		_ = f.before(0, ask{})
		if peeked {
			peeking++
		}
	}
	// With a chance of 5% each, more than 7 of 60 happen once in a hundred times.
	if wrong > 7 {
		t.Errorf("%d of %d hunts proved something that has no effect", wrong, hunts)
	}
	if peeking < hunts/4 {
		t.Errorf("only %d of %d races would mislead who looks at them: this test shows nothing", peeking, hunts)
	}
	t.Logf("proved: %d, misled by the race itself: %d, of %d hunts", wrong, peeking, hunts)
}
