package trial

import (
	"fmt"

	"whyhot/internal/trial/run"
)

// Reader reads what decides off single runs, for those who make the rounds themselves.
type Reader struct{ plan Plan }

// Reader is that of a choice; byDefault decides where nothing is chosen.
func (c MetricChoice) Reader(byDefault Metric) (*Reader, error) {
	if !c.Given() {
		c.Name = string(byDefault)
	}
	r := &Reader{}
	if err := c.Apply(&r.plan); err != nil {
		return nil, err
	}
	return r, nil
}

// Wrap puts around a runner what it takes to measure.
func (r *Reader) Wrap(inner run.Runner) run.Runner { return r.plan.instrument(inner) }

// Metric is what decides.
func (r *Reader) Metric() Metric { return r.plan.Metric }

// HigherIsBetter says which way it counts.
func (r *Reader) HigherIsBetter() bool { return r.plan.higherIsBetter(r.plan.Metric) }

// Value is that of a run, which has ended well.
func (r *Reader) Value(of *run.Result) (float64, error) {
	v, ok := r.plan.Metric.value(of)
	if ok {
		return v, nil
	}
	if err := r.plan.unmeasured(of); err != nil {
		return 0, err
	}
	return 0, fmt.Errorf("the run has no %s", r.plan.Metric)
}
