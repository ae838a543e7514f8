package clickhouse

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/ClickHouse/ch-go/proto"

	"whyhot/internal/store/engine"
	"whyhot/internal/store/engine/clickhouse/keeper"
)

// Engine is an open database.
type Engine struct {
	options   Options
	shards    []*shard
	owner     holding
	keeper    *keeper.Keeper // of tables that are replicated
	known     known          // the register, as it was seen last
	fresh     bool           // the store was made by this process
	committed atomic.Uint64

	// epoch is that of this process; see fence.go. lost is closed when another process has the
	// database, watching ends with stop.
	owning   sync.Mutex // of owner
	epoch    uint64
	fenced   []bool // the shards that know of it
	lost     chan struct{}
	stop     context.CancelFunc
	watching sync.WaitGroup
	closing  sync.Once
	pending  *intent // a commit of another process that is not finished on all shards

	writing sync.Mutex
	// unsure says that inserts of the next commit may have been made before.
	unsure atomic.Bool
	// generation is that of the dictionary's tables. It is undecided when it may be that
	// others took their place, and nobody was told.
	generation atomic.Uint64
	undecided  bool
}

var _ engine.Engine = (*Engine)(nil)

// Open opens a database, and makes it where there is none.
func Open(ctx context.Context, o Options) (*Engine, error) {
	if o.User == "" {
		o.User = "default"
	}
	if err := o.check(); err != nil {
		return nil, err
	}
	e := &Engine{options: o, lost: make(chan struct{})}
	e.unsure.Store(true)
	if err := e.open(ctx); err != nil {
		_ = e.Close()
		return nil, fmt.Errorf("the store in ClickHouse, database %s: %w", o.Database, err)
	}
	return e, nil
}

func (e *Engine) open(ctx context.Context) error {
	if err := e.reach(ctx); err != nil {
		return err
	}
	var err error
	if e.owner, err = e.own(ctx); err != nil {
		return err
	}
	if err := errors.Join(e.kind(ctx), e.placed(ctx)); err != nil {
		return err
	}
	if e.options.replicated() {
		for _, s := range e.shards {
			if err := s.settle(ctx); err != nil && (s == e.shards[0] || !errors.Is(err, engine.ErrAway)) {
				return err
			}
		}
	}
	made, err := e.made(ctx)
	if err != nil {
		return err
	}
	e.fresh = !made
	if !made {
		for _, s := range e.shards {
			s.creating.Store(true)
		}
		if err := e.create(ctx, e.shards); err != nil {
			return err
		}
	}
	if err := e.replicas(ctx, made); err != nil {
		return err
	}
	if err := e.begin(ctx); err != nil {
		return err
	}
	if made {
		if err := e.load(ctx); err != nil {
			return err
		}
	}
	if e.options.replicated() { // and not before: what no replica has is lost, and not to be made
		e.mends()
	}
	e.watch(ctx)
	return nil
}

// tables are those in a shard's database.
func (e *Engine) tables(ctx context.Context, s *shard) ([]string, error) {
	return s.texts(ctx, tablesOf(e.options.Database))
}

func tablesOf(database string) string {
	return fmt.Sprintf("SELECT name FROM system.tables WHERE database = '%s'", database)
}

func (s *server) tables(ctx context.Context, database string) ([]string, error) {
	return s.texts(ctx, tablesOf(database))
}

// made says whether the store exists. Where a part of it does, it is damaged.
func (e *Engine) made(ctx context.Context) (bool, error) {
	// Any replica may be the one that lost its tables.
	if there, err := e.shards[0].any(ctx, func(r *server) ([]string, error) { return r.tables(ctx, e.options.Database) }); err != nil || slices.Contains(there, tableCommits) {
		return err == nil, err
	}
	if e.options.replicated() {
		if err := e.readRegister(ctx); err != nil {
			return false, err
		}
		if err := e.unused(); err != nil {
			return false, err
		}
	}
	// It was not finished, or the first shard has lost what others still have.
	for _, s := range e.shards {
		tables, err := e.tables(ctx, s)
		if err != nil {
			return false, err
		}
		for _, t := range engine.Tables() {
			if !slices.Contains(tables, local(t)) {
				continue
			}
			rows, err := s.numbers(ctx, fmt.Sprintf("SELECT toUInt64(count()) FROM %s.%s", e.options.Database, local(t)))
			if err != nil {
				return false, err
			}
			if rows[0] > 0 {
				return false, damaged(fmt.Errorf("%s has rows of %s, but %s does not know of them", s.name, t.Name, e.shards[0].name))
			}
		}
	}
	return false, nil
}

func damaged(err error) error {
	return fmt.Errorf("%w: %w; to recover, bring back the tables that are missing from a copy, or remove the database from all shards and import an export", engine.ErrDamaged, err)
}

// create makes the tables on shards that have none. A shard is in the list of shards
// when it has all.
func (e *Engine) create(ctx context.Context, shards []*shard) error {
	db := e.options.Database
	for _, s := range shards {
		version, err := s.version(ctx)
		if err != nil {
			return err
		}
		if err := s.everywhere(ctx, true, func(r *server) []string {
			statements := []string{"CREATE DATABASE IF NOT EXISTS " + db}
			for _, t := range engine.Tables() {
				statements = append(statements, e.making(s, r, version).definition(t, 0))
			}
			return statements
		}); err != nil {
			return err
		}
	}
	first := e.shards[0]
	version, err := first.version(ctx)
	if err != nil {
		return err
	}
	own := func(r *server) []string { return e.making(first, r, version).own() }
	if err := first.everywhere(ctx, true, func(r *server) []string { all := own(r); return all[:len(all)-1] }); err != nil {
		return err
	}
	known, err := first.numbers(ctx, fmt.Sprintf("SELECT version FROM %s.%s", db, tableVersion))
	if err != nil {
		return err
	}
	if len(known) == 0 {
		var column proto.ColUInt64
		column.Append(engine.Version)
		if err := first.insert(ctx, db, tableVersion, proto.Input{{Name: "version", Data: &column}}, ""); err != nil {
			return err
		}
	}
	for _, s := range shards {
		var column proto.ColStr
		column.Append(s.name)
		if err := first.insert(ctx, db, tableShards, proto.Input{{Name: "address", Data: &column}}, ""); err != nil {
			return err
		}
	}
	return first.everywhere(ctx, true, func(r *server) []string { all := own(r); return all[len(all)-1:] })
}

// load reads what there is, and gives tables to shards that the cluster did not have
// before.
func (e *Engine) load(ctx context.Context) error {
	db, first := e.options.Database, e.shards[0]
	versions, err := first.numbers(ctx, fmt.Sprintf("SELECT max(version) FROM %s.%s", db, tableVersion))
	if err != nil {
		return damaged(err)
	}
	if versions[0] > engine.Version {
		return fmt.Errorf("%w: its schema is version %d, this program knows up to %d; use the whyhot that wrote it or a later one", engine.ErrNewer, versions[0], engine.Version)
	}
	if err := e.loadGeneration(ctx); err != nil {
		return damaged(err)
	}
	// A replica may still be at work on what a process of before wrote: from now on its tables do
	// not count, whatever comes.
	if e.options.replicated() {
		e.undecided = true
		if err := e.decide(ctx); err != nil {
			return err
		}
	}
	known, err := first.texts(ctx, fmt.Sprintf("SELECT DISTINCT address FROM %s.%s", db, tableShards))
	if err != nil {
		return damaged(err)
	}
	var fresh []*shard
	for _, s := range e.shards {
		if !slices.Contains(known, s.name) {
			fresh = append(fresh, s)
			continue
		}
		tables, err := e.tables(ctx, s)
		if s != first && errors.Is(err, engine.ErrAway) {
			continue // the others can be asked
		}
		if err != nil {
			return err
		}
		for _, t := range engine.Tables() {
			if (counted(t) || s == first) && !slices.Contains(tables, e.local(t)) {
				return damaged(fmt.Errorf("the table %s.%s is missing on %s", db, e.local(t), s.name))
			}
		}
		if s == first {
			e.dropOld(ctx, tables)
		}
	}
	for _, a := range known {
		if !slices.ContainsFunc(e.shards, func(s *shard) bool { return s.name == a }) {
			return damaged(fmt.Errorf("%s has rows of it, but is not a shard of the cluster %s", a, e.options.Cluster))
		}
	}
	numbers, err := first.numbers(ctx, fmt.Sprintf("SELECT max(number) FROM %s.%s", db, tableCommits))
	if err != nil {
		return damaged(err)
	}
	e.committed.Store(numbers[0])
	if err := e.resume(ctx, len(fresh)); err != nil {
		return err
	}
	if len(fresh) == 0 {
		return nil
	}
	if err := e.finished(ctx); err != nil {
		return err
	}
	return e.create(ctx, fresh)
}

// finished says whether no commit was begun after the last whole one. With other
// shards its rows would go elsewhere.
func (e *Engine) finished(ctx context.Context) error {
	for _, s := range e.shards {
		tables, err := e.tables(ctx, s)
		if err != nil {
			return err
		}
		for _, t := range engine.Tables() {
			if !slices.Contains(tables, e.local(t)) {
				continue
			}
			last, err := s.numbers(ctx, fmt.Sprintf("SELECT toUInt64(count()) FROM %s.%s WHERE %s", e.options.Database, e.local(t), markersAfter(t, e.Committed())))
			if err != nil {
				return err
			}
			if last[0] > 0 {
				return fmt.Errorf("the commit after %d was begun and not finished on %s: let it be finished with the shards of before, then add others", e.Committed(), s.name)
			}
		}
	}
	return nil
}

// Committed is the number of the last commit.
func (e *Engine) Committed() uint64 { return e.committed.Load() }

// Close ends the use of the database.
func (e *Engine) Close() error {
	e.closing.Do(e.close)
	return nil
}

func (e *Engine) close() {
	if e.stop != nil {
		e.stop()
		e.watching.Wait()
	}
	if e.owner != nil {
		e.owner.Close()
	}
	if e.keeper != nil {
		e.keeper.Close()
	}
	for _, s := range e.shards {
		s.close()
	}
}
