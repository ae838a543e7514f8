package pyroscope

import (
	"context"
	"fmt"
	"math"
	"time"

	querierv1 "github.com/grafana/pyroscope/api/gen/proto/go/querier/v1"
	typesv1 "github.com/grafana/pyroscope/api/gen/proto/go/types/v1"

	"whyhot/internal/profile/label"
	"whyhot/internal/profile/where"
	"whyhot/internal/store"
)

// Bounds of a query over time.
const (
	usualPoints = 500
	maxPoints   = 11_000
	maxSeries   = 1000
	// maxOuter is how many values of each but the last of several labels are queried one
	// after the other.
	maxOuter = 50
)

// SelectSeries gives weight over time: of all that is chosen, or of each combination of the
// values of some labels.
func SelectSeries(ctx context.Context, s Store, now time.Time, r *querierv1.SelectSeriesRequest) (*querierv1.SelectSeriesResponse, error) {
	if len(r.GetStackTraceSelector().GetCallSite()) > 0 {
		return nil, unsupported("a stack trace selector for series")
	}
	sel, none, err := chosen(s, r.GetProfileTypeID(), r.GetLabelSelector(), r.GetStart(), r.GetEnd(), now)
	if err != nil || none {
		return &querierv1.SelectSeriesResponse{}, err
	}
	step := time.Duration(r.GetStep() * float64(time.Second))
	if r.GetStep() == 0 {
		step = max(time.Minute, (sel.To.Sub(sel.From) / usualPoints).Round(time.Minute))
	}
	if step < time.Second || math.IsNaN(r.GetStep()) || sel.To.Sub(sel.From)/step > maxPoints {
		return nil, invalid("invalid step %v: must be 1 second or more, and give at most %d points", r.GetStep(), maxPoints)
	}
	q := series{s: s, step: step, average: r.GetAggregation() == typesv1.TimeSeriesAggregationType_TIME_SERIES_AGGREGATION_TYPE_AVERAGE, limit: maxSeries}
	if n := r.GetLimit(); n > 0 && n < maxSeries {
		q.limit = int(n)
	}
	var by []store.Dimension
	for _, name := range r.GetGroupBy() {
		if _, constant := constants[name]; constant {
			q.constants = append(q.constants, &typesv1.LabelPair{Name: name, Value: constants[name]})
			continue
		}
		d, err := dimensionOf(name)
		if err != nil {
			return nil, err
		}
		by = append(by, d)
		q.names = append(q.names, name)
	}
	if err := q.ask(ctx, sel, sel, by, nil); err != nil {
		return nil, err
	}
	return &querierv1.SelectSeriesResponse{Series: q.out}, nil
}

// series is such a query.
type series struct {
	s         Store
	step      time.Duration
	average   bool
	limit     int
	names     []string // of the labels, as the request has them
	constants []*typesv1.LabelPair
	out       []*typesv1.Series
}

// ask narrows the selection to each value of all labels but the last, of which the store
// gives all values at once.
func (q *series) ask(ctx context.Context, whole, sel store.Selection, by []store.Dimension, values []string) error {
	if len(by) < 2 {
		return q.last(ctx, whole, sel, by, values)
	}
	list, err := q.s.Labels(ctx, sel, by[0])
	if err != nil {
		return err
	}
	if len(list) > maxOuter {
		return invalid("the label %s has %d values here; with more than one label to group by, all but the last may have %d: narrow the selector or group by fewer", q.names[len(values)], len(list), maxOuter)
	}
	for _, v := range list {
		narrowed, err := narrow(sel, by[0], v.Value)
		if err != nil {
			return err
		}
		if err := q.ask(ctx, whole, narrowed, by[1:], append(values[:len(values):len(values)], v.Value)); err != nil {
			return err
		}
	}
	return nil
}

func narrow(sel store.Selection, by store.Dimension, value string) (store.Selection, error) {
	text := string(by) + "=" + where.Quote(value)
	if sel.Where != nil {
		text = fmt.Sprintf("(%s) and %s", sel.Where, text)
	}
	e, err := where.Parse(text)
	if err != nil {
		return sel, fmt.Errorf("narrowing a selection to %s: %w", text, err)
	}
	sel.Where = e
	return sel, nil
}

func (q *series) last(ctx context.Context, whole, sel store.Selection, by []store.Dimension, values []string) error {
	var d store.Dimension
	if len(by) == 1 {
		d = by[0]
	}
	t, err := q.s.Timeline(ctx, sel, d, max(time.Minute, q.step.Truncate(time.Minute)), q.limit)
	if err != nil {
		return err
	}
	for i, l := range t.Lines {
		all := values
		if d != "" {
			value := l.Value
			if t.Others > 0 && i == len(t.Lines)-1 {
				value = label.Other
			}
			all = append(values[:len(values):len(values)], value)
		}
		one := &typesv1.Series{Labels: append([]*typesv1.LabelPair{}, q.constants...), Points: q.points(t, l.Weight, whole)}
		for k, value := range all {
			if value != "" {
				one.Labels = append(one.Labels, &typesv1.LabelPair{Name: q.names[k], Value: value})
			}
		}
		if len(one.Points) > 0 {
			q.out = append(q.out, one)
		}
	}
	return nil
}

// points gives a line the steps of the request. A point is the weight of the step before it.
// The store has weights by the minute: what a minute has of a shorter step, or of one that
// begins within it, is in proportion to the time that they share.
func (q *series) points(t *store.Timeline, weight []int64, sel store.Selection) []*typesv1.Point {
	n := int(sel.To.Sub(sel.From)/q.step) + 1
	sums := make([]float64, n)
	for i, w := range weight {
		if w == 0 {
			continue
		}
		from := t.Start.Add(time.Duration(i) * t.Step)
		to := from.Add(t.Step)
		if from.Before(t.Basis.From) { // the first and the last step may be cut
			from = t.Basis.From
		}
		if to.After(t.Basis.To) {
			to = t.Basis.To
		}
		spread(sums, float64(w), from.Sub(sel.From).Seconds()/q.step.Seconds(), to.Sub(sel.From).Seconds()/q.step.Seconds())
	}
	var out []*typesv1.Point
	for i, v := range sums {
		if q.average {
			v /= max(1, q.step.Minutes())
		}
		if v > 0 {
			out = append(out, &typesv1.Point{Timestamp: sel.From.Add(time.Duration(i) * q.step).UnixMilli(), Value: v})
		}
	}
	return out
}

// spread adds a weight between two places to the steps that end there: step i is the time from
// i-1 to i. What lies before the first or after the last goes to these, so that the sum stays.
func spread(sums []float64, weight, from, to float64) {
	last := float64(len(sums) - 1)
	for at := from; at < to; {
		end := math.Floor(at) + 1
		sums[int(min(max(end, 0), last))] += weight * (min(end, to) - at) / (to - from)
		at = end
	}
}
