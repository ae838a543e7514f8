package clickhouse

import (
	"context"
	"errors"
	"fmt"

	"github.com/ClickHouse/ch-go/proto"

	"whyhot/internal/store/engine"
)

// intent is a commit that was written down and may have been begun. In a database of one
// process its journal has it; where several share a database that journal may not come back,
// and whoever has the database next finishes the commit.
type intent struct {
	number uint64
	blocks []*engine.Block
}

// Intents are removed so many at a time.
const perPartition = 32

func isOthers(err error) bool {
	return errors.Is(err, engine.ErrInUse) || errors.Is(err, engine.ErrSuperseded)
}

func (e *Engine) makeIntents(ctx context.Context) error {
	version, err := e.shards[0].version(ctx)
	if err != nil {
		return err
	}
	first := e.shards[0]
	return first.everywhere(ctx, false, func(r *server) []string { return []string{e.making(first, r, version).intents()} })
}

// intend writes a commit down. Where that may have been done before it is looked for.
func (e *Engine) intend(ctx context.Context, number uint64, blocks []*engine.Block) error {
	if !e.options.intends() {
		return nil
	}
	// Of replicated tables a block that is there is not taken twice.
	if e.unsure.Load() && !e.options.replicated() {
		there, err := e.shards[0].numbers(ctx, fmt.Sprintf("SELECT toUInt64(count()) FROM %s.%s WHERE number = %d", e.options.Database, tableIntents, number))
		if err != nil {
			return err
		}
		if there[0] > 0 {
			return nil
		}
	}
	if number%perPartition == 0 {
		e.forgetIntents(ctx, number)
	}
	var numbers proto.ColUInt64
	var data proto.ColStr
	numbers.Append(number)
	data.AppendBytes(engine.AppendBlocks(nil, blocks))
	if err := e.insert(ctx, e.shards[0], tableIntents, proto.Input{{Name: "number", Data: &numbers}, {Name: "data", Data: &data}}, e.queryPrefix()+"intent"); err != nil {
		return err
	}
	return e.shards[0].present(ctx, fmt.Sprintf("SELECT toUInt64(count()) FROM %s.%s WHERE number = %d", e.options.Database, tableIntents, number), 1)
}

// forgetIntents removes those of commits that are whole, but for the last ones. What cannot be
// removed now takes room until the next time.
func (e *Engine) forgetIntents(ctx context.Context, before uint64) {
	old, err := e.shards[0].numbers(ctx, fmt.Sprintf("SELECT DISTINCT intDiv(number, %d) FROM %s.%s WHERE number < %d", perPartition, e.options.Database, tableIntents, before))
	if err != nil {
		return
	}
	for _, p := range old {
		_ = e.shards[0].exec(ctx, fmt.Sprintf("ALTER TABLE %s.%s DROP PARTITION %d", e.options.Database, tableIntents, p))
	}
}

// resume finishes the commit that a process of before began, as far as shards can be reached:
// the dictionary is on the first one.
func (e *Engine) resume(ctx context.Context, fresh int) error {
	if e.options.replicated() {
		return e.resumeDeclared(ctx, fresh)
	}
	where := fmt.Sprintf("%s.%s WHERE number > %d", e.options.Database, tableIntents, e.Committed())
	numbers, err := e.shards[0].numbers(ctx, "SELECT number FROM "+where+" ORDER BY number")
	if err != nil || len(numbers) == 0 {
		return err
	}
	if fresh > 0 { // its rows would go elsewhere
		return fmt.Errorf("the commit %d was begun and not finished: let it be finished with the shards of before, then add others", numbers[0])
	}
	data, err := e.shards[0].texts(ctx, "SELECT data FROM "+where+" ORDER BY number")
	if err != nil {
		return err
	}
	if len(data) != 1 || numbers[0] != e.Committed()+1 {
		return damaged(fmt.Errorf("commits %d are begun after %d", numbers, e.Committed()))
	}
	blocks, err := engine.ReadBlocks([]byte(data[0]))
	if err != nil {
		return damaged(fmt.Errorf("the commit %d: %w", numbers[0], err))
	}
	return e.takeUp(ctx, &intent{number: numbers[0], blocks: blocks})
}

// takeUp finishes a commit of a process of before.
func (e *Engine) takeUp(ctx context.Context, of *intent) error {
	e.pending = of
	if len(e.shards) > 1 {
		if err := e.finish(ctx, e.shards[:1]); err != nil {
			return err
		}
	}
	// It will be made, by this process or the next: others get other numbers.
	e.committed.Store(e.pending.number)
	if err := e.finish(ctx, e.shards); err != nil && !errors.Is(err, engine.ErrAway) {
		return err
	}
	return nil
}

// finish inserts what is missing of the pending commit on some shards; on all of them it is
// whole then.
func (e *Engine) finish(ctx context.Context, shards []*shard) error {
	if err := e.fence(ctx, shards); err != nil {
		return err
	}
	if err := e.quiet(ctx, shards); err != nil {
		return err
	}
	var of []*piece
	for _, p := range split(e.pending.blocks, len(e.shards)) {
		if p.shard < len(shards) {
			of = append(of, p)
		}
	}
	missing, err := e.missing(ctx, e.pending.number, of)
	if err != nil {
		return err
	}
	if err := e.insertAll(ctx, e.pending.number, missing, of); err != nil {
		return fmt.Errorf("finishing the commit %d: %w", e.pending.number, err)
	}
	if len(shards) < len(e.shards) {
		return nil
	}
	if err := e.complete(ctx, e.pending.number); err != nil {
		return err
	}
	e.pending = nil
	return nil
}
