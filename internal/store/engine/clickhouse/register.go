package clickhouse

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"sync"
	"time"

	"whyhot/internal/store/engine"
	"whyhot/internal/store/engine/clickhouse/keeper"
)

// register is what ZooKeeper knows of the last commit that was begun. Replicas learn of rows
// some time after they were written, or when they are back: they cannot decide who writes, and
// none knows whether it has seen the last commit. A commit is begun by replacing the register,
// which only who has replaced it before can do. From then on its content is decided: whoever
// gets the database finishes it with the same blocks, which ClickHouse takes once.
type register struct {
	version int32
	epoch   uint64
	number  uint64 // of the last commit that was begun
	hash    string // of its blocks
}

// known is the register as this process knows it. A commit uses it, and whoever watches the lease.
type known struct {
	mu  sync.Mutex
	now register
}

func (k *known) get() register {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.now
}

// set takes note of a later one. An answer that comes late has a smaller version.
func (k *known) set(r register) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if r.version >= k.now.version {
		k.now = r
	}
}

func (r register) text() []byte {
	return fmt.Appendf(nil, "%d %d %s", r.epoch, r.number, r.hash)
}

func parseRegister(data []byte, version int32) (register, error) {
	r := register{version: version}
	if len(bytes.TrimSpace(data)) == 0 {
		return r, nil
	}
	if n, err := fmt.Sscanf(string(data), "%d %d %s", &r.epoch, &r.number, &r.hash); err != nil && n < 2 {
		return r, damaged(fmt.Errorf("ZooKeeper has %q for the last commit", data))
	}
	return r, nil
}

func hashOf(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// keeperTime is how long ZooKeeper may take to answer.
const keeperTime = 4 * time.Second

func (e *Engine) ownByKeeper(ctx context.Context) (holding, error) {
	if e.keeper == nil {
		opening, cancel := context.WithTimeout(ctx, keeperTime)
		k, err := keeper.Open(opening, e.options.Keeper, e.root())
		cancel()
		if err != nil {
			return nil, e.keeperWrong(ctx, err)
		}
		e.keeper = k
	}
	tries := 1
	if !e.options.Shared {
		tries = 80 // of a process that was killed the session goes on for a moment
	}
	for {
		l, err := e.lease(ctx)
		if err == nil {
			return l, nil
		}
		held := (*keeper.HeldError)(nil)
		if !errors.As(err, &held) {
			return nil, e.keeperWrong(ctx, err)
		}
		if tries--; tries == 0 {
			if e.options.Shared {
				return nil, &engine.HeldError{By: held.By}
			}
			return nil, engine.ErrInUse
		}
		if err := sleep(ctx); err != nil {
			return nil, err
		}
	}
}

func (e *Engine) lease(ctx context.Context) (*keeper.Lease, error) {
	ctx, cancel := context.WithTimeout(ctx, keeperTime)
	defer cancel()
	return e.keeper.Take(ctx, e.options.Advertise)
}

func (e *Engine) keeperWrong(ctx context.Context, err error) error {
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.Is(err, keeper.ErrChanged):
		return e.superseded()
	case errors.Is(err, keeper.ErrAway):
		return fmt.Errorf("%w: %w", engine.ErrAway, err)
	}
	return err
}

// enrol writes the epoch of this process into the register. Who had the database before begins
// nothing from then on.
func (e *Engine) enrol(ctx context.Context) error {
	if !e.options.replicated() {
		return nil
	}
	if e.fresh {
		if err := e.unused(); err != nil {
			return err
		}
	}
	r := e.known.get()
	r.epoch = e.epoch
	return e.enter(ctx, r)
}

// unused is an error where the register knows of commits: a store was here, and the servers that
// answer have lost it. A new one would give its numbers again.
func (e *Engine) unused() error {
	number := e.known.get().number
	if number == 0 {
		return nil
	}
	return fmt.Errorf("%w: ZooKeeper knows of commit %d of this store (node %s/value), and no replica of shard 1 that answers has its tables (%s); "+
		"start the servers that have them, or bring the tables back from a copy; where the store is gone for good, remove the database from all servers and that node, and import an export",
		engine.ErrDamaged, number, e.root(), e.shards[0].addresses())
}

// enrolled is ErrSuperseded where another process has replaced the register.
func (e *Engine) enrolled(ctx context.Context) error {
	before := e.known.get()
	if err := e.readRegister(ctx); err != nil {
		return err
	}
	now, err := e.mine()
	if err != nil {
		return err
	}
	if now != before {
		e.unsure.Store(true)
	}
	return nil
}

func (e *Engine) readRegister(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, keeperTime)
	defer cancel()
	data, version, err := e.keeper.Value(ctx)
	if err != nil {
		return e.keeperWrong(context.WithoutCancel(ctx), err)
	}
	r, err := parseRegister(data, version)
	if err == nil {
		e.known.set(r)
	}
	return err
}

// enter replaces the register. What has the epoch of this process was written by it, in a request
// whose answer it did not get.
func (e *Engine) enter(ctx context.Context, r register) error {
	asking, cancel := context.WithTimeout(ctx, keeperTime)
	defer cancel()
	for {
		version, err := e.keeper.Replace(asking, r.text(), r.version)
		if err == nil {
			r.version = version
			e.known.set(r)
			return nil
		}
		if !errors.Is(err, keeper.ErrChanged) {
			return e.keeperWrong(ctx, err)
		}
		if err := e.readRegister(ctx); err != nil {
			return err
		}
		now, err := e.mine()
		if err != nil {
			return err
		}
		r.version = now.version
		if r == now {
			return nil
		}
	}
}

// mine is the register as this process wrote it. It is ErrSuperseded where another one has.
func (e *Engine) mine() (register, error) {
	now := e.known.get()
	if now.epoch != e.epoch {
		return now, e.superseded()
	}
	return now, nil
}

// still is ErrSuperseded where another process has the database, as ZooKeeper knows it.
func (e *Engine) still(ctx context.Context) error {
	if !e.options.replicated() {
		return nil
	}
	now, err := e.mine()
	if err != nil {
		return err
	}
	return e.enter(ctx, now)
}

// declare begins a commit that was written down.
func (e *Engine) declare(ctx context.Context, number uint64, blocks []*engine.Block) error {
	if !e.options.replicated() {
		return nil
	}
	now, err := e.mine()
	if err != nil {
		return err // it was read when another process had written it
	}
	next := now
	next.number, next.hash = number, hashOf(engine.AppendBlocks(nil, blocks))
	if next == now {
		return nil // begun before
	}
	if now.number == number {
		return fmt.Errorf("the commit %d was begun with other rows", number)
	}
	return e.enter(ctx, next)
}

// resumeDeclared finishes the commit that was begun last. Where the replicas that answer do not
// have it, they lack what others have: nothing may be written until one of those is back.
func (e *Engine) resumeDeclared(ctx context.Context, fresh int) error {
	r, first := e.known.get(), e.shards[0]
	switch {
	case r.number <= e.Committed():
		return nil
	case fresh > 0:
		return fmt.Errorf("the commit %d was begun and not finished: let it be finished with the shards of before, then add others", r.number)
	case r.number > e.Committed()+1:
		return fmt.Errorf("%w: ZooKeeper knows of commit %d, replicas of shard 1 that answer of %d; start the others (%s), or, %s", engine.ErrAway, r.number, e.Committed(), first.addresses(), e.givingUp(r))
	}
	data, err := first.texts(ctx, fmt.Sprintf("SELECT data FROM %s.%s WHERE number = %d", e.options.Database, tableIntents, r.number))
	if err != nil {
		return err
	}
	for _, d := range data {
		if hashOf([]byte(d)) != r.hash {
			continue // written down by a process that did not begin it
		}
		blocks, err := engine.ReadBlocks([]byte(d))
		if err != nil {
			return damaged(fmt.Errorf("the commit %d: %w", r.number, err))
		}
		return e.takeUp(ctx, &intent{number: r.number, blocks: blocks})
	}
	return fmt.Errorf("%w: commit %d was begun, and no replica of shard 1 that answers has it; start the others (%s), or, %s", engine.ErrAway, r.number, first.addresses(), e.givingUp(r))
}

// givingUp says how the store is opened without commits that are lost with the disks that had them.
// Their numbers are not given again: other shards may have markers of them.
func (e *Engine) givingUp(r register) string {
	return fmt.Sprintf("where their disks are lost for good, stop all servers of whyhot and run INSERT INTO %s.%s SELECT toUInt64(%d) on a replica of shard 1: the commits from %d on are lost then, and what other shards have of them may be shown with other names (ZooKeeper has the number in %s/value)",
		e.options.Database, tableCommits, r.number, e.Committed()+1, e.root())
}
