package store

import (
	"context"
	"math"

	"golang.org/x/sync/errgroup"

	"whyhot/internal/store/engine"
	"whyhot/internal/store/weigh"
)

// weights is how much each stack of a selection weighs. A stack may occur several times.
type weights struct {
	pieces   []weighed
	level    int // the lowest of the ladder that a piece is from
	from, to uint32
}

// weighed is one piece: its sums by stack and perhaps by group. Others ask for them, too:
// they are not to be changed.
type weighed struct {
	*engine.Sums

	scale int64 // what one event stands for
}

// weigh gives the weights of a selection's stacks.
func (s *Store) weigh(ctx context.Context, c *chosen) (*weights, error) {
	events, err := s.activity(ctx, c)
	if err != nil {
		return nil, err
	}
	if level := c.level(events); level > 0 {
		return s.collect(ctx, c, []piece{{table: engine.Thinned, from: c.from, to: c.to, level: uint32(level)}}, engine.ColStack)
	}
	list := s.byDay(s.pieces(c))
	if c.roughEnds(events) {
		for i := range list {
			if list[i].table == engine.Samples {
				list[i].table, list[i].level = engine.Thinned, firstLevel
			}
		}
	}
	c.cutEnds(list)
	return s.collect(ctx, c, list, engine.ColStack)
}

// collect asks for pieces, all at a time.
func (s *Store) collect(ctx context.Context, c *chosen, list []piece, by ...string) (*weights, error) {
	w := &weights{pieces: make([]weighed, len(list)), from: c.from, to: c.to}
	group, ctx := errgroup.WithContext(ctx)
	for i, p := range list {
		w.level = max(w.level, int(p.level))
		w.pieces[i].scale = int64(math.Pow(ladderBase, float64(p.level)))
		q := engine.Query{Table: p.table, From: p.from, To: p.to, Level: p.level, Groups: c.groups, By: by}
		if p.table != engine.Hourly {
			q.Series = c.series
		}
		ask := s.ask
		if p.cut {
			ask = s.cut
		}
		group.Go(func() (err error) {
			w.pieces[i].Sums, err = ask(ctx, q)
			return err
		})
	}
	return w, group.Wait()
}

// unit is that of all weights.
const unit = "nanoseconds"

// parts are the sums as the tree takes them.
func (w *weights) parts() []weigh.Part {
	out := make([]weigh.Part, len(w.pieces))
	for i, p := range w.pieces {
		out[i] = weigh.Part{Stacks: p.Keys[0], Values: p.Values, Scale: p.scale}
	}
	return out
}

// rough are the parts that are from the ladder, which are of one level, and what one of
// their events stands for.
func (w *weights) rough() (out []weigh.Part, scale float64) {
	for i, part := range w.parts() {
		if w.pieces[i].scale > 1 {
			out, scale = append(out, part), float64(part.Scale)
		}
	}
	return out, scale
}

// basis tells what the weights rest on. Where a part of them is from the ladder, the error
// is that part's, by what it weighs, and Read is Kish's effective sample size:
// (Σ counts)² ÷ Σ counts × scale.
func (w *weights) basis() Basis {
	b := Basis{From: at(w.from), To: at(w.to), Unit: unit, Level: w.level}
	var drawn, rough int64 // of the ladder: events that were read, and weight
	var squares float64
	for _, p := range w.pieces {
		before := b
		b.fill(p.Sums, p.scale)
		squares += float64(b.Count-before.Count) * float64(p.scale)
		if p.scale > 1 {
			drawn += b.Read - before.Read
			rough += b.Value - before.Value
		}
	}
	if w.level == 0 {
		return b
	}
	switch b.ShareError = 1; {
	case drawn > 0:
		b.Read = int64(math.Round(float64(b.Count) / squares * float64(b.Count)))
		part := float64(rough) / float64(b.Value)
		b.ShareError = min(1, part*0.98/math.Sqrt(float64(drawn))) // 1.96 × √(½ × ½ ÷ n)
	case b.Count > 0:
		// None of the events was drawn: there may have been 3 ÷ p (the rule of three).
		b.ShareError = min(1, 3*math.Pow(ladderBase, float64(w.level))/float64(b.Count))
	}
	return b
}

// fill adds what sums have to the basis.
func (b *Basis) fill(sums *engine.Sums, scale int64) {
	for i := range sums.Counts {
		b.Read += sums.Counts[i]
		b.Count += sums.Counts[i] * scale
		b.Value += sums.Values[i] * scale
	}
}
