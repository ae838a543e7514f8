package alert

import (
	"context"
	"math"
	"time"

	"whyhot/internal/finding"
	"whyhot/internal/store"
)

// Store is what is measured.
type Store interface {
	Top(ctx context.Context, s store.Selection, o store.TopOptions) (*store.Top, error)
	Timeline(ctx context.Context, s store.Selection, by store.Dimension, step time.Duration, lines int) (*store.Timeline, error)
}

// Cost is what a selection costs in one time.
type Cost struct {
	Time       time.Time `json:"time"` // its end
	Share      float64   `json:"share"`
	Error      float64   `json:"error"` // half of the share's 95 % interval
	Cores      float64   `json:"cores"`
	CoresError float64   `json:"cores_error"`
	Samples    int64     `json:"samples"` // of what the share is of
	Chosen     int64     `json:"chosen"`  // of what the rule chooses, with any function
}

// z is half the width of a 95 % interval in standard deviations.
const z = 1.9600

// measure gives what a rule's selection costs in the time before an end.
func (r *Rule) measure(ctx context.Context, s Store, to time.Time) (Cost, error) {
	all := store.Selection{From: to.Add(-r.over), To: to, Exact: true}
	chosen := all
	chosen.Service, chosen.Where = r.Services, r.where
	c := Cost{Time: to.UTC()}
	var part, whole store.Basis
	var value int64
	if r.function != nil {
		t, err := s.Top(ctx, chosen, store.TopOptions{Total: true, Limit: 1, Match: r.function})
		if err != nil {
			return c, err
		}
		part, whole, value = t.Basis, t.Basis, t.MatchedTotal
	} else {
		step := max(time.Minute, r.over.Truncate(time.Minute))
		t, err := s.Timeline(ctx, chosen, "", step, 1)
		if err != nil {
			return c, err
		}
		part, value = t.Basis, t.Basis.Value
		if t, err = s.Timeline(ctx, all, "", step, 1); err != nil {
			return c, err
		}
		whole = t.Basis
	}
	c.Samples, c.Chosen = whole.Read, part.Read
	if whole.Value > 0 {
		c.Share = float64(value) / float64(whole.Value)
		c.Error = finding.ShareError(c.Share, whole.Read)
	}
	if part.Covered > 0 {
		c.Cores = float64(value) / float64(part.Covered)
	}
	if c.Share > 0 && whole.Read > 0 {
		// A count of events has the error of a Poisson distribution.
		c.CoresError = z * c.Cores / math.Sqrt(c.Share*float64(whole.Read))
	}
	return c, nil
}

// widen makes the half of a 95 % interval that of a 99.9 % one, as in what is told of
// findings: the same selection is measured again and again.
const widen = 3.2905 / z

// judge says whether a cost is beyond the limit by more than its error, and whether it is
// within the limit. Between the two a rule stays as it is, so that noise does not make it
// fire and end in turns.
func (r *Rule) judge(now Cost, before *Cost) (beyond, within bool) {
	value, err, limit := now.Share, now.Error, r.ShareAbove
	if r.ofCores() {
		value, err, limit = now.Cores, now.CoresError, r.CoresAbove
	}
	if !r.changes() {
		return value-err > limit, value <= limit
	}
	if before == nil || before.Samples == 0 || now.Samples == 0 {
		return false, true
	}
	was, wasError, limit := before.Share, before.Error, r.ShareChanged
	if r.ofCores() {
		was, wasError, limit = before.Cores, before.CoresError, r.CoresChanged
	}
	change := math.Abs(value - was)
	return change > limit*was && change > widen*math.Hypot(err, wasError), change <= limit*was
}
