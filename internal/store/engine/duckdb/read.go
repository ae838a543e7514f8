//go:build cgo

package duckdb

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	duck "github.com/duckdb/duckdb-go-bindings"

	"whyhot/internal/store/engine"
	"whyhot/internal/store/stage"
)

// asking begins a question: f runs in a transaction that sees the parts it is given
// and no more.
func (e *Engine) asking(ctx context.Context, f func(c *conn, parts func(t *engine.Table, from, to uint32) []string) error) error {
	c, err := e.reader()
	if err != nil {
		return err
	}
	// DuckDB takes its snapshot when a transaction first reads.
	stage.Enter(ctx, "waiting for the end of a commit")
	e.visible.RLock()
	stage.Enter(ctx, "reading rows")
	parts := func(*engine.Table, uint32, uint32) []string { return nil }
	err = c.exec(ctx, "BEGIN TRANSACTION READ ONLY")
	if err == nil {
		err = c.exec(ctx, "SELECT committed FROM "+stateTable)
		seen := make(map[dayOf][]part, len(e.parts))
		for of, p := range e.parts {
			seen[of] = slices.Clone(p)
		}
		parts = func(t *engine.Table, from, to uint32) []string { return names(seen, t, from, to) }
	}
	e.visible.RUnlock()
	if err == nil {
		err = f(c, parts)
	}
	// A connection on which anything failed is not used again.
	if err != nil || c.exec(context.WithoutCancel(ctx), "COMMIT") != nil {
		c.close()
		return err
	}
	e.release(c)
	return nil
}

// names are the parts that can hold rows of minutes in [from, to), in a fixed order.
func names(parts map[dayOf][]part, t *engine.Table, from, to uint32) []string {
	var out []string
	for of, ps := range parts {
		first := uint64(of.day) * engine.MinutesPerDay
		if of.table != t || uint64(to) <= first || uint64(from) >= first+engine.MinutesPerDay {
			continue
		}
		for _, p := range ps {
			out = append(out, p.name)
		}
	}
	slices.Sort(out)
	return out
}

// Sum is one aggregation over the parts of the days in question.
func (e *Engine) Sum(ctx context.Context, q engine.Query) (*engine.Sums, error) {
	if err := q.Check(); err != nil {
		return nil, err
	}
	sums := &engine.Sums{Keys: make([][]uint32, len(q.By))}
	none := q.From >= q.To || q.Groups != nil && len(q.Groups) == 0 || q.Series != nil && len(q.Series) == 0
	if none || q.Level > math.MaxUint8 {
		return sums, ctx.Err()
	}
	err := e.asking(ctx, func(c *conn, parts func(*engine.Table, uint32, uint32) []string) error {
		from := parts(q.Table, q.From, q.To)
		if len(from) == 0 {
			return ctx.Err()
		}
		if dense(&q) {
			if done, err := c.sumDense(ctx, &q, from, sums); done || err != nil {
				return err
			}
		}
		return c.query(ctx, sumSQL(q, from), func(ch chunk) error {
			for i := range q.By {
				sums.Keys[i] = more(sums.Keys[i], ch, i)
			}
			sums.Counts = more(sums.Counts, ch, len(q.By))
			sums.Values = more(sums.Values, ch, len(q.By)+1)
			return nil
		})
	})
	if f := (*failure)(nil); errors.As(err, &f) && (f.kind == duck.ErrorTypeOutOfRange || f.kind == duck.ErrorTypeConversion) {
		return nil, fmt.Errorf("%s: %w", q.Table.Name, engine.ErrOverflow)
	}
	if err != nil {
		return nil, err
	}
	return sums, nil
}

// sumSQL is the query of a sum. Products and sums are checked by DuckDB, except where
// it knows from the columns' extremes that they fit.
func sumSQL(q engine.Query, parts []string) string {
	keys := make([]string, 0, len(q.By))
	for _, by := range q.By {
		if by == engine.ColMinute && q.Step > 1 {
			by = fmt.Sprintf("(minute // %d::UINTEGER * %d::UINTEGER)::UINTEGER", q.Step, q.Step)
		}
		keys = append(keys, by)
	}
	columns := append([]string{engine.ColPeriod, engine.ColCount}, q.By...)
	where := where(q)
	selects := make([]string, len(parts))
	for i, p := range parts {
		selects[i] = fmt.Sprintf("SELECT %s FROM %s WHERE %s", strings.Join(columns, ", "), p, where)
	}
	sum := "sum(events::BIGINT)::BIGINT, sum(events::BIGINT * period)::BIGINT"
	if q.Events {
		sum = "sum(events::BIGINT)::BIGINT, 0::BIGINT"
	}
	rows := strings.Join(selects, " UNION ALL ")
	if len(keys) == 0 {
		return fmt.Sprintf("SELECT %s FROM (%s) HAVING count(*) > 0", sum, rows)
	}
	by := strings.Join(keys, ", ")
	return fmt.Sprintf("SELECT %s, %s FROM (%s) GROUP BY %s", by, sum, rows, by)
}

func where(q engine.Query) string {
	terms := []string{fmt.Sprintf("minute >= %d AND minute < %d", q.From, q.To)}
	if q.Table == engine.Thinned {
		terms = append(terms, fmt.Sprintf("level = %d", q.Level))
	}
	if q.Groups != nil {
		terms = append(terms, oneOf(engine.ColGroup, q.Groups))
	}
	if q.Series != nil {
		terms = append(terms, oneOf(engine.ColSeries, q.Series))
	}
	return strings.Join(terms, " AND ")
}

// oneOf chooses the rows of some ids. The extremes are for the zone maps, which a
// long list does not reach.
func oneOf(column string, ids []uint32) string {
	least, most := ids[0], ids[len(ids)-1]
	if int(most-least) == len(ids)-1 {
		return fmt.Sprintf("%s BETWEEN %d AND %d", column, least, most)
	}
	return fmt.Sprintf("%s BETWEEN %d AND %d AND %[1]s IN (%[4]s)", column, least, most, list(ids))
}

func list(ids []uint32) string {
	return strings.Trim(strings.ReplaceAll(fmt.Sprint(ids), " ", ","), "[]")
}

// Scan reads a table, part by part.
func (e *Engine) Scan(ctx context.Context, t *engine.Table, from, to uint32, yield func(*engine.Block) error) error {
	return e.asking(ctx, func(c *conn, parts func(*engine.Table, uint32, uint32) []string) error {
		tables, where := []string{t.Name}, ""
		if t.Timed {
			tables, where = parts(t, from, to), fmt.Sprintf(" WHERE minute >= %d AND minute < %d", from, to)
		}
		for _, name := range tables {
			if err := c.stream(ctx, fmt.Sprintf("SELECT %s FROM %s%s", columnsSQL(t), name, where), gather(t, yield)); err != nil {
				return err
			}
		}
		return ctx.Err()
	})
}

// columnsSQL are a table's columns in the types of a block, except for counts, which
// Compact may have made too large for theirs.
func columnsSQL(t *engine.Table) string {
	columns := make([]string, len(t.Columns))
	for i, c := range t.Columns {
		columns[i] = c.Name
		if slices.Contains(t.Summed, c.Name) {
			columns[i] += "::UBIGINT"
		}
	}
	return strings.Join(columns, ", ")
}

// gather makes blocks of chunks.
func gather(t *engine.Table, yield func(*engine.Block) error) func(chunk) error {
	return func(ch chunk) error {
		b := &engine.Block{Table: t, Columns: make([]any, len(t.Columns))}
		for i, c := range t.Columns {
			switch {
			case slices.Contains(t.Summed, c.Name): // set below
			case c.Type == engine.Uint8:
				b.Columns[i] = slices.Clone(values[uint8](ch, i))
			case c.Type == engine.Uint32:
				b.Columns[i] = slices.Clone(values[uint32](ch, i))
			case c.Type == engine.Uint64:
				b.Columns[i] = slices.Clone(values[uint64](ch, i))
			case c.Type == engine.Int64:
				b.Columns[i] = slices.Clone(values[int64](ch, i))
			case c.Type == engine.Text:
				b.Columns[i] = texts(ch, i)
			}
		}
		if len(t.Summed) > 0 {
			b.SplitCounts(values[uint64](ch, len(t.Columns)-1))
		}
		return yield(b)
	}
}
