//go:build cgo

package duckdb

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	duck "github.com/duckdb/duckdb-go-bindings"

	"whyhot/internal/store/engine"
)

// When a day is written anew: when the rows appended since the last time are at least
// leastAppended, and more than a part of those that are sorted. That part is half for
// the newest day of a table, which then is written a bounded number of times however
// much it grows (each row about three times), and a twentieth for those before it,
// which hardly grow.
const (
	leastAppended = 1 << 16
	partOfNewest  = 0.5
	partOfOthers  = 0.05
)

// Compact writes days anew where that pays, and then the file.
func (e *Engine) Compact(ctx context.Context, all bool) error {
	for _, of := range e.due(all) {
		if err := e.rewrite(ctx, of); err != nil {
			return fmt.Errorf("compaction of %s, day %d: %w", of.table.Name, of.day, err)
		}
	}
	if !all {
		return e.shrink(ctx, all)
	}
	c, err := e.connect()
	if err != nil {
		return err
	}
	err = e.move(ctx, c)
	c.close()
	if err != nil {
		return err
	}
	return e.shrink(ctx, all)
}

// move moves the rows of the log into the database and frees what was removed.
func (e *Engine) move(ctx context.Context, c *conn) error {
	err := c.exec(ctx, "CHECKPOINT")
	if f := (*failure)(nil); errors.As(err, &f) && f.kind == duck.ErrorTypeTransaction {
		return nil // a commit is under way: another time
	}
	return err
}

// due are the days to write anew, oldest first.
func (e *Engine) due(all bool) []dayOf {
	e.visible.RLock()
	defer e.visible.RUnlock()
	newest := map[*engine.Table]uint32{}
	for of := range e.parts {
		newest[of.table] = max(newest[of.table], of.day)
	}
	var out []dayOf
	for of, parts := range e.parts {
		var sorted, appended int64
		for _, p := range parts {
			if p.sorted {
				sorted += p.rows
			} else {
				appended += p.rows
			}
		}
		share := partOfOthers
		if of.day == newest[of.table] {
			share = partOfNewest
		}
		pays := appended >= leastAppended && float64(appended) > share*float64(sorted)
		whole := len(parts) == 1 && parts[0].sorted
		if pays || all && !whole {
			out = append(out, of)
		}
	}
	slices.SortFunc(out, func(a, b dayOf) int {
		return cmp.Or(cmp.Compare(a.day, b.day), strings.Compare(a.table.Name, b.table.Name))
	})
	return out
}

// rewrite makes one sorted part of those that a day has. Commits go on meanwhile:
// they append to another part, so that transactions touch nothing in common. It is
// done in slices, each a transaction, under a name that says that it is not finished:
// the memory that sorting takes is bounded, and so is the time for which the log
// cannot be moved. The last transaction puts the new part in the place of the others.
func (e *Engine) rewrite(ctx context.Context, of dayOf) error {
	e.rewriting.Lock()
	defer e.rewriting.Unlock()
	old := e.seal(of)
	if len(old) == 0 {
		return nil
	}
	c, err := e.connect()
	if err != nil {
		return err
	}
	defer c.close() // and with it a transaction that failed
	p := e.newPart(of, true)
	from := union(old)
	ranges, err := c.ranges(ctx, of.table, from)
	if err != nil {
		return err
	}
	building := unfinished + p.name
	if err := c.exec(ctx, fmt.Sprintf("CREATE TABLE %s AS %s LIMIT 0", building, mergedSQL(of.table, from, "true"))); err != nil {
		return err
	}
	for _, slice := range ranges {
		err := c.exec(ctx, fmt.Sprintf("INSERT INTO %s %s", building, mergedSQL(of.table, from, slice)))
		if err == nil && e.logIsLarge() {
			err = e.move(ctx, c)
		}
		if err != nil {
			_ = c.exec(context.WithoutCancel(ctx), "DROP TABLE "+building)
			return err
		}
	}
	return e.replace(ctx, c, of, old, p)
}

// replace puts a part that is finished in the place of others.
func (e *Engine) replace(ctx context.Context, c *conn, of dayOf, old []part, p part) error {
	if err := c.one(ctx, "SELECT count(*) FROM "+unfinished+p.name, &p.rows); err != nil {
		return err
	}
	statements := []string{begin, fmt.Sprintf("ALTER TABLE %s RENAME TO %s", unfinished+p.name, p.name)}
	for _, o := range old {
		statements = append(statements, "DROP TABLE "+o.name)
	}
	for _, s := range statements {
		if err := c.exec(ctx, s); err != nil {
			return err
		}
	}
	e.visible.Lock()
	defer e.visible.Unlock()
	if err := c.exec(context.WithoutCancel(ctx), "COMMIT"); err != nil {
		return err
	}
	e.parts[of] = append(slices.DeleteFunc(e.parts[of], func(q part) bool { return slices.ContainsFunc(old, func(o part) bool { return o.name == q.name }) }), p)
	e.checkpoint.wake()
	return nil
}

// rowsOfSlice is about how many rows are sorted at once: some 100 MB.
const rowsOfSlice = 2_000_000

// ranges are conditions that share the rows of a table out by the first two columns
// of its order, in that order.
func (c *conn) ranges(ctx context.Context, t *engine.Table, from string) ([]string, error) {
	first, second := t.Order[0], t.Order[1]
	if len(t.Summed) == 0 { // text: few rows
		return []string{"true"}, nil
	}
	var out []string
	var rows, a, b int64 // of the slice, and where it begins
	sql := fmt.Sprintf("SELECT %s::BIGINT, %s::BIGINT, count(*) FROM %s GROUP BY %[1]s, %[2]s ORDER BY %[1]s, %[2]s", first, second, from)
	err := c.query(ctx, sql, func(ch chunk) error {
		x, y, n := values[int64](ch, 0), values[int64](ch, 1), values[int64](ch, 2)
		for i := range n {
			if rows > 0 && rows+n[i] > rowsOfSlice {
				out = append(out, fmt.Sprintf("%s AND %s <= %d AND (%[2]s < %[3]d OR %[4]s < %[5]d)", atLeast(first, second, a, b), first, x[i], second, y[i]))
				rows, a, b = 0, x[i], y[i]
			}
			rows += n[i]
		}
		return nil
	})
	return append(out, atLeast(first, second, a, b)), err
}

func atLeast(first, second string, a, b int64) string {
	return fmt.Sprintf("%s >= %d AND (%[1]s > %[2]d OR %[3]s >= %[4]d)", first, a, second, b)
}

// seal ends the appending to a day's parts and gives them. A later commit appends to
// a new one.
func (e *Engine) seal(of dayOf) []part {
	e.writing.Lock() // not in the middle of a commit
	defer e.writing.Unlock()
	e.visible.Lock()
	defer e.visible.Unlock()
	for i := range e.parts[of] {
		e.parts[of][i].sealed = true
	}
	return slices.Clone(e.parts[of])
}

// union is all rows of some parts.
func union(parts []part) string {
	selects := make([]string, len(parts))
	for i, p := range parts {
		selects[i] = "FROM " + p.name // all columns, which all parts have in the same order
	}
	return "(" + strings.Join(selects, " UNION ALL ") + ")"
}

// mergedSQL gives rows in order, with those that differ in nothing but their counts
// as one.
func mergedSQL(t *engine.Table, from, where string) string {
	var columns, keys []string
	for _, c := range t.Columns {
		if slices.Contains(t.Summed, c.Name) {
			columns = append(columns, fmt.Sprintf("sum(%s::BIGINT)::UBIGINT AS %[1]s", c.Name))
			continue
		}
		columns, keys = append(columns, c.Name), append(keys, c.Name)
	}
	groupBy := ""
	if len(t.Summed) > 0 {
		groupBy = " GROUP BY " + strings.Join(keys, ", ")
	}
	return fmt.Sprintf("SELECT %s FROM %s WHERE %s%s ORDER BY %s", strings.Join(columns, ", "), from, where, groupBy, strings.Join(t.Order, ", "))
}

// Drop removes the tables of the days before.
func (e *Engine) Drop(ctx context.Context, t *engine.Table, before uint32) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if !t.Timed {
		return fmt.Errorf("%s has no days", t.Name)
	}
	e.rewriting.Lock()
	defer e.rewriting.Unlock()
	e.writing.Lock()
	defer e.writing.Unlock()
	if e.lost != nil {
		return e.lost
	}
	e.visible.Lock()
	defer e.visible.Unlock()
	statements, gone := []string{begin}, []dayOf{}
	for of, parts := range e.parts {
		if of.table != t || of.day >= before/engine.MinutesPerDay {
			continue
		}
		for _, p := range parts {
			statements = append(statements, "DROP TABLE "+p.name)
		}
		gone = append(gone, of)
	}
	if len(gone) == 0 {
		return nil
	}
	for _, s := range append(statements, "COMMIT") {
		if err := e.writer.exec(context.WithoutCancel(ctx), s); err != nil {
			return e.rollback(ctx, fmt.Errorf("removal of days of %s: %w", t.Name, err))
		}
	}
	for _, of := range gone {
		delete(e.parts, of)
	}
	e.checkpoint.wake()
	return nil
}

// walSize is the size of the write-ahead log from which on its rows are moved into
// the database. Larger makes commits cheaper, opening after a crash slower (a second
// for this much) and the disk a little fuller.
const walSize = 64 << 20

// checkpointer moves rows from the log into the database beside the commits. DuckDB
// by itself does it within one, which then takes seconds.
type checkpointer struct {
	wanted chan struct{}
	done   sync.WaitGroup
	cancel context.CancelFunc
}

func (k *checkpointer) start(e *Engine) {
	k.wanted = make(chan struct{}, 1)
	ctx, cancel := context.WithCancel(context.Background())
	k.cancel = cancel
	k.done.Go(func() {
		for {
			select {
			case <-ctx.Done():
				return
			case <-k.wanted:
			}
			if !e.logIsLarge() {
				continue
			}
			c, err := e.connect()
			if err != nil {
				continue
			}
			// Where it cannot be done now it is tried again after the next commit: the
			// rows are safe in the log.
			_ = e.move(ctx, c)
			c.close()
		}
	})
}

func (e *Engine) logIsLarge() bool { return e.logBytes() >= walSize }

func (e *Engine) logBytes() int64 {
	info, err := os.Stat(filepath.Join(e.dir, fileName+".wal"))
	if err != nil {
		return 0 // there is none
	}
	return info.Size()
}

// wake has the log looked at.
func (k *checkpointer) wake() {
	select {
	case k.wanted <- struct{}{}:
	default:
	}
}

// stop ends it, and what it does.
func (k *checkpointer) stop() {
	k.cancel()
	k.done.Wait()
}

// Stats reads the tables' extremes from their statistics, and their bytes from the
// places of their columns in the file. Rows that are in the log alone, as all are of a small
// project, have their part of the log's size.
func (e *Engine) Stats(ctx context.Context) ([]engine.TableStats, error) {
	var out []engine.TableStats
	err := e.asking(ctx, func(c *conn, parts func(*engine.Table, uint32, uint32) []string) error {
		var places []place
		logged := make([]int64, len(engine.Tables())) // values in the log, by table
		for _, t := range engine.Tables() {
			s := engine.TableStats{Table: t.Name}
			tables, columns := []string{t.Name}, "count(*)"
			if t.Timed {
				// A minute of the last day may be the largest number there is.
				tables, columns = parts(t, 0, math.MaxUint32), "count(*), coalesce(min(minute), 0)::BIGINT, coalesce(max(minute), 0)::BIGINT"
			}
			for _, name := range tables {
				var rows, first, last int64
				into := []*int64{&rows, &first, &last}
				if !t.Timed {
					into = into[:1]
				}
				if err := c.one(ctx, fmt.Sprintf("SELECT %s FROM %s", columns, name), into...); err != nil {
					return err
				}
				if t.Timed && rows > 0 {
					if s.Rows == 0 {
						s.First = uint32(first)
					}
					s.First, s.Last = min(s.First, uint32(first)), max(s.Last, uint32(last))
				}
				s.Rows += rows
				more, waiting, err := c.places(ctx, name, len(out))
				if err != nil {
					return err
				}
				places = append(places, more...)
				logged[len(out)] += waiting
			}
			out = append(out, s)
		}
		share(places, out)
		shareLog(e.logBytes(), logged, out)
		return nil
	})
	return out, err
}

// place is where a piece of a column begins.
type place struct {
	block, offset int64
	table         int
}

// blockSize is that of DuckDB's files.
const blockSize = 256 << 10

// places are the pieces of a table in the file, and how many of its values are not there yet.
func (c *conn) places(ctx context.Context, name string, table int) (out []place, logged int64, err error) {
	err = c.query(ctx, fmt.Sprintf("SELECT coalesce(block_id, -1)::BIGINT, coalesce(block_offset, 0)::BIGINT, coalesce(len(additional_block_ids), 0)::BIGINT, CASE WHEN persistent THEN 0 ELSE count END::BIGINT FROM pragma_storage_info('%s') WHERE NOT persistent OR block_id >= 0", name), func(ch chunk) error {
		blocks, offsets, more, waiting := values[int64](ch, 0), values[int64](ch, 1), values[int64](ch, 2), values[int64](ch, 3)
		for i := range blocks {
			if waiting[i] > 0 {
				logged += waiting[i]
				continue
			}
			out = append(out, place{blocks[i], offsets[i], table})
			for k := range more[i] { // blocks of its own
				out = append(out, place{-1 - k, 0, table})
			}
		}
		return nil
	})
	return out, logged, err
}

// loggedBytes is about what a value takes in the log, half of it being whether it is there: more
// of the log is of tables that have gone since.
const loggedBytes = 4

// shareLog gives each table its part of the bytes of the log.
func shareLog(bytes int64, logged []int64, tables []engine.TableStats) {
	var all int64
	for _, n := range logged {
		all += n
	}
	for i, n := range logged {
		if all > 0 {
			tables[i].Bytes += min(int64(float64(bytes)*float64(n)/float64(all)), loggedBytes*n)
		}
	}
}

// share gives each table the bytes between its pieces and those that follow in the
// same block.
func share(places []place, tables []engine.TableStats) {
	slices.SortFunc(places, func(a, b place) int { return cmp.Or(cmp.Compare(a.block, b.block), cmp.Compare(a.offset, b.offset)) })
	for i, p := range places {
		end := int64(blockSize)
		if p.block >= 0 && i+1 < len(places) && places[i+1].block == p.block {
			end = places[i+1].offset
		}
		tables[p.table].Bytes += end - p.offset
	}
}
