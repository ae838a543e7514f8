package store

import (
	"context"
	"math"
	"slices"

	"whyhot/internal/store/engine"
	"whyhot/internal/store/weigh"
)

// Groups is what functions weigh in groups, such as those of one name in all versions of
// a binary.
type Groups struct {
	Basis Basis
	// Events is the number of equally weighted events that tell as much of shares as the
	// selection's (Kish's effective sample size): Basis.Count, or fewer where series are
	// sampled at different rates, or a level of the ladder was read.
	Events      int64
	Self, Total []int64 // by group; a stack counts once in a total
	// SelfEvents and TotalEvents are what Events is for the share of each group. They differ
	// where only a part of the answer is from a level of the ladder, and are nil elsewhere.
	SelfEvents, TotalEvents []int64
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
	effect, err := s.periods(ctx, &sel, q)
	if err != nil {
		return nil, err
	}
	out.Events = q.events(effect)
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
	if drawn, m := q.mixed(effect); drawn != nil {
		defer drawn.Release()
		self, total := drawn.Grouped(of, groups)
		out.SelfEvents, out.TotalEvents = m.eventsOf(out.Self, self), m.eventsOf(out.Total, total)
	}
	return out, nil
}

// eventsOfNodes gives the effective sample size of all and that of the share of each node
// of a tree whose nodes are those of the view.
func (s *Store) eventsOfNodes(ctx context.Context, sel *Selection, q *question, t *weigh.Tree) (all int64, each []int64, err error) {
	effect, err := s.periods(ctx, sel, q)
	if err != nil {
		return 0, nil, err
	}
	all = q.events(effect)
	drawn, m := q.mixed(effect)
	if drawn == nil {
		return all, slices.Repeat([]int64{all}, len(t.Total)), nil
	}
	defer drawn.Release()
	part := make([]int64, len(t.Total))
	for i, at := range t.At {
		part[i] = drawn.Total[at]
	}
	return all, m.eventsOf(t.Total, part), nil
}

// events is the effective sample size of all, with what periods says.
func (q *question) events(effect float64) int64 {
	return int64(math.Round(float64(q.basis.Read) * effect))
}

// mixed gives what of a question's weights is from the ladder, to be released, and nil
// where that is nothing or all of them.
func (q *question) mixed(effect float64) (*weigh.Weights, mixed) {
	rough, scale := q.w.rough()
	if len(rough) == 0 || len(rough) == len(q.w.pieces) {
		return nil, mixed{}
	}
	drawn := weigh.New(q.tree.View, rough...)
	return drawn, mixed{events: float64(q.basis.Count) * effect, all: float64(q.basis.Value), drawn: float64(drawn.Total[0]), scale: scale}
}

// mixed is an answer of which all was read but a part that is from a level of the ladder.
type mixed struct {
	events     float64 // that there are
	all, drawn float64 // weight, and that of the part
	scale      float64 // of the part: what one event stands for
}

// eventsOf gives the effective sample size of each weight's share, by what of the weight is
// from the ladder: a function that ran in that part only was seen in few events, however
// many the rest has.
//
// With an event of the part standing for k, the variance of a weight is D = (read + k ×
// drawn) ÷ (read + drawn) times that of counted events. A share p = x ÷ all is a ratio of
// weights that vary together, so that its variance is p(1-p) ÷ events × ((1-p) Dx + p Dr),
// where r is all but x (Taylor's linearisation: Cochran 1977, Sampling Techniques, §6.3).
func (m *mixed) eventsOf(weights, drawn []int64) []int64 {
	design := func(all, drawn float64) float64 {
		if all <= 0 {
			return 1
		}
		return 1 + (m.scale-1)*drawn/all
	}
	out := make([]int64, len(weights))
	for i := range weights {
		x, d := float64(weights[i]), float64(drawn[i])
		p := x / m.all
		out[i] = int64(math.Round(m.events / ((1-p)*design(x, d) + p*design(m.all-x, m.drawn-d))))
	}
	return out
}

// periods says how much less than its number the events of a selection tell because they
// weigh differently: with the period p and the count c of each series, all of whose samples
// have one weight, it is (Σ cp)² ÷ Σ cp² ÷ Σ c, as far as sums by the hour tell.
func (s *Store) periods(ctx context.Context, sel *Selection, q *question) (float64, error) {
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
	return sum * sum / squares / count, nil
}
