package store

import (
	"context"
	"math"

	"golang.org/x/sync/errgroup"

	"whyhot/internal/store/engine"
	"whyhot/internal/store/weigh"
)

// weights is how much each stack of a selection weighs: the sums of its pieces, by stack
// and perhaps by group. A stack may occur several times.
type weights struct {
	sums     []*engine.Sums // others ask for them, too: they are not to be changed
	scale    int64          // what one event of them stands for
	level    int
	from, to uint32
}

// weigh gives the weights of a selection's stacks.
func (s *Store) weigh(ctx context.Context, c *chosen) (*weights, error) {
	level, err := s.level(ctx, c)
	if err != nil {
		return nil, err
	}
	list := []piece{{table: engine.Thinned, from: c.from, to: c.to, level: uint32(level)}}
	if level == 0 {
		list = byDay(s.pieces(c))
	}
	return s.collect(ctx, c, level, list, engine.ColStack)
}

// collect asks for the pieces of a selection, all at a time.
func (s *Store) collect(ctx context.Context, c *chosen, level int, list []piece, by ...string) (*weights, error) {
	w := &weights{sums: make([]*engine.Sums, len(list)), scale: 1, level: level, from: c.from, to: c.to}
	if level > 0 {
		w.scale = int64(math.Pow(ladderBase, float64(level)))
	}
	group, ctx := errgroup.WithContext(ctx)
	for i, p := range list {
		q := engine.Query{Table: p.table, From: p.from, To: p.to, Level: p.level, Groups: c.groups, By: by}
		if p.table != engine.Hourly {
			q.Series = c.series
		}
		group.Go(func() (err error) {
			w.sums[i], err = s.ask(ctx, q)
			return err
		})
	}
	return w, group.Wait()
}

// unit is that of all weights.
const unit = "nanoseconds"

// parts are the sums as the tree takes them.
func (w *weights) parts() []weigh.Part {
	out := make([]weigh.Part, len(w.sums))
	for i, sums := range w.sums {
		out[i] = weigh.Part{Stacks: sums.Keys[0], Values: sums.Values}
	}
	return out
}

// basis tells what the weights rest on.
func (w *weights) basis() Basis {
	b := Basis{From: at(w.from), To: at(w.to), Unit: unit, Level: w.level}
	for _, sums := range w.sums {
		b.fill(sums, w.scale)
	}
	if w.level > 0 {
		b.ShareError = 1
		if b.Read > 0 {
			b.ShareError = min(1, 0.98/math.Sqrt(float64(b.Read))) // 1.96 × √(½ × ½ ÷ n)
		}
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
