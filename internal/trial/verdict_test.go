package trial

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"whyhot/internal/trial/run"
)

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

func TestWords(t *testing.T) {
	for got, want := range map[string]string{
		(&Plan{Metric: Wall}).scale().change(1.25): "20% less time",
		(&Plan{Metric: Wall}).scale().change(0.8):  "25% more time",
		(&Plan{Metric: Faults}).scale().change(2):  "50% fewer page faults",
		(&Plan{Metric: Wall}).scale().side(1.25):   "−20%",
		(&Plan{Metric: Wall}).scale().side(0.99):   "+1%",
		roundUp(12 * time.Second):                  "20s",
		roundUp(55 * time.Second):                  "1m",
		roundUp(61 * time.Second):                  "2m",
		lastLine("a\nb\n\n"):                       "b",
	} {
		if got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

func TestWarmUpThatIsNotOverIsNoted(t *testing.T) {
	for _, c := range []struct {
		slow string // the arm whose first measured run takes longer
		want bool
	}{{"both", true}, {baselineName, false}} {
		f := newFake(nil)
		f.each = func(arm string, n int) (*run.Result, error) {
			d := time.Second
			if n == 1 && (c.slow == "both" || arm == c.slow) {
				d = 1300 * time.Millisecond
			}
			return result(f.noisy(d)), nil
		}
		o := do(t, f, planOf("a"))
		if got := strings.Contains(strings.Join(o.Notes, "\n"), "--warm-up 2"); got != c.want {
			t.Errorf("%s: notes %q", c.slow, o.Notes)
		}
	}
}
