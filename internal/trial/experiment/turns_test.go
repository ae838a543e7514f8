package experiment

import (
	"context"
	"testing"
	"time"

	"whyhot/internal/trial/run"
)

// inTurns is a machine that can let runs take turns.
type inTurns struct {
	*fake

	together int
}

func (f *inTurns) Together(ctx context.Context, specs []run.Spec, _ time.Duration) ([]*run.Result, error) {
	f.together++
	out := make([]*run.Result, len(specs))
	for i, s := range specs {
		var err error
		if out[i], err = f.Run(ctx, s); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// Runs take turns of a slice where CPU time decides and each has a directory of its own: what
// they write to files must not meet.
func TestRunsTakeTurnsInDirectoriesOfTheirOwn(t *testing.T) {
	for _, c := range []struct {
		name, metric string
		own          bool
		want         int
	}{
		{"CPU time, directories of their own", "cpu", true, 10},
		{"CPU time, one directory", "cpu", false, 0},
		{"wall time", "wall", true, 0},
	} {
		f := &inTurns{fake: faster()}
		m := f.machine()
		m.runner = func() (run.Runner, func(), error) { return f, func() {}, nil }
		r := Request{Terms: terms(), Command: []string{"true"}}
		r.Metric.Name = c.metric
		if c.own {
			r.Places = []string{"baseline=" + t.TempDir(), "FAST=1=" + t.TempDir()}
		}
		got, err := runOn(t.Context(), m, r, nil)
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		if f.together != c.want || got.Outcome.Rounds != 10 {
			t.Errorf("%s: %d of %d rounds in turns, want %d", c.name, f.together, got.Outcome.Rounds, c.want)
		}
	}
}
