package clickhouse

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/ClickHouse/ch-go"
	"github.com/ClickHouse/ch-go/proto"

	"whyhot/internal/store/engine"
)

// Reader is a database that another process writes to. It takes no lease and has no epoch: it
// writes nothing.
type Reader struct{ e *Engine }

var _ engine.Follower = (*Reader)(nil)
var _ engine.Tail = (*Engine)(nil)

// OpenReader opens a database for reading. It is ErrAway where there is none yet.
func OpenReader(ctx context.Context, o Options) (*Reader, error) {
	if o.User == "" {
		o.User = "default"
	}
	if err := o.check(); err != nil {
		return nil, err
	}
	e := &Engine{options: o, lost: make(chan struct{})}
	if err := e.openToRead(ctx); err != nil {
		_ = e.Close()
		return nil, fmt.Errorf("reading the store in ClickHouse, database %s: %w", o.Database, err)
	}
	return &Reader{e}, nil
}

func (e *Engine) openToRead(ctx context.Context) error {
	if err := e.reach(ctx); err != nil {
		return err
	}
	if err := errors.Join(e.kind(ctx), e.placed(ctx)); err != nil {
		return err
	}
	// Tables of the dictionary change their names when it is rewritten, which this process learns
	// when it reads it again.
	for _, s := range e.shards {
		needed := e.neededAlways
		s.needed.Store(&needed)
	}
	tables, err := e.tables(ctx, e.shards[0])
	if err != nil {
		return err
	}
	if !slices.Contains(tables, tableCommits) || !slices.Contains(tables, tableDictionaries) {
		return fmt.Errorf("%w: no server has made its tables yet", engine.ErrAway)
	}
	versions, err := e.shards[0].numbers(ctx, fmt.Sprintf("SELECT max(version) FROM %s.%s", e.options.Database, tableVersion))
	if err != nil {
		return err
	}
	if versions[0] > engine.Version {
		return fmt.Errorf("%w: its schema is version %d, this program knows up to %d", engine.ErrNewer, versions[0], engine.Version)
	}
	return nil
}

// Sum implements engine.Follower.
func (r *Reader) Sum(ctx context.Context, q engine.Query) (*engine.Sums, error) {
	return r.e.Sum(ctx, q)
}

// Stats implements engine.Follower.
func (r *Reader) Stats(ctx context.Context) ([]engine.TableStats, error) { return r.e.Stats(ctx) }

// Now implements engine.Follower.
func (r *Reader) Now(ctx context.Context) (engine.Mark, error) { return r.e.now(ctx) }

// Added implements engine.Follower.
func (r *Reader) Added(ctx context.Context, from engine.Mark, yield func(*engine.Block) error) (engine.Mark, error) {
	return r.e.Added(ctx, from, yield)
}

// Close implements engine.Follower.
func (r *Reader) Close() error { return r.e.Close() }

// now reads the generation first: the commit is then not of an earlier one.
func (e *Engine) now(ctx context.Context) (m engine.Mark, err error) {
	first, db := e.shards[0], e.options.Database
	generations, err := first.numbers(ctx, fmt.Sprintf("SELECT generation FROM %s.%s ORDER BY number DESC LIMIT 1", db, tableDictionaries))
	if err != nil {
		return m, err
	}
	if len(generations) > 0 {
		m.Generation = generations[0]
	}
	commits, err := first.numbers(ctx, fmt.Sprintf("SELECT max(number) FROM %s.%s", db, tableCommits))
	if err != nil {
		return m, err
	}
	// A commit that this process has yet to finish on other shards is whole on the first one.
	m.Commit = max(commits[0], e.Committed())
	return m, nil
}

// Added implements engine.Tail.
//
// Method. A commit writes what others refer to first. So the tables are read in the opposite
// order: what a row refers to is there when its table is read. Rows of a commit that is not
// whole yet are read as well: it was written down and will be finished, by whoever has the
// database then, with the same rows. Names of an address are more than one row; they wait until
// their commit is whole. The first time whole commits alone are read, in order: that can be
// much, and is not held in memory.
func (e *Engine) Added(ctx context.Context, from engine.Mark, yield func(*engine.Block) error) (engine.Mark, error) {
	if err := e.shards[0].complete(); err != nil {
		return from, err
	}
	to, err := e.now(ctx)
	if err != nil {
		return from, err
	}
	begin := from.Last == nil
	if !begin && to.Generation != from.Generation {
		return from, engine.ErrRewritten
	}
	e.generation.Store(to.Generation)
	to.Last = map[string]engine.Place{}
	maps.Copy(to.Last, from.Last)
	var read [][]*engine.Block
	for _, t := range dictionary(!begin) {
		var blocks []*engine.Block
		place, err := e.after(ctx, t, to.Last[t.Name], to.Commit, begin || t == engine.Resolved, func(b *engine.Block) error {
			if begin {
				return yield(b)
			}
			blocks = append(blocks, b)
			return nil
		})
		if err != nil {
			return from, e.rewritten(ctx, to.Generation, err)
		}
		to.Last[t.Name] = place
		read = append(read, blocks)
	}
	if err := e.rewritten(ctx, to.Generation, nil); err != nil {
		return from, err
	}
	for _, blocks := range slices.Backward(read) {
		for _, b := range blocks {
			if err := yield(b); err != nil {
				return from, err
			}
		}
	}
	return to, nil
}

// dictionary are the tables without time.
func dictionary(backward bool) (out []*engine.Table) {
	for _, t := range engine.Tables() {
		if !t.Timed {
			out = append(out, t)
		}
	}
	if backward {
		slices.Reverse(out)
	}
	return out
}

// rewritten is ErrRewritten where another generation counts by now: tables of the one before
// may have gone while they were read. Else it is the error that there was.
func (e *Engine) rewritten(ctx context.Context, generation uint64, err error) error {
	if away := errors.Is(err, engine.ErrAway); away || ctx.Err() != nil {
		return errors.Join(err, ctx.Err())
	}
	now, nowErr := e.now(ctx)
	switch {
	case nowErr != nil:
		return errors.Join(err, nowErr)
	case now.Generation != generation:
		return engine.ErrRewritten
	}
	return err
}

// after gives the rows of a table after one of them, and the place of the last one.
func (e *Engine) after(ctx context.Context, t *engine.Table, from engine.Place, commit uint64, whole bool, yield func(*engine.Block) error) (engine.Place, error) {
	names, result := make([]string, 0, len(t.Columns)+2), make(proto.Results, 0, len(t.Columns)+2)
	for _, c := range t.Columns {
		names = append(names, c.Name)
		result = append(result, proto.ResultColumn{Data: resultColumn(t, c)})
	}
	var commits proto.ColUInt64
	var rows proto.ColUInt32
	names = append(names, colCommit, colRow)
	result = append(result, proto.ResultColumn{Data: &commits}, proto.ResultColumn{Data: &rows})
	where := fmt.Sprintf("%s AND %s >= %d AND (%[2]s > %[3]d OR %[4]s > %[5]d)", noMarkers(t), colCommit, from.Commit, colRow, from.Row)
	if whole {
		where += fmt.Sprintf(" AND %s <= %d", colCommit, commit)
	}
	var failed error
	err := e.shards[0].doWhole(ctx, ch.Query{
		Body:   fmt.Sprintf("SELECT %s FROM %s WHERE %s ORDER BY %s, %s", strings.Join(names, ", "), e.table(t), where, colCommit, colRow),
		Result: result, OnResult: func(_ context.Context, b proto.Block) error {
			if b.Rows == 0 {
				return nil
			}
			from = engine.Place{Commit: commits[len(commits)-1], Row: rows[len(rows)-1]}
			failed = yield(block(t, result[:len(t.Columns)]))
			return failed
		},
	})
	return from, cmp.Or(failed, err)
}
