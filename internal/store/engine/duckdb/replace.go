//go:build cgo

package duckdb

import (
	"context"
	"fmt"

	"whyhot/internal/store/engine"
)

// sliceOfReplace is how many rows are written at a time: the log is moved between.
const sliceOfReplace = 1 << 20

// Replace writes the rows to tables whose names say that they are not finished, and one
// transaction has these take the place of the others. Questions go on meanwhile, and see
// the tables as they were when they began. A crash leaves the old ones, and what was not
// finished is removed when the database is opened.
func (e *Engine) Replace(ctx context.Context, blocks []*engine.Block) error {
	if err := engine.CheckReplace(blocks); err != nil {
		return err
	}
	e.writing.Lock()
	defer e.writing.Unlock()
	c, err := e.connect()
	if err != nil {
		return err
	}
	defer c.close() // and with it a transaction that failed
	if err := e.replace1(ctx, c, blocks); err != nil {
		_ = c.exec(context.WithoutCancel(ctx), "ROLLBACK")
		for _, t := range engine.Tables() {
			if !t.Timed {
				_ = c.exec(context.WithoutCancel(ctx), "DROP TABLE IF EXISTS "+unfinished+t.Name)
			}
		}
		return fmt.Errorf("rewriting the dictionary: %w", err)
	}
	e.checkpoint.wake()
	return nil
}

func (e *Engine) replace1(ctx context.Context, c *conn, blocks []*engine.Block) error {
	var last []string
	for _, t := range engine.Tables() {
		if t.Timed {
			continue
		}
		if err := c.exec(ctx, definition(t, unfinished+t.Name)); err != nil {
			return err
		}
		last = append(last, "DROP TABLE "+t.Name, fmt.Sprintf("ALTER TABLE %s RENAME TO %s", unfinished+t.Name, t.Name))
	}
	for _, b := range blocks {
		for from := 0; from < b.Len(); from += sliceOfReplace {
			if err := ctx.Err(); err != nil {
				return err
			}
			chosen := make([]int32, min(sliceOfReplace, b.Len()-from))
			for i := range chosen {
				chosen[i] = int32(from + i)
			}
			if err := c.append(unfinished+b.Table.Name, b, chosen); err != nil {
				return err
			}
			if e.logIsLarge() {
				if err := e.move(ctx, c); err != nil {
					return err
				}
			}
		}
	}
	if err := c.exec(ctx, begin); err != nil {
		return err
	}
	for _, s := range append(last, fmt.Sprintf("UPDATE %s SET version = %d", stateTable, engine.Version)) {
		if err := c.exec(ctx, s); err != nil {
			return err
		}
	}
	e.visible.Lock()
	defer e.visible.Unlock()
	return c.exec(context.WithoutCancel(ctx), "COMMIT")
}
