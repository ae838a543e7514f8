package store

import (
	"context"
	"fmt"
	"math"
	"time"

	"whyhot/internal/store/dict"
	"whyhot/internal/store/engine"
	"whyhot/internal/store/weigh"
)

// Bounds of History. A level of the ladder with about historyEvents is as exact as lines
// of a few pixels can show; a function has one bit of a word in the sweep.
const (
	MaxHistory    = 64 // functions
	historySteps  = 500
	historyEvents = 400_000
)

// History gives the weight of functions over time, in steps of whole minutes that begin
// at multiples of their length: their own, or with total set that of the stacks they
// are on. It is for drawings: it may come from a level of the ladder of fewer events
// than Top's.
//
// Method. The sums by step and stack are put on functions by one word for each node of
// the tree: bit i says that function i is on the way to it. Since parents come first,
// one sweep makes all words, and a stack has the word of its leaf.
func (s *Store) History(ctx context.Context, sel Selection, functions []FunctionID, total bool, step time.Duration) (*History, error) {
	return steady(func() (*History, error) { return s.history(ctx, sel, functions, total, step) })
}

func (s *Store) history(ctx context.Context, sel Selection, functions []FunctionID, total bool, step time.Duration) (*History, error) {
	if len(functions) > MaxHistory {
		return nil, fmt.Errorf("%w: %d functions; %d at most", ErrTooLarge, len(functions), MaxHistory)
	}
	tables := s.dict.Snapshot()
	c, err := s.choose(&sel, &tables)
	if err != nil {
		return nil, err
	}
	minutes := uint32(step / time.Minute)
	if minutes == 0 || step%time.Minute != 0 || (c.to-c.from)/minutes > historySteps {
		return nil, fmt.Errorf("%w: steps of %s; whole minutes are taken, and %d steps at most", ErrTooLarge, step, historySteps)
	}
	q, err := s.overHistory(ctx, c)
	if err != nil {
		return nil, err
	}
	q.By, q.Step = []string{engine.ColMinute, engine.ColStack}, minutes
	sums, err := s.ask(ctx, q)
	if err != nil {
		return nil, err
	}
	if tables, err = s.since(&tables); err != nil {
		return nil, err
	}
	view := tables.View
	if sel.Only != nil {
		w := weigh.New(view, weigh.Part{Stacks: sums.Keys[1], Values: sums.Values, Scale: 1})
		view = sel.Only.of(&tables, w)
		w.Release()
	}
	bits, err := bitsOf(functions, &tables)
	if err != nil {
		return nil, err
	}
	words := onTheWay(&view, bits, total)
	first := c.from - c.from%minutes
	h := &History{
		Basis: Basis{From: at(c.from), To: at(c.to), Covered: s.coveredIn(c.from, c.to), Unit: unit, Level: int(q.Level)},
		Start: at(first), Step: step, Weight: make([][]int64, len(functions)),
	}
	for i := range h.Weight {
		h.Weight[i] = make([]int64, (c.to-first+minutes-1)/minutes)
	}
	scale := int64(math.Pow(ladderBase, float64(q.Level)))
	h.Basis.fill(sums, scale)
	for row, stack := range sums.Keys[1] {
		leaf := uint32(1)
		if int(stack) < view.Stacks() {
			leaf = view.Leaf(stack)
		}
		// An hour that is kept as a whole may begin before the range.
		at := (max(sums.Keys[0][row], first) - first) / minutes
		for i := range functions {
			if words[leaf]&(1<<i) != 0 {
				h.Weight[i][at] += sums.Values[row] * scale
			}
		}
	}
	return h, nil
}

// overHistory chooses what is read: all samples where they are few, else a level.
func (s *Store) overHistory(ctx context.Context, c *chosen) (engine.Query, error) {
	q := engine.Query{Table: engine.Samples, From: c.from, To: c.to, Groups: c.groups, Series: c.series}
	events, err := s.activity(ctx, c)
	if err != nil || events == 0 {
		return q, err
	}
	level := int(math.Round(math.Log(float64(events)/historyEvents) / math.Log(ladderBase)))
	switch {
	case level >= firstLevel:
		q.Table, q.Level = engine.Thinned, uint32(min(level, lastLevel))
	case c.from < s.oldestSamples() && !c.bySeries:
		q.Table = engine.Hourly
		q.From, q.To = c.hours()
		q.Series = nil
	}
	return q, nil
}

// bitsOf gives each function, as the views number it, the bits of its places in a list.
func bitsOf(functions []FunctionID, tables *dict.Snapshot) (map[uint32]uint64, error) {
	bits := make(map[uint32]uint64, len(functions))
	for i, id := range functions {
		function, err := known(tables, id)
		if err != nil {
			return nil, err
		}
		bits[function] |= 1 << i
	}
	return bits, nil
}

// onTheWay gives each node the bits of its function and, with above set, of those above.
func onTheWay(view *dict.View, bits map[uint32]uint64, above bool) []uint64 {
	words := make([]uint64, view.Nodes())
	for n := 1; n < len(words); n++ {
		words[n] = bits[view.Function[n]]
		if above {
			words[n] |= words[view.Parent[n]]
		}
	}
	return words
}
