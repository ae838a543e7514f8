package store

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"time"

	"golang.org/x/sync/errgroup"

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
	return steady(func() ([]LabelValue, error) { return s.labels(ctx, &sel, by) })
}

func (s *Store) labels(ctx context.Context, sel *Selection, by Dimension) ([]LabelValue, error) {
	tables := s.dict.Snapshot()
	c, err := s.choose(sel, &tables)
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
	if tables, err = s.since(&tables); err != nil {
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
	return steady(func() (*Timeline, error) { return s.timeline(ctx, &sel, by, step, lines) })
}

func (s *Store) timeline(ctx context.Context, sel *Selection, by Dimension, step time.Duration, lines int) (*Timeline, error) {
	tables := s.dict.Snapshot()
	c, err := s.choose(sel, &tables)
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
	each := 1
	if by != "" {
		q.By = append(q.By, by.column())
		each = len(tables.GroupNumbers)
		if by.column() == engine.ColSeries {
			each = len(tables.SeriesNumbers)
		}
	}
	sums, err := s.askByDay(ctx, q, each)
	if err != nil {
		return nil, err
	}
	if tables, err = s.since(&tables); err != nil {
		return nil, err
	}
	first := q.From - q.From%minutes
	t := &Timeline{
		Basis: Basis{From: at(q.From), To: at(q.To), Covered: s.coveredIn(q.From, q.To), Unit: unit}, By: by, Start: at(first), Step: step,
		Steps: int((q.To - first + minutes - 1) / minutes),
	}
	t.fill(sums, &tables, first, minutes)
	t.fold(lines)
	return t, nil
}

// Bounds of askByDay: of the rows of a day, which are kept, and of how many days there may be.
const (
	sharedRows = 500_000
	sharedDays = 8
)

// askByDay answers a question about minutes of samples, with up to so many rows for each.
// One about everything over many hours is put by whole days, and what was asked for is cut
// out of the answers, in which a step may occur several times: rows of a day are in order of
// groups and series, so that some hours of it take as long to read as all of them, and
// whoever asks next, about a range that ends a minute later, finds the days read.
func (s *Store) askByDay(ctx context.Context, q engine.Query, each int) (*engine.Sums, error) {
	const day = engine.MinutesPerDay
	first := q.From - q.From%day
	days := (q.To - first + day - 1) / day
	if q.Table != engine.Samples || q.Groups != nil || q.Series != nil || q.To-q.From <= shortRange || days > sharedDays || each*day > sharedRows {
		return s.ask(ctx, q)
	}
	whole := make([]*engine.Sums, days)
	group, ctx := errgroup.WithContext(ctx)
	for i := range days {
		one := q
		one.From, one.To, one.Step = first+i*day, first+(i+1)*day, 1
		group.Go(func() (err error) {
			whole[i], err = s.ask(ctx, one)
			return err
		})
	}
	if err := group.Wait(); err != nil {
		return nil, err
	}
	out := &engine.Sums{Keys: make([][]uint32, len(q.By))}
	for _, sums := range whole {
		for i, m := range sums.Keys[0] {
			if m < q.From || m >= q.To {
				continue
			}
			out.Keys[0] = append(out.Keys[0], m-m%q.Step)
			for k := 1; k < len(q.By); k++ {
				out.Keys[k] = append(out.Keys[k], sums.Keys[k][i])
			}
			out.Counts = append(out.Counts, sums.Counts[i])
			out.Values = append(out.Values, sums.Values[i])
		}
	}
	return out, nil
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
