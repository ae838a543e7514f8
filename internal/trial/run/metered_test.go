package run

import (
	"context"
	"errors"
	"testing"
	"time"
)

// told gives its results one by one; nil is an error.
type told struct{ results []*Result }

func (r *told) Run(context.Context, Spec) (*Result, error) {
	res := r.results[0]
	r.results = r.results[1:]
	if res == nil {
		return nil, errors.New("not started")
	}
	return res, nil
}

func TestMeteredAddsUp(t *testing.T) {
	m := &Metered{Runner: &told{[]*Result{{User: time.Second, System: 2 * time.Second}, nil, {User: 4 * time.Second}}}}
	for i := range 3 {
		if _, err := m.Run(t.Context(), Spec{}); (err != nil) != (i == 1) {
			t.Errorf("run %d: %v", i, err)
		}
	}
	if m.CPU != 7*time.Second {
		t.Errorf("the runs took %v", m.CPU)
	}
}
