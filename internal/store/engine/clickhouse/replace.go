package clickhouse

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/ClickHouse/ch-go/proto"

	"whyhot/internal/store/engine"
)

// local is the name of a table on each shard. Of the dictionary it is that of the tables
// that count now.
func (e *Engine) local(t *engine.Table) string { return localOf(t, e.generation.Load()) }

// Replace writes the rows to tables of a new generation. One row then says that these
// count, and those of before are removed. A crash leaves the ones or the others.
func (e *Engine) Replace(ctx context.Context, blocks []*engine.Block) error {
	if err := engine.CheckReplace(blocks); err != nil {
		return err
	}
	e.writing.Lock()
	defer e.writing.Unlock()
	if err := e.hold(ctx); err != nil {
		return err
	}
	if err := e.replace(ctx, blocks); err != nil {
		return fmt.Errorf("rewriting the dictionary: %w", err)
	}
	return nil
}

func (e *Engine) replace(ctx context.Context, blocks []*engine.Block) error {
	first, db := e.shards[0], e.options.Database
	version, err := first.version(ctx)
	if err != nil {
		return err
	}
	next, err := e.nextNumber(ctx)
	if err != nil {
		return err
	}
	for _, t := range engine.Tables() {
		if t.Timed {
			continue
		}
		if err := first.everywhere(ctx, false, func(r *server) []string {
			return []string{fmt.Sprintf("DROP TABLE IF EXISTS %s.%s%s", db, localOf(t, next), atOnce(version)), e.making(first, r, version).definition(t, next)}
		}); err != nil {
			return err
		}
	}
	// Rows of later commits come after these.
	for _, p := range split(blocks, 1) {
		if err := e.insert(ctx, first, localOf(p.table, next), p.input(e.Committed()), e.queryID(e.Committed(), p)); err != nil {
			return err
		}
	}
	if err := e.spread(ctx, e.Committed(), split(blocks, 1), next); err != nil {
		return err
	}
	e.undecided = true
	if err := e.count(ctx, next, next); err != nil {
		return err
	}
	e.undecided = false
	e.generation.Store(next)
	// Who has the database since may have decided that those of before count.
	if tables, err := e.tables(ctx, first); err == nil && e.still(ctx) == nil {
		e.dropOld(ctx, tables)
	}
	return nil
}

// atOnce has a table gone when it is dropped, in ZooKeeper, too: newer servers keep it for minutes.
func atOnce(version [2]int) string {
	if version[0] > 20 || version[0] == 20 && version[1] >= 10 {
		return " SYNC"
	}
	return ""
}

// count writes which generation counts.
func (e *Engine) count(ctx context.Context, number, generation uint64) error {
	if err := e.still(ctx); err != nil {
		return err
	}
	var numbers, generations, versions proto.ColUInt64
	versions.Append(engine.Version)
	if err := e.insert(ctx, e.shards[0], tableVersion, proto.Input{{Name: "version", Data: &versions}}, e.queryPrefix()+"version"); err != nil {
		return err
	}
	numbers.Append(number)
	generations.Append(generation)
	if err := e.insert(ctx, e.shards[0], tableDictionaries, proto.Input{{Name: "number", Data: &numbers}, {Name: "generation", Data: &generations}}, e.queryPrefix()+"generation"); err != nil {
		return err
	}
	return e.shards[0].present(ctx, fmt.Sprintf("SELECT max(number) FROM %s.%s", e.options.Database, tableDictionaries), number)
}

// nextNumber is larger than those of all rows of the table that says what counts. Where others
// may have the database it is one of those of this epoch: a process that was paused in the middle
// does not touch tables of those who came after it, and a row of it that comes later has a
// smaller number than theirs.
func (e *Engine) nextNumber(ctx context.Context) (uint64, error) {
	numbers, err := e.shards[0].numbers(ctx, fmt.Sprintf("SELECT max(number) FROM %s.%s", e.options.Database, tableDictionaries))
	if err != nil {
		return 0, err
	}
	next := numbers[0] + 1
	if e.options.intends() {
		if next = max(next, e.epoch+1); next >= e.epoch+perEpoch {
			return 0, e.superseded()
		}
	}
	return next, nil
}

// decide has the tables count that this process knows, after a row that says otherwise may
// have been written.
func (e *Engine) decide(ctx context.Context) error {
	if err := e.quiet(ctx, e.shards); err != nil {
		return err
	}
	next, err := e.nextNumber(ctx)
	if err != nil {
		return err
	}
	if err := e.count(ctx, next, e.generation.Load()); err != nil {
		return err
	}
	e.undecided = false
	return nil
}

// loadGeneration reads which tables count. Stores of version 1 have no table that says so.
func (e *Engine) loadGeneration(ctx context.Context) error {
	first, db := e.shards[0], e.options.Database
	version, err := first.version(ctx)
	if err != nil {
		return err
	}
	if err := first.everywhere(ctx, false, func(r *server) []string { return e.making(first, r, version).own() }); err != nil {
		return err
	}
	generations, err := first.numbers(ctx, fmt.Sprintf("SELECT generation FROM %s.%s ORDER BY number DESC LIMIT 1", db, tableDictionaries))
	if err != nil {
		return err
	}
	if len(generations) > 0 {
		e.generation.Store(generations[0])
	}
	return nil
}

// dropOld removes tables of the dictionary that do not count. What cannot be removed now
// takes room until the next time.
func (e *Engine) dropOld(ctx context.Context, tables []string) {
	for _, r := range e.shards[0].replicas {
		if !r.away.Load() {
			e.dropOldOf(ctx, r, tables, e.epoch+perEpoch) // later ones are of those who came after
		}
	}
}

func (e *Engine) dropOldOf(ctx context.Context, r *server, tables []string, before uint64) {
	for _, name := range tables {
		for _, t := range engine.Tables() {
			if g, ok := generationOf(t, name); ok && !t.Timed && name != e.local(t) && g < before {
				_ = r.exec(ctx, fmt.Sprintf("DROP TABLE IF EXISTS %s.%s", e.options.Database, name))
			}
		}
	}
}

// generationOf is the generation of a table of the dictionary by its name.
func generationOf(t *engine.Table, name string) (generation uint64, ok bool) {
	rest, of := strings.CutPrefix(name, t.Name+"_")
	rest, ours := strings.CutSuffix(rest, "local")
	if of && ours && rest == "" {
		return 0, true
	}
	generation, err := strconv.ParseUint(strings.TrimSuffix(rest, "_"), 10, 64)
	return generation, of && ours && err == nil && generation > 0
}
