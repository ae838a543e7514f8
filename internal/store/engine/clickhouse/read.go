package clickhouse

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/bits"
	"slices"
	"strconv"
	"strings"

	"github.com/ClickHouse/ch-go"
	"github.com/ClickHouse/ch-go/proto"
	"golang.org/x/sync/errgroup"

	"whyhot/internal/store/engine"
)

// table is the name of a table in SQL.
func (e *Engine) table(t *engine.Table) string { return e.options.Database + "." + e.local(t) }

// having are the shards that have rows of a table.
func (e *Engine) having(t *engine.Table) []*shard {
	if counted(t) {
		return e.shards
	}
	return e.shards[:1]
}

// Sum asks all shards, and puts together what they answer.
func (e *Engine) Sum(ctx context.Context, q engine.Query) (*engine.Sums, error) {
	if err := q.Check(); err != nil {
		return nil, err
	}
	none := q.From >= q.To || q.Groups != nil && len(q.Groups) == 0 || q.Series != nil && len(q.Series) == 0
	if none || q.Level > math.MaxUint8 {
		return newAdder(len(q.By)).sums, ctx.Err()
	}
	shards := e.having(q.Table)
	answers, away, late := make([]*engine.Sums, len(shards)), make([]error, len(shards)), make([]bool, len(shards))
	group, asking := errgroup.WithContext(ctx)
	for i, s := range shards {
		group.Go(func() (err error) {
			if len(shards) > 1 && s.away() {
				away[i] = fmt.Errorf("the ClickHouse server %s: %w", s.addresses(), engine.ErrAway)
				return nil
			}
			err = s.read(asking, func(asking context.Context, r *server) (err error) {
				late[i] = r.late()
				answers[i], err = r.sum(asking, sumSQL(e.table(q.Table), q), len(q.By))
				return err
			})
			if errors.Is(err, engine.ErrAway) {
				away[i] = err
				return nil
			}
			return err
		})
	}
	err := group.Wait()
	switch {
	case errors.Is(err, engine.ErrOverflow):
		return nil, fmt.Errorf("%s: %w", q.Table.Name, engine.ErrOverflow)
	case err != nil:
		return nil, err
	}
	var there []*engine.Sums
	var missing []string
	for i, answer := range answers {
		if away[i] != nil {
			missing = append(missing, fmt.Sprintf("shard %d of %d", i+1, len(shards)))
			continue
		}
		if late[i] {
			missing = append(missing, fmt.Sprintf("a part of shard %d of %d", i+1, len(shards)))
		}
		there = append(there, answer)
	}
	if len(there) == 0 {
		return nil, away[0]
	}
	// Rows of one key meet on one shard where the key has what they are spread by.
	apart := slices.Contains(q.By, spreadColumn(q.Table))
	sums, err := together(there, apart)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", q.Table.Name, err)
	}
	sums.Missing = missing
	return sums, nil
}

// sum asks one shard.
func (s *server) sum(ctx context.Context, sql string, by int) (*engine.Sums, error) {
	a := newAdder(by)
	keys := make([]proto.ColUInt32, by)
	var periods proto.ColInt64
	var counts proto.ColUInt64
	var result proto.Results
	for i := range keys {
		result = append(result, proto.ResultColumn{Data: &keys[i]})
	}
	result = append(result, proto.ResultColumn{Data: &periods}, proto.ResultColumn{Data: &counts})
	err := s.do(ctx, ch.Query{Body: sql, Result: result, OnResult: func(context.Context, proto.Block) error {
		return a.add(keys, periods, counts)
	}})
	return a.sums, err
}

// together adds up the sums of several shards; apart says that none has a key of another.
func together(list []*engine.Sums, apart bool) (*engine.Sums, error) {
	out := list[0]
	if len(list) == 1 {
		return out, nil
	}
	rows := map[[4]uint32]int{}
	for r := range out.Len() {
		if !apart {
			rows[key(out.Keys, r)] = r
		}
	}
	for _, s := range list[1:] {
		for r := range s.Len() {
			if !apart {
				k := key(s.Keys, r)
				if at, ok := rows[k]; ok {
					if out.Values[at] > math.MaxInt64-s.Values[r] || out.Counts[at] > math.MaxInt64-s.Counts[r] {
						return nil, engine.ErrOverflow
					}
					out.Counts[at] += s.Counts[r]
					out.Values[at] += s.Values[r]
					continue
				}
				rows[k] = out.Len()
			}
			for c := range out.Keys {
				out.Keys[c] = append(out.Keys[c], s.Keys[c][r])
			}
			out.Counts, out.Values = append(out.Counts, s.Counts[r]), append(out.Values, s.Values[r])
		}
	}
	return out, nil
}

// adder adds up sums that come by period. It needs no map as long as there is one
// period, which is nearly always.
type adder struct {
	sums   *engine.Sums
	period int64
	rows   map[[4]uint32]int // once there is a second one
}

func newAdder(keys int) *adder {
	return &adder{sums: &engine.Sums{Keys: make([][]uint32, keys)}}
}

func (a *adder) add(keys []proto.ColUInt32, periods []int64, counts []uint64) error {
	for i, period := range periods {
		hi, lo := bits.Mul64(counts[i], uint64(period))
		if hi != 0 || lo > math.MaxInt64 || counts[i] > math.MaxInt64 {
			return engine.ErrOverflow
		}
		if a.sums.Len() == 0 {
			a.period = period
		}
		if period != a.period && a.rows == nil {
			a.rows = make(map[[4]uint32]int, a.sums.Len())
			for r := range a.sums.Len() {
				a.rows[key(a.sums.Keys, r)] = r
			}
		}
		if a.rows != nil {
			k := key(keys, i)
			if r, ok := a.rows[k]; ok {
				a.sums.Counts[r] += int64(counts[i])
				if a.sums.Values[r] > math.MaxInt64-int64(lo) {
					return engine.ErrOverflow
				}
				a.sums.Values[r] += int64(lo)
				continue
			}
			a.rows[k] = a.sums.Len()
		}
		for c := range keys {
			a.sums.Keys[c] = append(a.sums.Keys[c], keys[c][i])
		}
		a.sums.Counts, a.sums.Values = append(a.sums.Counts, int64(counts[i])), append(a.sums.Values, int64(lo))
	}
	return nil
}

func key[C ~[]uint32](columns []C, row int) (k [4]uint32) {
	for i, c := range columns {
		k[i] = c[row] //nolint:gosec // a query has four keys at most
	}
	return k
}

// Scan reads a table.
func (e *Engine) Scan(ctx context.Context, t *engine.Table, from, to uint32, yield func(*engine.Block) error) error {
	for _, s := range e.having(t) {
		if err := s.complete(); err != nil {
			return err
		}
	}
	names, result := make([]string, 0, len(t.Columns)), make(proto.Results, 0, len(t.Columns))
	for _, c := range t.Columns {
		names = append(names, c.Name)
		result = append(result, proto.ResultColumn{Data: resultColumn(t, c)})
	}
	where := noMarkers(t)
	if t.Timed {
		where += fmt.Sprintf(" AND minute >= %d AND minute < %d", from, to)
	}
	if t == engine.Batches { // of a commit that is to be made again they say nothing yet
		where += fmt.Sprintf(" AND %s <= %d", colCommit, e.Committed())
	}
	if !t.Timed {
		where += fmt.Sprintf(" ORDER BY %s, %s", colCommit, colRow)
	}
	var failed error
	for _, shard := range e.having(t) {
		err := shard.doWhole(ctx, ch.Query{
			Body:   fmt.Sprintf("SELECT %s FROM %s WHERE %s", strings.Join(names, ", "), e.table(t), where),
			Result: result, OnResult: func(_ context.Context, b proto.Block) error {
				if b.Rows == 0 {
					return nil
				}
				failed = yield(block(t, result))
				return failed
			},
		})
		if failed != nil {
			return failed
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// noMarkers chooses all rows but markers.
func noMarkers(t *engine.Table) string {
	if counted(t) {
		return engine.ColGroup + " > 0"
	}
	return fmt.Sprintf("%s < %d", colRow, uint32(firstMarker))
}

func resultColumn(t *engine.Table, c engine.Column) proto.ColResult {
	switch {
	case slices.Contains(t.Summed, c.Name), c.Type == engine.Uint64:
		return new(proto.ColUInt64)
	case c.Type == engine.Uint8:
		return new(proto.ColUInt8)
	case c.Type == engine.Uint32:
		return new(proto.ColUInt32)
	case c.Type == engine.Int64:
		return new(proto.ColInt64)
	}
	return new(proto.ColStr)
}

func block(t *engine.Table, result proto.Results) *engine.Block {
	b := &engine.Block{Table: t, Columns: make([]any, len(t.Columns))}
	for i := range t.Columns {
		switch c := result[i].Data.(type) {
		case *proto.ColUInt8:
			b.Columns[i] = slices.Clone([]uint8(*c))
		case *proto.ColUInt32:
			b.Columns[i] = slices.Clone([]uint32(*c))
		case *proto.ColUInt64:
			b.Columns[i] = slices.Clone([]uint64(*c))
		case *proto.ColInt64:
			b.Columns[i] = slices.Clone([]int64(*c))
		case *proto.ColStr:
			texts := make([]string, c.Rows())
			for r := range texts {
				texts[r] = c.Row(r)
			}
			b.Columns[i] = texts
		}
	}
	if len(t.Summed) > 0 {
		b.SplitCounts(b.Columns[len(t.Columns)-1].([]uint64)) //nolint:forcetypeassert // made above
	}
	return b
}

// partitions are the days that a shard has of a table, of more than so many parts.
func (e *Engine) partitions(ctx context.Context, s *shard, t *engine.Table, parts int) ([]uint32, error) {
	texts, err := s.texts(ctx, fmt.Sprintf("SELECT partition FROM system.parts WHERE database = '%s' AND table = '%s' AND active GROUP BY partition HAVING count() > %d ORDER BY partition", e.options.Database, local(t), parts))
	if err != nil {
		return nil, err
	}
	var out []uint32
	for _, text := range texts {
		day, err := strconv.ParseUint(text, 10, 32)
		if err != nil {
			return nil, fmt.Errorf("%s: %s has the partition %s, which is no day", s.name, local(t), text)
		}
		out = append(out, uint32(day))
	}
	return out, nil
}

// Drop removes the partitions of the days before.
func (e *Engine) Drop(ctx context.Context, t *engine.Table, before uint32) error {
	if !t.Timed {
		return fmt.Errorf("%s has no days", t.Name)
	}
	e.writing.Lock()
	defer e.writing.Unlock()
	for _, s := range e.shards {
		days, err := e.partitions(ctx, s, t, 0)
		if err != nil {
			return err
		}
		for _, day := range days {
			if day >= before/engine.MinutesPerDay {
				continue
			}
			if err := s.exec(ctx, fmt.Sprintf("ALTER TABLE %s.%s DROP PARTITION %d", e.options.Database, local(t), day)); err != nil {
				return err
			}
		}
	}
	return nil
}

// Compact has the servers merge parts now. By themselves they do so all the time,
// which is why nothing else pays.
func (e *Engine) Compact(ctx context.Context, all bool) error {
	if !all {
		return ctx.Err()
	}
	for _, s := range e.shards {
		for _, t := range engine.Tables() {
			if !t.Timed {
				continue
			}
			days, err := e.partitions(ctx, s, t, 1)
			if err != nil {
				return err
			}
			for _, day := range days {
				if err := s.exec(ctx, fmt.Sprintf("OPTIMIZE TABLE %s.%s PARTITION %d FINAL", e.options.Database, local(t), day)); err != nil {
					return err
				}
			}
		}
	}
	return ctx.Err()
}

// Stats counts rows without markers; bytes are with them.
func (e *Engine) Stats(ctx context.Context) ([]engine.TableStats, error) {
	var out []engine.TableStats
	var away error
	for _, t := range engine.Tables() {
		sum := engine.TableStats{Table: t.Name}
		for _, s := range e.having(t) {
			one, err := e.statsOf(ctx, s, t)
			if errors.Is(err, engine.ErrAway) {
				away = err
				continue
			}
			if err != nil {
				return nil, err
			}
			if err := s.complete(); err != nil {
				away = err
			}
			if one.Rows > 0 {
				if sum.Rows == 0 {
					sum.First = one.First
				}
				sum.First, sum.Last = min(sum.First, one.First), max(sum.Last, one.Last)
			}
			sum.Rows += one.Rows
			sum.Bytes += one.Bytes
		}
		out = append(out, sum)
	}
	return out, away
}

// statsOf is what one shard has of a table.
func (e *Engine) statsOf(ctx context.Context, shard *shard, t *engine.Table) (s engine.TableStats, err error) {
	if shard.away() {
		return s, fmt.Errorf("the ClickHouse server %s: %w", shard.addresses(), engine.ErrAway)
	}
	columns := []string{"toUInt64(count())"}
	if t.Timed {
		columns = append(columns, "toUInt64(min(minute))", "toUInt64(max(minute))")
	}
	var numbers [3]proto.ColUInt64
	result := make(proto.Results, 0, len(columns))
	for i := range columns {
		result = append(result, proto.ResultColumn{Data: &numbers[i]})
	}
	if err := shard.do(ctx, ch.Query{
		Body:   fmt.Sprintf("SELECT %s FROM %s WHERE %s", strings.Join(columns, ", "), e.table(t), noMarkers(t)),
		Result: result, OnResult: func(_ context.Context, b proto.Block) error {
			if b.Rows == 0 {
				return nil
			}
			s.Rows = int64(numbers[0][0])
			if t.Timed && s.Rows > 0 {
				s.First, s.Last = uint32(numbers[1][0]), uint32(numbers[2][0])
			}
			return nil
		},
	}); err != nil {
		return s, err
	}
	bytes, err := shard.numbers(ctx, fmt.Sprintf("SELECT toUInt64(sum(bytes_on_disk)) FROM system.parts WHERE database = '%s' AND table = '%s' AND active", e.options.Database, e.local(t)))
	for _, n := range bytes {
		s.Bytes += int64(n)
	}
	return s, err
}
