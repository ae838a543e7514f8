package trial

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"whyhot/internal/host/ending"
	"whyhot/internal/trial/run"
)

// interleaving is a fake that can run commands in turns of a slice.
type interleaving struct {
	*fake

	together int // rounds
	slice    time.Duration
	fail     error
	beside   func(res *run.Result, n int) // changes what a run does because another goes on
}

func (f *interleaving) Together(ctx context.Context, specs []run.Spec, slice time.Duration) ([]*run.Result, error) {
	if f.fail != nil {
		return nil, f.fail
	}
	f.together++
	f.slice = slice
	all := make([]*run.Result, len(specs))
	for i, s := range specs {
		res, err := f.Run(ctx, s)
		if err != nil {
			return nil, err
		}
		if f.beside != nil {
			f.beside(res, f.together)
		}
		all[i] = res
	}
	return all, nil
}

func inTurns(ms int) *interleaving {
	var f *fake
	f = newFake(func(string, int) (*run.Result, error) {
		return result(f.noisy(time.Duration(ms) * time.Millisecond)), nil
	})
	return &interleaving{fake: f}
}

func (f *interleaving) try(t *testing.T, change func(*Plan)) *Outcome {
	t.Helper()
	p := planOf("a")
	p.Metric, p.Slices, p.Rounds = CPU, true, 10
	if change != nil {
		change(&p)
	}
	o, err := Run(t.Context(), p, f, f, nil)
	if err != nil {
		t.Fatal(err)
	}
	return o
}

func notes(o *Outcome) string { return strings.Join(o.Notes, "\n") }

func TestRoundsInSlices(t *testing.T) {
	f := inTurns(1000)
	o := f.try(t, nil)
	if f.together != 10 || o.Rounds != 10 || f.slice != longestSlice {
		t.Errorf("%d of %d rounds in slices of %s", f.together, o.Rounds, f.slice)
	}
	if strings.Contains(notes(o), "one after the other") {
		t.Error(notes(o))
	}
}

func TestRoundsThatAreNotSliced(t *testing.T) {
	for name, c := range map[string]struct {
		ms     int
		change func(*Plan)
	}{
		"not asked":  {1000, func(p *Plan) { p.Slices = false }},
		"wall time":  {1000, func(p *Plan) { p.Metric = Wall }},
		"short runs": {20, nil},
	} {
		f := inTurns(c.ms)
		if o := f.try(t, c.change); f.together != 0 || o.Rounds != 10 {
			t.Errorf("%s: %d of %d rounds in slices", name, f.together, o.Rounds)
		}
	}
}

func TestSlicesGiveWay(t *testing.T) {
	for name, c := range map[string]struct {
		fail   error
		beside func(*run.Result, int)
		says   string
	}{
		"no right": {fmt.Errorf("%w: this user may not mount", run.ErrAlone), nil, "this user may not mount"},
		"a port is taken": {nil, func(res *run.Result, _ int) { res.End = ending.Ending{Code: 1} },
			"fails while another run goes on"},
		"a file has two writers": {nil, func(res *run.Result, _ int) { res.Stdout = output(run.Stdout, "torn") },
			"writes something else while another run goes on"},
	} {
		f := inTurns(1000)
		f.fail, f.beside = c.fail, c.beside
		o := f.try(t, nil)
		if o.Rounds != 10 || f.together > 1 || !strings.Contains(notes(o), c.says) || o.Variants[0].Verdict == Failed {
			t.Errorf("%s: %d rounds, %d in slices, %s: %s", name, o.Rounds, f.together, o.Variants[0].Verdict, notes(o))
		}
	}
}

// A program that writes the time writes something else in every run, alone or not.
func TestSlicesWithOutputsThatVary(t *testing.T) {
	n := 0
	var f *fake
	f = newFake(func(string, int) (*run.Result, error) {
		res := result(f.noisy(time.Second))
		n++
		res.Stdout = output(run.Stdout, fmt.Sprint(n))
		return res, nil
	})
	i := &interleaving{fake: f}
	o := i.try(t, nil)
	if i.together < 9 || strings.Contains(notes(o), "one after the other") {
		t.Errorf("%d of %d rounds in slices: %s", i.together, o.Rounds, notes(o))
	}
}

// What waits for a processor half of the time has slices twice as long.
func TestSlicesOfABusyMachine(t *testing.T) {
	f := newFake(func(string, int) (*run.Result, error) {
		res := result(time.Second)
		res.Wall = 3 * time.Second
		return res, nil
	})
	i := &interleaving{fake: f}
	i.try(t, nil)
	if i.slice != 3*longestSlice {
		t.Errorf("slices of %s", i.slice)
	}
}

// A round in slices takes the time of both runs: the budget ends before it.
func TestSlicesKeepTheBudget(t *testing.T) {
	f := inTurns(1000)
	o := f.try(t, func(p *Plan) {
		p.Rounds, p.Budget = 0, 21*time.Second
		p.Enough = func([]float64, []float64) bool { return false }
	})
	if took := f.now.Sub(time.Unix(1000, 0)); took > 22*time.Second || o.Rounds < 8 {
		t.Errorf("%d rounds in %s", o.Rounds, took)
	}
}

// Programs without threads share one processor in a round, and another one may be theirs in the
// next. Programs with threads keep all.
func TestSlicesShareAProcessor(t *testing.T) {
	for threads, wantPins := range map[int]bool{1: true, 4: false} {
		var f *fake
		f = newFake(func(string, int) (*run.Result, error) {
			res := result(f.noisy(time.Second))
			res.Processes = []run.Process{{PID: 7, Threads: threads}}
			return res, nil
		})
		i := &interleaving{fake: f}
		i.try(t, func(p *Plan) { p.Pin = []int{3, 5} })
		seen := map[int]bool{}
		for n := 2; n+1 < len(f.specs); n += 2 { // behind the two warm-ups
			a, b := f.specs[n].Pin, f.specs[n+1].Pin
			if wantPins && (len(a) != 1 || len(b) != 1 || a[0] != b[0]) || !wantPins && len(a) != 2 {
				t.Fatalf("%d threads: on %v and %v", threads, a, b)
			}
			seen[a[0]] = true
		}
		if wantPins && len(seen) != 2 {
			t.Errorf("all rounds on %v", seen)
		}
	}
}
