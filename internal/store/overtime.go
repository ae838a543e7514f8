package store

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"time"

	"whyhot/internal/store/dict"
	"whyhot/internal/store/engine"
)

// shortRange is how long a range may be, in minutes, for minutes to be read where hours
// would do.
const shortRange = 6 * minutesHour

// Labels gives the values of a dimension, the heaviest first. Ranges of more than six
// hours are rounded outwards to hours.
func (s *Store) Labels(ctx context.Context, sel Selection, by Dimension) ([]LabelValue, error) {
	if err := checkDimension(by); err != nil {
		return nil, err
	}
	tables := s.dict.Snapshot()
	c, err := s.choose(&sel, &tables)
	if err != nil {
		return nil, err
	}
	q := c.overTime(by.column())
	if q.Table == engine.Activity { // no more than some 24 steps
		q.Step = max(q.Step, (c.to-c.from)/24/minutesHour*minutesHour)
	}
	sums, err := s.ask(ctx, q)
	if err != nil {
		return nil, err
	}
	rows := map[string]*LabelValue{}
	for i, minute := range sums.Keys[0] {
		value := dimension(&tables, by, sums.Keys[1][i])
		row := rows[value]
		first, last := at(max(minute, q.From)), at(min(minute+q.Step, q.To))
		if row == nil {
			row = &LabelValue{Value: value, First: first, Last: last}
			rows[value] = row
		}
		row.Count += sums.Counts[i]
		row.Weight += sums.Values[i]
		if first.Before(row.First) {
			row.First = first
		}
		if last.After(row.Last) {
			row.Last = last
		}
	}
	out := make([]LabelValue, 0, len(rows))
	for _, row := range rows {
		out = append(out, *row)
	}
	slices.SortFunc(out, func(a, b LabelValue) int {
		return cmp.Or(cmp.Compare(b.Weight, a.Weight), cmp.Compare(a.Value, b.Value))
	})
	return out, nil
}

// overTime asks for sums by the minute, or by the hour where the range is long, and by
// other columns.
func (c *chosen) overTime(by ...string) engine.Query {
	q := engine.Query{Table: engine.Samples, From: c.from, To: c.to, Groups: c.groups, Series: c.series, By: append([]string{engine.ColMinute}, by...), Step: 1}
	if c.to-c.from > shortRange {
		q.Table, q.Step = engine.Activity, minutesHour
		q.From, q.To = c.hours()
	}
	return q
}

// hours is the range rounded outwards to hours.
func (c *chosen) hours() (from, to uint32) {
	return c.from - c.from%minutesHour, c.to + (minutesHour-c.to%minutesHour)%minutesHour
}

// maxSteps bounds a time line.
const maxSteps = 20_000

// Timeline gives weight over time in steps of whole minutes, for one line or one for
// each value of a dimension; of these the heaviest, and the others as one. Steps begin
// at multiples of their length. A step of an hour or more is answered from sums by the
// hour.
func (s *Store) Timeline(ctx context.Context, sel Selection, by Dimension, step time.Duration, lines int) (*Timeline, error) {
	if by != "" {
		if err := checkDimension(by); err != nil {
			return nil, err
		}
	}
	tables := s.dict.Snapshot()
	c, err := s.choose(&sel, &tables)
	if err != nil {
		return nil, err
	}
	minutes := uint32(step / time.Minute)
	switch {
	case minutes == 0 || step%time.Minute != 0:
		return nil, fmt.Errorf("a step of %s: it must be whole minutes", step)
	case (c.to-c.from)/minutes > maxSteps:
		return nil, fmt.Errorf("%w: %d steps; %d at most", ErrTooLarge, (c.to-c.from)/minutes, maxSteps)
	}
	q := engine.Query{Table: engine.Samples, From: c.from, To: c.to, Groups: c.groups, Series: c.series, By: []string{engine.ColMinute}, Step: minutes}
	if minutes%minutesHour == 0 {
		q.Table = engine.Activity
		q.From, q.To = c.hours()
	}
	if by != "" {
		q.By = append(q.By, by.column())
	}
	sums, err := s.ask(ctx, q)
	if err != nil {
		return nil, err
	}
	first := q.From - q.From%minutes
	t := &Timeline{
		Basis: Basis{From: at(q.From), To: at(q.To), Unit: unit}, By: by, Start: at(first), Step: step,
		Steps: int((q.To - first + minutes - 1) / minutes),
	}
	t.fill(sums, &tables, first, minutes)
	t.fold(lines)
	return t, nil
}

func (t *Timeline) fill(sums *engine.Sums, tables *dict.Snapshot, first, minutes uint32) {
	rows := map[string]int{}
	for i, m := range sums.Keys[0] {
		value := ""
		if t.By != "" {
			value = dimension(tables, t.By, sums.Keys[1][i])
		}
		row, ok := rows[value]
		if !ok {
			row = len(t.Lines)
			rows[value] = row
			t.Lines = append(t.Lines, TimelineLine{Value: value, Weight: make([]int64, t.Steps)})
		}
		t.Lines[row].Weight[(m-first)/minutes] += sums.Values[i]
		t.Basis.Count += sums.Counts[i]
		t.Basis.Value += sums.Values[i]
	}
	t.Basis.Read = t.Basis.Count
}

// fold puts all but the heaviest lines into one.
func (t *Timeline) fold(lines int) {
	total := func(l *TimelineLine) (sum int64) {
		for _, w := range l.Weight {
			sum += w
		}
		return sum
	}
	slices.SortFunc(t.Lines, func(a, b TimelineLine) int {
		return cmp.Or(cmp.Compare(total(&b), total(&a)), cmp.Compare(a.Value, b.Value))
	})
	if lines <= 0 {
		lines = math.MaxInt
	}
	if len(t.Lines) <= lines {
		return
	}
	others := TimelineLine{Weight: make([]int64, t.Steps)}
	for _, l := range t.Lines[lines:] {
		for i, w := range l.Weight {
			others.Weight[i] += w
		}
	}
	t.Others = len(t.Lines) - lines
	t.Lines = append(t.Lines[:lines:lines], others)
}
