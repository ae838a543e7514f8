package clickhouse

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/ClickHouse/ch-go"
	"github.com/ClickHouse/ch-go/proto"
	"golang.org/x/sync/errgroup"

	"whyhot/internal/store/engine"
)

// piece is what one INSERT writes.
type piece struct {
	table *engine.Table
	shard int
	// day and chunk of it; a marker's minute tells both.
	day, chunk uint32
	rows       []row
}

// row is one of a block.
type row struct {
	block *engine.Block
	at    int32
}

// most are the rows of a piece. Servers may split what is larger into blocks that
// they write one by one.
const most = 500_000

// firstMarker is the row number of the marker of a dictionary's first piece.
const firstMarker = 1 << 31

// chunksOfDay is more than a commit has pieces of a day.
const chunksOfDay = 64

// Commit inserts the pieces that are not there yet, then the number.
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
	if err := e.hold(ctx); err != nil {
		return err
	}
	if err := e.commit(ctx, number, blocks); err != nil {
		e.unsure.Store(true)
		return fmt.Errorf("commit %d: %w", number, err)
	}
	e.unsure.Store(false)
	e.committed.Store(number)
	return nil
}

// hold has the database held by this process, what others began finished, and the dictionary
// decided.
func (e *Engine) hold(ctx context.Context) error {
	if err := e.regain(ctx); err != nil {
		return err
	}
	if err := e.fence(ctx, e.shards); err != nil {
		return err
	}
	if e.pending != nil {
		if err := e.finish(ctx, e.shards); err != nil {
			return err
		}
	}
	if e.undecided {
		return e.decide(ctx)
	}
	return nil
}

func (e *Engine) commit(ctx context.Context, number uint64, blocks []*engine.Block) error {
	pieces := split(blocks, len(e.shards))
	if e.unsure.Load() {
		if err := e.quiet(ctx, e.shards); err != nil {
			return err
		}
	}
	if err := e.intend(ctx, number, blocks); err != nil {
		return err
	}
	all := pieces
	if e.unsure.Load() {
		var err error
		if pieces, err = e.missing(ctx, number, pieces); err != nil {
			return err
		}
	}
	if err := e.declare(ctx, number, blocks); err != nil {
		return err
	}
	if err := e.insertAll(ctx, number, pieces, all); err != nil {
		return err
	}
	return e.complete(ctx, number)
}

// insertAll inserts pieces of a commit, and waits until all of it are on each replica: what a try
// of before inserted may be on one alone.
func (e *Engine) insertAll(ctx context.Context, number uint64, pieces, all []*piece) error {
	// What others refer to goes first: a dictionary is there before the rows.
	for _, timed := range []bool{false, true} {
		shards, inserting := errgroup.WithContext(ctx)
		for i, s := range e.shards {
			shards.Go(func() error {
				for _, p := range pieces {
					if p.shard != i || p.table.Timed != timed {
						continue
					}
					if err := e.insert(inserting, s, e.local(p.table), p.input(number), e.queryID(number, p)); err != nil {
						return err
					}
				}
				return nil
			})
		}
		if err := shards.Wait(); err != nil {
			return err
		}
		of := slices.DeleteFunc(slices.Clone(all), func(p *piece) bool { return p.table.Timed != timed })
		if err := e.spread(ctx, number, of, e.generation.Load()); err != nil {
			return err
		}
	}
	return nil
}

// spread waits until each replica that is not away has the pieces of a commit: what its server
// says that it has is then not on one disk alone, and what rows refer to is there before
// them wherever it is read.
func (e *Engine) spread(ctx context.Context, number uint64, pieces []*piece, generation uint64) error {
	type place struct {
		table *engine.Table
		shard int
	}
	counts := map[place]uint64{}
	for _, p := range pieces {
		counts[place{p.table, p.shard}]++
	}
	for at, n := range counts {
		sql := fmt.Sprintf("SELECT toUInt64(count()) FROM %s.%s WHERE %s", e.options.Database, localOf(at.table, generation), markers(at.table, "=", number))
		if err := e.shards[at.shard].present(ctx, sql, n); err != nil {
			return err
		}
	}
	return nil
}

// complete says that a commit is whole.
func (e *Engine) complete(ctx context.Context, number uint64) error {
	var column proto.ColUInt64
	column.Append(number)
	if err := e.insert(ctx, e.shards[0], tableCommits, proto.Input{{Name: "number", Data: &column}}, e.queryPrefix()+"number"); err != nil {
		return err
	}
	return e.shards[0].present(ctx, fmt.Sprintf("SELECT max(number) FROM %s.%s", e.options.Database, tableCommits), number)
}

func (e *Engine) queryPrefix() string { return "whyhot writes " + e.options.Database + " " }

func (e *Engine) queryID(number uint64, p *piece) string {
	return fmt.Sprintf("%s%d %s %d %d", e.queryPrefix(), number, p.table.Name, p.day, p.chunk)
}

// quiet waits until no server works on an INSERT of before: whether its rows are
// there is decided then. A server has an INSERT in its list before it takes rows.
func (e *Engine) quiet(ctx context.Context, shards []*shard) error {
	var all []*server
	for _, s := range shards {
		all = append(all, s.asked()...)
	}
	for _, s := range all {
		for end := time.Now().Add(caughtUp); ; {
			busy, err := s.numbers(ctx, fmt.Sprintf("SELECT toUInt64(count()) FROM system.processes WHERE query_id LIKE '%s%%'", strings.ReplaceAll(e.queryPrefix(), "_", `\\_`)))
			if e.options.replicated() && errors.Is(err, engine.ErrAway) {
				break // of a block that is under way there, what comes later is taken once
			}
			if err != nil {
				return err
			}
			if busy[0] == 0 || e.options.replicated() && time.Now().After(end) {
				break // as well
			}
			if err := sleep(ctx); err != nil {
				return err
			}
		}
	}
	return nil
}

func sleep(ctx context.Context) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(100 * time.Millisecond):
		return nil
	}
}

// missing are the pieces of which there is no marker.
func (e *Engine) missing(ctx context.Context, number uint64, pieces []*piece) ([]*piece, error) {
	type place struct {
		table *engine.Table
		shard int
	}
	there := map[place][]uint64{}
	var out []*piece
	for _, p := range pieces {
		at := place{p.table, p.shard}
		if _, ok := there[at]; !ok {
			column := engine.ColMinute
			if !counted(p.table) {
				column = colRow
			}
			markers, err := e.shards[p.shard].numbers(ctx, fmt.Sprintf("SELECT toUInt64(%s) FROM %s.%s WHERE %s", column, e.options.Database, e.local(p.table), markers(p.table, "=", number)))
			if err != nil {
				return nil, err
			}
			there[at] = markers
		}
		if !slices.Contains(there[at], uint64(p.marker())) {
			out = append(out, p)
		}
	}
	return out, nil
}

// markers chooses the markers of commits.
func markers(t *engine.Table, compare string, number uint64) string {
	if !counted(t) {
		return fmt.Sprintf("%s %s %d AND %s >= %d", colCommit, compare, number, colRow, uint32(firstMarker))
	}
	where := fmt.Sprintf("%s = 0 AND %s %s %d", engine.ColGroup, engine.ColPeriod, compare, number)
	if t == engine.Thinned {
		where = engine.ColLevel + " = 0 AND " + where
	}
	return where
}

func markersAfter(t *engine.Table, number uint64) string { return markers(t, ">", number) }

func (p *piece) marker() uint32 {
	if !counted(p.table) {
		return firstMarker + p.day*chunksOfDay + p.chunk
	}
	return p.day*engine.MinutesPerDay + p.chunk
}

// split makes the pieces of a commit: the same for the same blocks.
func split(blocks []*engine.Block, shards int) []*piece {
	type place struct {
		table *engine.Table
		shard int
		day   uint32
	}
	open := map[place]*piece{}
	var out []*piece
	for _, b := range blocks {
		var minutes, spread []uint32
		if b.Table.Timed {
			minutes = b.Uint32s(engine.ColMinute)
		}
		if counted(b.Table) {
			spread = b.Uint32s(spreadColumn(b.Table))
		}
		for i := range b.Len() {
			at := place{table: b.Table}
			if b.Table.Timed {
				at.day = minutes[i] / engine.MinutesPerDay
			}
			if spread != nil {
				at.shard = int(mix(spread[i]) % uint32(shards))
			}
			p := open[at]
			if p == nil || len(p.rows) == most {
				next := &piece{table: at.table, shard: at.shard, day: at.day}
				if p != nil {
					next.chunk = p.chunk + 1
				}
				p, open[at], out = next, next, append(out, next)
			}
			p.rows = append(p.rows, row{b, int32(i)})
		}
	}
	return out
}

// spreadColumn is that by which rows are spread over the shards: equal rows meet.
func spreadColumn(t *engine.Table) string {
	if t == engine.Activity {
		return engine.ColSeries
	}
	return engine.ColStack
}

// mix is the finalizer of MurmurHash3, so that stacks that are numbered in turn do not
// go to shards in turn.
func mix(h uint32) uint32 {
	h = (h ^ h>>16) * 0x85ebca6b
	h = (h ^ h>>13) * 0xc2b2ae35
	return h ^ h>>16
}

// input are the piece's columns, the marker in front.
func (p *piece) input(number uint64) proto.Input {
	var in proto.Input
	for i, c := range p.table.Columns {
		var data proto.ColInput
		switch {
		case slices.Contains(p.table.Summed, c.Name):
			data = gather(p, i, 1, func(v uint32) uint64 { return uint64(v) }, proto.ColUInt64{})
		case c.Name == engine.ColMinute:
			data = gather(p, i, p.day*engine.MinutesPerDay+p.chunk%engine.MinutesPerDay, same, proto.ColUInt32{})
		case c.Name == engine.ColPeriod:
			data = gather(p, i, int64(number), same, proto.ColInt64{})
		case c.Type == engine.Uint8:
			data = gather(p, i, 0, same, proto.ColUInt8{})
		case c.Type == engine.Uint32:
			data = gather(p, i, 0, same, proto.ColUInt32{})
		case c.Type == engine.Uint64:
			data = gather(p, i, 0, same, proto.ColUInt64{})
		case c.Type == engine.Int64:
			data = gather(p, i, 0, same, proto.ColInt64{})
		default:
			column := &proto.ColStr{}
			column.Append("")
			for _, r := range p.rows {
				column.Append(r.block.Texts(c.Name)[r.at])
			}
			data = column
		}
		in = append(in, proto.InputColumn{Name: c.Name, Data: data})
	}
	if counted(p.table) {
		return in
	}
	numbers, rows := make(proto.ColUInt64, len(p.rows)+1), make(proto.ColUInt32, len(p.rows)+1)
	rows[0] = p.marker()
	for i := range numbers {
		numbers[i] = number
		if i > 0 {
			rows[i] = p.chunk*most + uint32(i)
		}
	}
	return append(in, proto.InputColumn{Name: colCommit, Data: &numbers}, proto.InputColumn{Name: colRow, Data: &rows})
}

func same[T any](v T) T { return v }

// gather makes a column of a piece: the marker's value, then those of the rows.
func gather[From, To any, C interface {
	~[]To
}](p *piece, column int, marker To, as func(From) To, _ C) proto.ColInput {
	out := make(C, 0, len(p.rows)+1)
	out = append(out, marker)
	for _, r := range p.rows {
		out = append(out, as(r.block.Columns[column].([]From)[r.at])) //nolint:forcetypeassert // Check saw to it
	}
	return any(&out).(proto.ColInput) //nolint:forcetypeassert // all four of C are
}

// insert writes one block.
func (s *server) insert(ctx context.Context, database, table string, in proto.Input, id string) error {
	columns := make([]string, 0, len(in))
	for _, c := range in {
		columns = append(columns, c.Name)
	}
	return s.do(ctx, ch.Query{Body: fmt.Sprintf("INSERT INTO %s.%s (%s) VALUES", database, table, strings.Join(columns, ", ")), QueryID: id, Input: in})
}

// program is the version of a server's program, as it said when it was last connected to.
func (s *server) program(ctx context.Context) ([2]int, error) {
	if v := s.release.Load(); v != nil {
		return *v, nil
	}
	return s.version(ctx)
}

// version is that of a server's program.
func (s *server) version(ctx context.Context) ([2]int, error) {
	text, err := s.texts(ctx, "SELECT version()")
	if err != nil {
		return [2]int{}, err
	}
	var v [2]int
	if _, err := fmt.Sscanf(text[0], "%d.%d", &v[0], &v[1]); err != nil {
		return v, errors.New("the server's version is " + text[0])
	}
	return v, nil
}
