//go:build linux

package run

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"syscall"
	"time"
)

// Interleaver is a Runner that can also run several commands in turns of a slice of time.
type Interleaver interface {
	Runner

	// Together runs the specs in slices: each process group goes on for one and is stopped
	// while the others have theirs. What the machine does for longer than a slice then
	// meets all of them alike. Results are in the order of the specs; the wall time of each
	// is that of its own slices, and a timeout holds for all that passes. Each name of an
	// output has been written by an earlier Run. An error that is ErrAlone says that these
	// have to run one at a time.
	Together(ctx context.Context, specs []Spec, slice time.Duration) ([]*Result, error)
}

// ErrAlone says that commands cannot run in slices beside each other.
var ErrAlone = errors.New("not in slices of time")

// Together runs specs in slices where a runner can.
func Together(ctx context.Context, r Runner, specs []Spec, slice time.Duration) ([]*Result, error) {
	i, ok := r.(Interleaver)
	if !ok {
		return nil, fmt.Errorf("%w: the runner has none", ErrAlone)
	}
	return i.Together(ctx, specs, slice)
}

// Together implements Interleaver. Its method is that of paired measurements in small
// blocks: a run of a second has fifty slices of 20 ms, and what changes the machine's speed
// for longer (other tenants, temperature, a build beside) slows both sides down by as much.
func (l *Local) Together(ctx context.Context, specs []Spec, slice time.Duration) ([]*Result, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if _, known := l.refs.byName[Stdout]; !known {
		return nil, fmt.Errorf("%w: no output is known to compare theirs with", ErrAlone)
	}
	var all turns
	started := make([]*pending, len(specs))
	for i := range specs {
		specs[i].turn = all.add()
		p, err := l.begin(specs[i])
		if err != nil {
			return nil, err
		}
		started[i] = p
	}
	results, errs := make([]*Result, len(specs)), make([]error, len(specs))
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var wg sync.WaitGroup
	for i, p := range started {
		wg.Go(func() {
			defer specs[i].turn.leave()
			if results[i], errs[i] = execute(ctx, specs[i], p.stdout); errs[i] != nil {
				cancel() // the others have nothing to be compared with
			}
		})
		<-specs[i].turn.joined // one after the other, so that each is stopped at its beginning
	}
	all.take(slice)
	wg.Wait()
	escaped := endStrays()
	if err := firstCause(errs); errors.Is(err, errMount) {
		return nil, fmt.Errorf("%w: %w", ErrAlone, err)
	} else if err != nil {
		return nil, err
	}
	if slices.ContainsFunc(results, (*Result).mayNotMount) {
		return nil, fmt.Errorf("%w: %w", ErrAlone, errMount)
	}
	if escaped {
		return nil, fmt.Errorf("%w: they leave processes behind in sessions of their own, whose CPU time is nobody's", ErrAlone)
	}
	for i, p := range started {
		results[i].Wall = specs[i].turn.had
		if err := l.finish(ctx, specs[i], p, results[i]); err != nil {
			return nil, err
		}
	}
	return results, nil
}

// firstCause is the error that made the others end.
func firstCause(errs []error) error {
	var cancelled error
	for _, err := range errs {
		switch {
		case errors.Is(err, context.Canceled):
			cancelled = err
		case err != nil:
			return err
		}
	}
	return cancelled
}

// endStrays ends and reaps what the commands left in sessions of their own, and says
// whether there was any.
func endStrays() bool {
	strays := children()
	for _, c := range strays {
		_ = syscall.Kill(c, syscall.SIGKILL)
	}
	for end := time.Now().Add(killGrace); len(children()) > 0 && time.Now().Before(end); time.Sleep(2 * time.Millisecond) {
		var l leftovers
		l.reap(0)
	}
	return len(strays) > 0
}

// turns are those of the processes that run in slices.
type turns struct{ of []*turn }

// turn is the part of one of them. Of a run that is alone it is nil.
type turn struct {
	joined chan struct{} // it has started and stands still, or cannot start
	over   chan struct{}
	had    time.Duration // of all its slices; read it once all are over

	start, end sync.Once // close them

	mu    sync.Mutex
	group int // 0 before the start, and at the end
}

func (ts *turns) add() *turn {
	t := &turn{joined: make(chan struct{}), over: make(chan struct{})}
	ts.of = append(ts.of, t)
	return t
}

// join stops a process that has just started.
func (t *turn) join(pid int) {
	if t == nil {
		return
	}
	t.mu.Lock()
	t.group = pid
	t.mu.Unlock()
	t.signal(syscall.SIGSTOP)
	t.start.Do(func() { close(t.joined) })
}

// gone says that the process was waited for: its number may be another's soon.
func (t *turn) gone() {
	if t == nil {
		return
	}
	t.mu.Lock()
	t.group = 0
	t.mu.Unlock()
	t.end.Do(func() { close(t.over) })
}

// leave says that nothing of the run is to come.
func (t *turn) leave() {
	t.start.Do(func() { close(t.joined) })
	t.gone()
}

func (t *turn) isOver() bool {
	select {
	case <-t.over:
		return true
	default:
		return false
	}
}

func (t *turn) signal(s syscall.Signal) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.group != 0 {
		_ = syscall.Kill(-t.group, s)
	}
}

// take gives each its slices until all are over. The last one goes on without stopping.
func (ts *turns) take(slice time.Duration) {
	timer := time.NewTimer(slice)
	defer timer.Stop()
	for left := slices.Clone(ts.of); len(left) > 0; left = slices.DeleteFunc(left, (*turn).isOver) {
		for _, t := range left {
			if t.isOver() {
				continue
			}
			begin := time.Now()
			t.signal(syscall.SIGCONT)
			var end <-chan time.Time
			if len(left) > 1 {
				timer.Reset(slice)
				end = timer.C
			}
			select {
			case <-t.over:
			case <-end:
				t.signal(syscall.SIGSTOP)
			}
			t.had += time.Since(begin)
		}
	}
}
