package trial

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"whyhot/internal/host/memory"
	"whyhot/internal/trial/run"
)

// Runs that take turns have some forty slices each, of at most longestSlice of CPU time:
// shorter ones cost more than they even out, since each begins with caches that the other
// one filled. What is over sooner than shortestRun has too few of them. On a busy machine,
// or where a program waits, a slice is longer by what it waits for, up to mostWaiting times.
const (
	longestSlice = 20 * time.Millisecond
	slicesOfRun  = 40
	shortestRun  = 100 * time.Millisecond
	mostWaiting  = 5
)

// slice is how long the runs of a round go on before the next one has its turn, 0 where
// they run one after the other.
func (t *trial) slice(arms []*arm) time.Duration {
	if _, can := t.runner.(run.Interleaver); !can || !t.plan.Slices || t.apart != "" || t.plan.Metric != CPU || t.plan.Load != nil {
		return 0
	}
	shortest, needed, waiting := time.Hour, int64(0), 1.0
	for _, a := range arms {
		last := a.first
		if n := len(a.results); n > 0 {
			last = a.results[n-1]
		}
		shortest = min(shortest, last.CPU())
		waiting = max(waiting, float64(last.Wall)/float64(max(1, last.CPU())))
		needed += a.first.PeakRSS
	}
	if shortest < shortestRun {
		return 0
	}
	if free, known := memory.Free(); known && needed > free/2 {
		t.separate("they need %d MiB at the same time, and the machine has %d", needed>>20, free>>20)
		return 0
	}
	return time.Duration(min(waiting, mostWaiting) * float64(min(longestSlice, shortest/slicesOfRun)))
}

// inSlices runs every arm once, in turns. It is not done where that is impossible, or
// changes what they do: then the round is still to come.
func (t *trial) inSlices(ctx context.Context, arms []*arm, order *rand.Rand, slice time.Duration) (done bool, err error) {
	if left, limited := t.cut(); limited && t.slowest*time.Duration(len(arms)) > left {
		t.notef("the last round is not counted: another one of about %s would have ended after the budget of %s", spoken(t.slowest*time.Duration(len(arms))), spoken(t.plan.Budget))
		return false, errLimit
	}
	t.report(Progress{Phase: PhaseRound, Running: "all"})
	specs := make([]run.Spec, len(arms))
	pin := t.pin(arms, order)
	for i, a := range arms {
		specs[i] = t.next(a, order)
		if pin != nil {
			specs[i].Pin = pin
		}
		if !t.cutting {
			specs[i].Timeout *= time.Duration(len(arms))
		}
	}
	all, err := t.runner.(run.Interleaver).Together(ctx, specs, slice)
	if errors.Is(err, run.ErrAlone) {
		t.separate("%s", strings.TrimPrefix(err.Error(), run.ErrAlone.Error()+": "))
		return false, nil
	}
	if err != nil {
		return false, err
	}
	slowest := time.Duration(0)
	for i, a := range arms {
		slowest = max(slowest, all[i].Wall)
		if !t.wasCut(all[i]) && t.disturbs(a, all[i]) {
			return false, nil
		}
	}
	for i, a := range arms {
		if err := t.count(a, all[i]); err != nil {
			return false, err
		}
	}
	t.slowest = slowest
	return true, nil
}

// pin is one processor for all runs of a round, drawn for each round, where none has threads
// beside its first: left alone, each stays on a processor of its own, and one of those may be
// slower for as long as the round takes. nil where they have threads.
func (t *trial) pin(arms []*arm, order *rand.Rand) []int {
	for _, a := range arms {
		if len(a.first.Processes) == 0 || slices.ContainsFunc(a.first.Processes, func(p run.Process) bool { return p.Threads != 1 }) {
			return nil
		}
	}
	allowed := t.plan.Pin
	if len(allowed) == 0 {
		allowed = run.CPUs()
	}
	if len(allowed) == 0 {
		return nil
	}
	return []int{allowed[order.IntN(len(allowed))]}
}

// disturbs says that a run fails or writes something else since another one runs at the
// same time: both write one file, or want one port.
func (t *trial) disturbs(a *arm, res *run.Result) bool {
	switch {
	case t.broken(res):
		t.separate("%s fails while another run goes on (%s)", a.name(), res.End)
	case !t.varies && !equalOutputs(a.first, res):
		t.separate("%s writes something else while another run goes on", a.name())
		t.differed = true
	default:
		return false
	}
	return true
}

// reconsider sees whether a run writes something else although it is alone: then that said
// nothing of the run beside it.
func (t *trial) reconsider(a *arm, res *run.Result) {
	if t.differed && !t.varies && !equalOutputs(a.first, res) {
		t.apart, t.varies = "", true
	}
}

// equalOutputs says that two runs of one arm wrote the same.
func equalOutputs(first, res *run.Result) bool {
	return first.End.Status() == res.End.Status() && slices.Equal(prints(first), prints(res))
}

// separate has runs go one after the other from now on.
func (t *trial) separate(format string, args ...any) {
	t.apart = fmt.Sprintf(format, args...)
}
