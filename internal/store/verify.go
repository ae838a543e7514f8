package store

import (
	"context"
	"errors"
	"fmt"
	"math"

	"whyhot/internal/store/dict"
	"whyhot/internal/store/engine"
)

// Verified is what Verify found.
type Verified struct {
	Rows           int64 // of all tables
	Days           int   // that have rows
	Stacks, Series int
	// Problems say what does not fit together, one line each; at most maxProblems.
	Problems []string
}

// maxProblems bounds what is told: where all is wrong the first lines say so.
const maxProblems = 100

// Verify reads all rows and says what does not fit together. That the dictionary's tables
// lead somewhere, and that the journal can be read, was seen when the store was opened.
//
//   - each row has a stack, a series and a group that the dictionary has, and its series is
//     of its group
//   - rows by the hour, with stacks and without, add up to the same for each group
//   - rows by the minute are at most as many: they are removed earlier
func (s *Store) Verify(ctx context.Context) (*Verified, error) {
	if err := s.Flush(ctx); err != nil {
		return nil, err
	}
	s.ageing.mu.Lock()
	defer s.ageing.mu.Unlock()
	s.applying.Lock()
	defer s.applying.Unlock()
	tables, err := s.engine.Stats(ctx)
	if err != nil {
		return nil, fmt.Errorf("store: %w", err)
	}
	d := s.dict.Snapshot()
	v := &verifier{dict: &d, series: map[uint32]bool{}, out: &Verified{Stacks: s.dict.Sizes().Stacks, Series: s.dict.Sizes().Series}}
	for _, i := range d.SeriesNumbers {
		v.series[i] = true
	}
	first, last := uint32(math.MaxUint32), uint32(0)
	for _, t := range tables {
		v.out.Rows += t.Rows
		if t.Rows > 0 && t.Last > 0 && t.Table != engine.Batches.Name {
			first, last = min(first, t.First/engine.MinutesPerDay), max(last, t.Last/engine.MinutesPerDay)
		}
	}
	for day := first; day <= last && len(v.out.Problems) < maxProblems; day++ {
		if err := v.day(ctx, s, day); err != nil && !errors.Is(err, errEnough) {
			return nil, err
		}
	}
	return v.out, nil
}

// verifier holds the rows of a day against the dictionary, and tables against each other.
type verifier struct {
	dict   *dict.Snapshot
	series map[uint32]bool
	out    *Verified
}

var errEnough = errors.New("there are problems enough")

func (v *verifier) wrong(format string, args ...any) error {
	v.out.Problems = append(v.out.Problems, fmt.Sprintf(format, args...))
	if len(v.out.Problems) == maxProblems {
		return errEnough
	}
	return nil
}

func (v *verifier) day(ctx context.Context, s *Store, day uint32) error {
	name := at(day * engine.MinutesPerDay).Format("2006-01-02")
	hours := map[*engine.Table]map[[2]uint32]int64{} // by hour and group
	there := false
	for _, t := range []*engine.Table{engine.Samples, engine.Hourly, engine.Activity, engine.Thinned} {
		for _, level := range levelsOf(t) {
			for i, column := range othersOf(t) {
				sums, err := s.read(ctx, engine.Query{
					Table: t, From: day * engine.MinutesPerDay, To: (day + 1) * engine.MinutesPerDay, Level: level, Step: minutesHour, Events: true,
					By: []string{engine.ColMinute, engine.ColGroup, column},
				})
				if err != nil {
					return err
				}
				if len(sums.Missing) > 0 {
					return fmt.Errorf("%w: %v", ErrAway, sums.Missing)
				}
				there = there || sums.Len() > 0
				by := map[[2]uint32]int64{}
				for r, n := range sums.Counts {
					group := sums.Keys[1][r]
					by[[2]uint32{sums.Keys[0][r], group}] += n
					if err := v.row(t, name, column, group, sums.Keys[2][r]); err != nil {
						return err
					}
				}
				if i == 0 {
					hours[t] = by
				}
			}
		}
	}
	if there {
		v.out.Days++
	}
	for at, n := range hours[engine.Activity] {
		if other := hours[engine.Hourly][at]; other != n {
			if err := v.wrong("%s, hour %d, group %d: %d events with stacks, and %d without", name, at[0]/minutesHour%24, at[1], other, n); err != nil {
				return err
			}
		}
	}
	for _, t := range []*engine.Table{engine.Hourly, engine.Samples} {
		for at, n := range hours[t] {
			if most := hours[engine.Activity][at]; n > most {
				if err := v.wrong("%s, hour %d, group %d: %s has %d events, of %d", name, at[0]/minutesHour%24, at[1], t.Name, n, most); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// row holds the keys of rows against the dictionary.
func (v *verifier) row(t *engine.Table, day, column string, group, id uint32) error {
	switch {
	case int(group) >= len(v.dict.Groups) || v.dict.Groups[group] == (dict.Group{}):
		return v.wrong("%s, %s: rows of group %d, which the dictionary does not have", day, t.Name, group)
	case column == engine.ColStack && id > 0 && (int(id) >= len(v.dict.Stacks) || v.dict.Stacks[id] == 0):
		return v.wrong("%s, %s: rows of stack %d, which the dictionary does not have", day, t.Name, id)
	case column == engine.ColSeries && (!v.series[id] || v.dict.Series[id].Group != group):
		return v.wrong("%s, %s: rows of series %d and group %d, which do not belong together", day, t.Name, id, group)
	}
	return nil
}

// othersOf are the columns of a table that refer to the dictionary, beside the group.
func othersOf(t *engine.Table) (out []string) {
	for _, c := range t.Columns {
		if c.Name == engine.ColStack || c.Name == engine.ColSeries {
			out = append(out, c.Name)
		}
	}
	return out
}

// levelsOf are the levels of a table: one where it has none.
func levelsOf(t *engine.Table) []uint32 {
	if t != engine.Thinned {
		return []uint32{0}
	}
	var out []uint32
	for l := uint32(firstLevel); l <= lastLevel; l++ {
		out = append(out, l)
	}
	return out
}
