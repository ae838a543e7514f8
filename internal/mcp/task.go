package mcp

import (
	"context"
	"fmt"
	"sync"
	"time"

	"whyhot/internal/trial"
	"whyhot/internal/trial/rebuild"
	"whyhot/internal/trial/referee"
)

// task is a trial under way. It is the listener of its trial.
type task struct {
	id      string
	handle  *handle
	allowed time.Duration // the longest budget of a measurement
	cancel  context.CancelFunc
	done    chan struct{}

	mu        sync.Mutex
	began     time.Time
	doing     string
	fraction  float64
	rounds    int
	soFar     *ratio // until now, nil where none is known
	foreseen  string // what will come of it, "" for nothing
	ruling    *referee.Ruling
	statement string
	err       error
}

func (t *task) isDone() bool {
	select {
	case <-t.done:
		return true
	default:
		return false
	}
}

// Building is of experiment.Listener, as the next three.
func (t *task) Building(s rebuild.Step) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.doing = fmt.Sprintf("%s of %s", s.What, s.Name)
}

// Benchmark is not called for one command.
func (*task) Benchmark(string, int, int) {}

// Remark is left out: an answer says what a trial came to.
func (*task) Remark(string) {}

// Measuring comes before each run.
func (t *task) Measuring(p trial.Progress) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if p.Phase == trial.PhaseRemark {
		t.foreseen = p.Remark
		return
	}
	t.doing, t.fraction, t.rounds = "measuring", p.Fraction, p.Round
	if len(p.Standings) > 0 {
		s := p.Standings[0]
		t.soFar = &ratio{rounded(s.Ratio), rounded(s.Low), rounded(s.High)}
	}
}

// start runs something as a task. Nothing else runs beside it.
func (s *Server) start(h *handle, run func(ctx context.Context, t *task) (*referee.Ruling, string, error)) (*task, error) {
	s.mu.Lock()
	for _, t := range s.tasks {
		if !t.isDone() {
			s.mu.Unlock()
			return nil, s.busy()
		}
	}
	// It outlives the call that starts it.
	ctx, cancel := context.WithCancel(context.Background())
	t := &task{id: s.id("t"), handle: h, allowed: s.o.Rules.Budget, cancel: cancel, done: make(chan struct{}), began: time.Now(), doing: "waiting for other calls to end"}
	s.tasks[t.id] = t
	s.mu.Unlock()
	go func() {
		defer close(t.done)
		defer cancel()
		s.running.Lock()
		defer s.running.Unlock()
		ruling, statement, err := run(ctx, t)
		t.mu.Lock()
		defer t.mu.Unlock()
		t.ruling, t.statement, t.err = ruling, statement, err
		if ctx.Err() != nil && ruling == nil {
			t.err = wrong("cancelled", "start again with profile", fmt.Sprintf(`{"profile": %q}`, h.id))
		}
	}()
	return t, nil
}

// wait gives a task time to end.
func (t *task) wait(ctx context.Context, most time.Duration) {
	timer := time.NewTimer(most)
	defer timer.Stop()
	select {
	case <-t.done:
	case <-timer.C:
	case <-ctx.Done():
	}
}
