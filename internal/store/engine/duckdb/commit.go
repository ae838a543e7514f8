//go:build cgo

package duckdb

import (
	"context"
	"fmt"
	"slices"

	"whyhot/internal/store/engine"
)

// Commit is one transaction of DuckDB, with its number in it.
func (e *Engine) Commit(ctx context.Context, number uint64, blocks []*engine.Block) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if err := engine.Check(blocks); err != nil {
		return err
	}
	e.writing.Lock()
	defer e.writing.Unlock()
	if number <= e.committed.Load() {
		return nil
	}
	if e.lost != nil {
		return e.lost
	}
	added, err := e.write(ctx, number, blocks)
	if err != nil {
		return e.rollback(ctx, fmt.Errorf("commit %d: %w", number, err))
	}
	e.visible.Lock()
	defer e.visible.Unlock()
	// From here on it is made or not, whatever becomes of ctx.
	if err := e.writer.exec(context.WithoutCancel(ctx), "COMMIT"); err != nil {
		return e.rollback(ctx, fmt.Errorf("commit %d: %w", number, err))
	}
	for of, p := range added {
		i := slices.IndexFunc(e.parts[of], func(old part) bool { return old.name == p.name })
		if i < 0 {
			e.parts[of] = append(e.parts[of], p)
		} else {
			e.parts[of][i].rows += p.rows
		}
	}
	e.committed.Store(number)
	e.checkpoint.wake()
	return nil
}

// rollback ends a transaction that failed. Where DuckDB has ended it already there is
// nothing to end.
func (e *Engine) rollback(ctx context.Context, err error) error {
	_ = e.writer.exec(context.WithoutCancel(ctx), "ROLLBACK")
	return err
}

// write puts the rows into an open transaction, and says how many went where.
func (e *Engine) write(ctx context.Context, number uint64, blocks []*engine.Block) (map[dayOf]part, error) {
	if err := e.writer.exec(ctx, begin); err != nil {
		return nil, err
	}
	added := map[dayOf]part{}
	for _, b := range blocks {
		if !b.Table.Timed {
			if err := e.writer.append(b.Table.Name, b, nil); err != nil {
				return nil, err
			}
			continue
		}
		for day, chosen := range byDay(b) {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			of := dayOf{b.Table, day}
			p, ok := added[of]
			if !ok {
				p = e.appended(of)
				if p.rows < 0 {
					if err := e.writer.exec(ctx, definition(b.Table, p.name)); err != nil {
						return nil, err
					}
				}
				p.rows = 0
			}
			if err := e.writer.append(p.name, b, chosen); err != nil {
				return nil, err
			}
			p.rows += int64(b.Len())
			if chosen != nil {
				p.rows += int64(len(chosen) - b.Len())
			}
			added[of] = p
		}
	}
	return added, e.writer.exec(ctx, fmt.Sprintf("UPDATE %s SET committed = %d", stateTable, number))
}

// appended is the part of a day to which rows are appended now, or a new one with
// less than 0 rows.
func (e *Engine) appended(of dayOf) part {
	e.visible.RLock()
	parts := e.parts[of]
	e.visible.RUnlock()
	for _, p := range parts {
		if !p.sorted && !p.sealed {
			return p
		}
	}
	p := e.newPart(of, false)
	p.rows = -1
	return p
}

// byDay are the positions of a block's rows, by their day; nil where that is all.
func byDay(b *engine.Block) map[uint32][]int32 {
	minutes := b.Uint32s(engine.ColMinute)
	if len(minutes) == 0 {
		return nil
	}
	first, last := slices.Min(minutes)/engine.MinutesPerDay, slices.Max(minutes)/engine.MinutesPerDay
	if first == last {
		return map[uint32][]int32{first: nil}
	}
	days := map[uint32][]int32{}
	for i, m := range minutes {
		days[m/engine.MinutesPerDay] = append(days[m/engine.MinutesPerDay], int32(i))
	}
	return days
}
