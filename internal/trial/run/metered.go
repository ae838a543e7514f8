package run

import (
	"context"
	"fmt"
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
	inner, ok := m.Runner.(Interleaver)
	if !ok {
		return nil, fmt.Errorf("%w: the runner has none", ErrAlone)
	}
	all, err := inner.Together(ctx, specs, slice)
	for _, res := range all {
		m.CPU += res.CPU()
	}
	return all, err
}
