// Package memory keeps the rows of a project in memory and nowhere else.
//
// It owns the simplest engine there is: rows as they came, read from the first to
// the last by every question. Tests hold the other engines against it. It must never
// become clever.
package memory

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/bits"
	"slices"
	"sync"

	"whyhot/internal/store/engine"
)

// Engine keeps blocks by table.
type Engine struct {
	mu     sync.RWMutex
	commit uint64
	blocks map[*engine.Table][]*engine.Block

	generation uint64 // counts Replace
}

var _ engine.Engine = (*Engine)(nil)

// New makes an empty engine.
func New() *Engine {
	return &Engine{blocks: map[*engine.Table][]*engine.Block{}}
}

// Commit keeps copies of the blocks.
func (e *Engine) Commit(ctx context.Context, number uint64, blocks []*engine.Block) error {
	if err := cmp.Or(ctx.Err(), engine.Check(blocks)); err != nil {
		return err
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if number <= e.commit {
		return nil
	}
	for _, b := range blocks {
		e.blocks[b.Table] = append(e.blocks[b.Table], rows(b, func(int) bool { return true }))
	}
	e.commit = number
	return nil
}

// Committed is the number of the last commit.
func (e *Engine) Committed() uint64 {
	e.mu.RLock()
	defer e.mu.RUnlock()
	return e.commit
}

// Scan gives the rows block by block, as they were committed.
func (e *Engine) Scan(ctx context.Context, t *engine.Table, from, to uint32, yield func(*engine.Block) error) error {
	e.mu.RLock()
	blocks := slices.Clone(e.blocks[t])
	e.mu.RUnlock()
	for _, b := range blocks {
		if err := ctx.Err(); err != nil {
			return err
		}
		if t.Timed {
			minutes := b.Uint32s(engine.ColMinute)
			b = rows(b, func(i int) bool { return from <= minutes[i] && minutes[i] < to })
		} else {
			b = rows(b, func(int) bool { return true })
		}
		if b.Len() == 0 {
			continue
		}
		if err := yield(b); err != nil {
			return err
		}
	}
	return nil
}

// total is a sum in 128 bits.
type total struct {
	count  int64
	hi, lo uint64
}

func (t *total) add(count uint32, period int64) {
	hi, lo := bits.Mul64(uint64(count), uint64(period))
	var carry uint64
	t.lo, carry = bits.Add64(t.lo, lo, 0)
	t.hi, _ = bits.Add64(t.hi, hi, carry)
	t.count += int64(count)
}

// Sum looks at every row.
func (e *Engine) Sum(ctx context.Context, q engine.Query) (*engine.Sums, error) {
	if err := cmp.Or(ctx.Err(), q.Check()); err != nil {
		return nil, err
	}
	e.mu.RLock()
	blocks := slices.Clone(e.blocks[q.Table])
	e.mu.RUnlock()
	totals := map[[4]uint32]*total{}
	for _, b := range blocks {
		if err := add(ctx, totals, q, b); err != nil {
			return nil, err
		}
	}
	sums := &engine.Sums{Keys: make([][]uint32, len(q.By))}
	for key, t := range totals {
		if t.hi != 0 || t.lo > math.MaxInt64 {
			return nil, fmt.Errorf("%s: %w", q.Table.Name, engine.ErrOverflow)
		}
		for i := range q.By {
			sums.Keys[i] = append(sums.Keys[i], key[i])
		}
		sums.Counts = append(sums.Counts, t.count)
		sums.Values = append(sums.Values, int64(t.lo))
	}
	return sums, nil
}

func add(ctx context.Context, totals map[[4]uint32]*total, q engine.Query, b *engine.Block) error {
	minutes, periods, counts := b.Uint32s(engine.ColMinute), b.Int64s(engine.ColPeriod), b.Uint32s(engine.ColCount)
	var levels []uint8
	if q.Table == engine.Thinned {
		levels = b.Uint8s(engine.ColLevel)
	}
	keys := make([][]uint32, len(q.By))
	for i, by := range q.By {
		keys[i] = b.Uint32s(by)
	}
	for i, minute := range minutes {
		if i%4096 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		if minute < q.From || minute >= q.To ||
			levels != nil && uint32(levels[i]) != q.Level ||
			q.Groups != nil && !in(q.Groups, b.Uint32s(engine.ColGroup)[i]) ||
			q.Series != nil && !in(q.Series, b.Uint32s(engine.ColSeries)[i]) {
			continue
		}
		var key [4]uint32
		for k, by := range q.By {
			key[k] = keys[k][i]
			if by == engine.ColMinute && q.Step > 0 {
				key[k] -= key[k] % q.Step
			}
		}
		if totals[key] == nil {
			totals[key] = &total{}
		}
		period := periods[i]
		if q.Events {
			period = 0
		}
		totals[key].add(counts[i], period)
	}
	return nil
}

func in(ids []uint32, id uint32) bool {
	_, ok := slices.BinarySearch(ids, id)
	return ok
}

// Drop removes rows.
func (e *Engine) Drop(_ context.Context, t *engine.Table, before uint32) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	left := make([]*engine.Block, 0, len(e.blocks[t]))
	for _, b := range e.blocks[t] {
		minutes := b.Uint32s(engine.ColMinute)
		left = append(left, rows(b, func(i int) bool { return minutes[i] >= before }))
	}
	e.blocks[t] = left
	return nil
}

// Replace keeps copies of the blocks in the place of others.
func (e *Engine) Replace(ctx context.Context, blocks []*engine.Block) error {
	if err := cmp.Or(ctx.Err(), engine.CheckReplace(blocks)); err != nil {
		return err
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	e.generation++
	for _, t := range engine.Tables() {
		if !t.Timed {
			delete(e.blocks, t)
		}
	}
	for _, b := range blocks {
		e.blocks[b.Table] = append(e.blocks[b.Table], rows(b, func(int) bool { return true }))
	}
	return nil
}

// Compact has nothing to do.
func (e *Engine) Compact(ctx context.Context, _ bool) error { return ctx.Err() }

// Stats counts rows.
func (e *Engine) Stats(context.Context) ([]engine.TableStats, error) {
	e.mu.RLock()
	defer e.mu.RUnlock()
	out := make([]engine.TableStats, 0, len(engine.Tables()))
	for _, t := range engine.Tables() {
		s := engine.TableStats{Table: t.Name}
		for _, b := range e.blocks[t] {
			if t.Timed && b.Len() > 0 {
				minutes := b.Uint32s(engine.ColMinute)
				if s.Rows == 0 {
					s.First, s.Last = minutes[0], minutes[0]
				}
				s.First, s.Last = min(s.First, slices.Min(minutes)), max(s.Last, slices.Max(minutes))
			}
			s.Rows += int64(b.Len())
		}
		out = append(out, s)
	}
	return out, nil
}

// Close does nothing: the rows stay as long as the engine.
func (e *Engine) Close() error { return nil }

// rows are copies of those that keep chooses.
func rows(b *engine.Block, keep func(int) bool) *engine.Block {
	out := engine.NewBlock(b.Table, b.Len())
	for c := range b.Columns {
		switch from := b.Columns[c].(type) {
		case []uint8:
			out.Columns[c] = chosen(from, keep)
		case []uint32:
			out.Columns[c] = chosen(from, keep)
		case []uint64:
			out.Columns[c] = chosen(from, keep)
		case []int64:
			out.Columns[c] = chosen(from, keep)
		case []string:
			out.Columns[c] = chosen(from, keep)
		}
	}
	return out
}

func chosen[T any](from []T, keep func(int) bool) []T {
	out := make([]T, 0, len(from))
	for i, v := range from {
		if keep(i) {
			out = append(out, v)
		}
	}
	return out
}
