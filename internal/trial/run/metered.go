package run

import (
	"context"
	"time"
)

// Metered is a Runner that adds up what its runs took, to tell it from what else
// the machine did.
type Metered struct {
	Runner

	CPU time.Duration
}

// Run implements Runner.
func (m *Metered) Run(ctx context.Context, spec Spec) (*Result, error) {
	res, err := m.Runner.Run(ctx, spec)
	if res != nil {
		m.CPU += res.CPU()
	}
	return res, err
}

// Together implements Interleaver where the runner within does.
func (m *Metered) Together(ctx context.Context, specs []Spec, slice time.Duration) ([]*Result, error) {
	all, err := Together(ctx, m.Runner, specs, slice)
	for _, res := range all {
		m.CPU += res.CPU()
	}
	return all, err
}
