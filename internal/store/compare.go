package store

import (
	"context"
	"math"

	"whyhot/internal/store/engine"
)

// Groups is what functions weigh in groups, such as those of one name in all versions of
// a binary.
type Groups struct {
	Basis Basis
	// Events is the number of equally weighted events that tell as much of shares as the
	// selection's (Kish's effective sample size): Basis.Count, or fewer where series are
	// sampled at different rates.
	Events      int64
	Self, Total []int64 // by group; a stack counts once in a total
}

// Groups adds functions up. The caller numbers them from 0 on: it is asked once about each
// function that occurs in the selection, by rising ID.
func (s *Store) Groups(ctx context.Context, sel Selection, number func(f *Function) int) (*Groups, error) {
	q, err := s.question(ctx, &sel)
	if err != nil {
		return nil, err
	}
	defer q.tree.Release()
	out := &Groups{Basis: q.basis}
	if out.Events, err = s.events(ctx, &sel, q); err != nil {
		return nil, err
	}
	of := make([]int32, len(q.tables.Functions))
	for i := range of {
		of[i] = -1
	}
	groups := 0
	for _, row := range q.tree.Top(len(of)) {
		f := q.function(row.Function)
		n := number(&f)
		of[row.Function] = int32(n)
		groups = max(groups, n+1)
	}
	out.Self, out.Total = q.tree.Grouped(of, groups)
	return out, nil
}

// events asks for the sums of each series, all of whose samples have one weight: with the
// period p and the count c of each, the answer is (Σ cp)² ÷ Σ cp² of the selection, as far
// as sums by the hour tell.
func (s *Store) events(ctx context.Context, sel *Selection, q *question) (int64, error) {
	c, err := s.choose(sel, &q.tables)
	if err != nil {
		return 0, err
	}
	ask := engine.Query{Table: engine.Activity, Groups: c.groups, Series: c.series, By: []string{engine.ColSeries}}
	ask.From, ask.To = c.hours()
	sums, err := s.ask(ctx, ask)
	if err != nil {
		return 0, err
	}
	var count, sum, squares float64
	for i, n := range sums.Counts {
		if n > 0 {
			v := float64(sums.Values[i])
			count, sum, squares = count+float64(n), sum+v, squares+v*v/float64(n)
		}
	}
	if squares == 0 || count == 0 {
		return 0, nil
	}
	return int64(math.Round(float64(q.basis.Count) * (sum * sum / squares / count))), nil
}
