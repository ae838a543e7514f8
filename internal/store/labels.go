package store

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"whyhot/internal/profile/label"
	"whyhot/internal/store/batch"
	"whyhot/internal/store/engine"
	"whyhot/internal/store/keep"
)

// keepLabels has a batch keep the labels that the project has room for, and says what is not
// kept. It is done before the batch is written down, so that one that is read again, after a
// crash, has the same labels as before.
func (s *Store) keepLabels(b *batch.Batch) (warnings []string) {
	counts := make([]int64, len(b.Labels))
	for i := range b.Rows {
		counts[b.Rows[i].Labels] += int64(b.Rows[i].Count)
	}
	sets := make([]keep.Weighed, len(b.Labels))
	for i := range b.Labels {
		sets[i] = keep.Weighed{Set: b.Labels[i].Tags, Count: counts[i]}
	}
	kept, warnings := s.keeper.Keep(sets, s.minuteNow())
	same := true
	for i := range kept {
		same = same && kept[i] == sets[i].Set
		b.Labels[i].Tags = kept[i]
	}
	if !same {
		b.Join()
	}
	return warnings
}

// knowLabels has the values that series have be told apart from now on.
func (s *Store) knowLabels() {
	d := s.dict.Snapshot()
	sets := map[label.Set]bool{}
	for _, i := range d.SeriesNumbers {
		sets[d.Series[i].Tags] = true
	}
	s.keeper.Renew(sets, s.minuteNow())
}

// LabelKey is something that samples can be chosen and grouped by.
type LabelKey struct {
	Key    Dimension
	Values int // that are kept
}

// LabelKeys lists the columns that all series have, and then the other labels, those with
// fewest values first.
func (s *Store) LabelKeys() []LabelKey {
	d := s.dict.Snapshot()
	values := map[Dimension]map[string]bool{}
	add := func(key Dimension, value string) {
		of := values[key]
		if of == nil {
			of = map[string]bool{}
			values[key] = of
		}
		if value != "" {
			of[value] = true
		}
	}
	for _, key := range Dimensions() {
		add(key, "")
	}
	for _, i := range d.GroupNumbers {
		for _, key := range []Dimension{ByService, ByVersion, ByProcess} {
			add(key, ofGroup(&d.Groups[i], key))
		}
	}
	for _, i := range d.SeriesNumbers {
		add(ByHost, d.Series[i].Host)
		add(ByContainer, d.Series[i].Container)
		for key, value := range d.Series[i].Tags.All {
			add(Dimension(key), value)
		}
	}
	out := make([]LabelKey, 0, len(values))
	for key, of := range values {
		out = append(out, LabelKey{key, len(of)})
	}
	place := func(k Dimension) int {
		if i := slices.Index(Dimensions(), k); i >= 0 {
			return i
		}
		return len(Dimensions())
	}
	slices.SortFunc(out, func(a, b LabelKey) int {
		if by := cmp.Compare(place(a.Key), place(b.Key)); by != 0 || place(a.Key) < len(Dimensions()) {
			return by
		}
		return cmp.Or(cmp.Compare(a.Values, b.Values), cmp.Compare(a.Key, b.Key))
	})
	return out
}

// maxSets bounds the answer of LabelSets.
const maxSets = 50_000

// LabelSets gives which combinations of the values of some dimensions there are, in order; a
// value is "" where a sample has no such label. Ranges of more than six hours are rounded
// outwards to hours.
func (s *Store) LabelSets(ctx context.Context, sel Selection, keys []Dimension) ([][]string, error) {
	for _, k := range keys {
		if err := checkDimension(k); err != nil {
			return nil, err
		}
	}
	return steady(func() ([][]string, error) { return s.labelSets(ctx, &sel, keys) })
}

func (s *Store) labelSets(ctx context.Context, sel *Selection, keys []Dimension) ([][]string, error) {
	tables := s.dict.Snapshot()
	c, err := s.choose(sel, &tables)
	if err != nil {
		return nil, err
	}
	column := engine.ColGroup // of which there are fewer
	if slices.ContainsFunc(keys, func(k Dimension) bool { return k.column() != engine.ColGroup }) {
		column = engine.ColSeries
	}
	q := c.overTime()
	q.By, q.Step = []string{column}, 0
	sums, err := s.ask(ctx, q)
	if err != nil {
		return nil, err
	}
	if tables, err = s.since(&tables); err != nil {
		return nil, err
	}
	known := map[string]bool{}
	var out [][]string
	for _, id := range sums.Keys[0] {
		set := make([]string, len(keys))
		for i, k := range keys {
			if column == engine.ColSeries {
				set[i] = ofSeries(&tables, k, id)
			} else {
				set[i] = dimension(&tables, k, id)
			}
		}
		if text := strings.Join(set, "\x00"); !known[text] {
			known[text] = true
			out = append(out, set)
		}
		if len(out) > maxSets {
			return nil, fmt.Errorf("%w: more than %d combinations of labels", ErrTooLarge, maxSets)
		}
	}
	slices.SortFunc(out, slices.Compare)
	return out, nil
}
