package clickhouse

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"time"

	"github.com/ClickHouse/ch-go"
	"github.com/ClickHouse/ch-go/proto"

	"whyhot/internal/store/engine"
)

// The epoch of a process is larger than those of all that had the database before. It writes
// it to each shard before anything else, and waits for INSERTs that are under way there. Where
// the database is shared each INSERT asks, on the server, whether its epoch is still the
// largest: a process that was paused, or cut off, and goes on with what it had begun writes
// nothing any more.
//
// An epoch is a counter, then 24 random bits: two processes that counted at the same time,
// since one of them was paused in between, have different ones. The rest is room for the
// generations of its dictionaries.
const (
	epochShift  = 40
	perEpoch    = 1 << 16
	randomBits  = 24
	epochColumn = "epoch UInt64, address String, since UInt64"
)

// begin begins the epoch of this process on the first shard, which is the one that decides.
func (e *Engine) begin(ctx context.Context) error {
	e.fenced = make([]bool, len(e.shards))
	if err := errors.Join(e.epochs(ctx, e.shards[0]), e.makeIntents(ctx)); err != nil {
		return err
	}
	last, err := e.lastEpoch(ctx, e.shards[0])
	if err != nil {
		return err
	}
	if e.options.replicated() {
		if err := e.readRegister(ctx); err != nil {
			return err
		}
		last = max(last, e.known.get().epoch) // a replica may not know of it
	}
	e.epoch = (last>>epochShift+1)<<epochShift | uint64(rand.Uint32N(1<<randomBits))*perEpoch //nolint:gosec // it is to differ, not to be secret
	if err := e.enrol(ctx); err != nil {
		return err
	}
	return e.fence(ctx, e.shards[:1])
}

// epochs makes the table of epochs on a shard.
func (e *Engine) epochs(ctx context.Context, s *shard) error {
	version, err := s.version(ctx)
	if err != nil {
		return err
	}
	return s.everywhere(ctx, false, func(r *server) []string {
		return []string{e.making(s, r, version).table(tableEpochs, epochColumn, "epoch", "")}
	})
}

func (e *Engine) lastEpoch(ctx context.Context, s *shard) (uint64, error) {
	last, err := s.numbers(ctx, fmt.Sprintf("SELECT max(epoch) FROM %s.%s", e.options.Database, tableEpochs))
	if err != nil {
		return 0, err
	}
	return last[0], nil
}

// fence has shards know of the epoch, and waits until nothing of before is under way there.
func (e *Engine) fence(ctx context.Context, shards []*shard) error {
	for i, s := range shards {
		if e.fenced[i] {
			continue
		}
		if err := e.epochs(ctx, s); err != nil {
			return err
		}
		var epoch, since proto.ColUInt64
		var address proto.ColStr
		epoch.Append(e.epoch)
		address.Append(e.options.Advertise)
		since.Append(uint64(time.Now().Unix()))
		in := proto.Input{{Name: "epoch", Data: &epoch}, {Name: "address", Data: &address}, {Name: "since", Data: &since}}
		if err := s.insert(ctx, e.options.Database, tableEpochs, in, ""); err != nil {
			return err
		}
		if err := s.present(ctx, fmt.Sprintf("SELECT max(epoch) FROM %s.%s", e.options.Database, tableEpochs), e.epoch); err != nil {
			return err
		}
		last, err := e.lastEpoch(ctx, s)
		if err != nil {
			return err
		}
		if last != e.epoch {
			return e.superseded()
		}
		if err := e.quiet(ctx, shards[i:i+1]); err != nil {
			return err
		}
		e.fenced[i] = true
	}
	return nil
}

func (e *Engine) superseded() error {
	return fmt.Errorf("%w (database %s)", engine.ErrSuperseded, e.options.Database)
}

// insert writes one block, if nobody has the database since. A condition that is not true
// divides by zero, which fails before anything is written; the rows come with the query, so
// that it does not wait for a process that is paused.
func (e *Engine) insert(ctx context.Context, s *shard, table string, in proto.Input, id string) error {
	if !e.options.intends() {
		return s.insert(ctx, e.options.Database, table, in, id)
	}
	columns := make([]string, 0, len(in))
	for _, c := range in {
		columns = append(columns, c.Name)
	}
	names, to := strings.Join(columns, ", "), s.lead()
	var settings []ch.Setting
	if e.options.replicated() {
		release, err := to.program(ctx)
		if err != nil {
			return err
		}
		settings = taken(release, in)
	}
	err := to.do(ctx, ch.Query{
		Body: fmt.Sprintf("INSERT INTO %[1]s.%[2]s (%[3]s) SELECT %[3]s FROM _data WHERE intDiv(1, (SELECT max(epoch) FROM %[1]s.%[4]s) = %[5]d) = 1",
			e.options.Database, table, names, tableEpochs, e.epoch),
		QueryID: id, ExternalData: in, Settings: settings,
	})
	if x, ok := ch.AsException(err); ok && x.Code == proto.ErrIllegalDivision {
		return e.superseded()
	}
	return err
}

// taken are the settings by which servers of a version take a block once. Those of before know it by
// its bytes alone. Of an INSERT of a SELECT newer ones do not look at the bytes, unless they are told
// what the block is.
func taken(release [2]int, in proto.Input) []ch.Setting {
	var out []ch.Setting
	at := func(major, minor int) bool { return release[0] > major || release[0] == major && release[1] >= minor }
	if at(22, 2) {
		var rows proto.Buffer
		for _, c := range in {
			rows.PutString(c.Name)
			c.Data.EncodeColumn(&rows)
		}
		out = append(out, ch.Setting{Key: "insert_deduplication_token", Value: hashOf(rows.Buf), Important: true})
	}
	if at(25, 12) { // one that does not know it does as if it were set
		out = append(out, ch.Setting{Key: "deduplicate_insert_select", Value: "enable_even_for_bad_queries"})
	}
	return out
}

// holder is where the process that has the database is reached, "" where nobody knows.
func (e *Engine) holder(ctx context.Context) string {
	addresses, err := e.shards[0].texts(ctx, fmt.Sprintf("SELECT address FROM %s.%s ORDER BY epoch DESC LIMIT 1", e.options.Database, tableEpochs))
	if err != nil || len(addresses) == 0 {
		return "" // there is no table yet
	}
	return addresses[0]
}

// watch takes note when another process has the database, until the engine is closed.
func (e *Engine) watch(ctx context.Context) {
	if !e.options.Shared {
		return
	}
	ctx, e.stop = context.WithCancel(context.WithoutCancel(ctx))
	e.watching.Go(func() {
		for {
			e.owning.Lock()
			gone := e.owner.Gone()
			e.owning.Unlock()
			select {
			case <-ctx.Done():
				return
			case <-gone:
			}
			switch err := e.regain(ctx); {
			case err == nil:
			case isOthers(err):
				close(e.lost)
				return
			default: // the server cannot be reached, by others neither
				if sleep(ctx) != nil {
					return
				}
			}
		}
	})
}

// regain has the database held by this process again, where it is not.
func (e *Engine) regain(ctx context.Context) error {
	e.owning.Lock()
	defer e.owning.Unlock()
	if !lost(e.owner) {
		return nil
	}
	w, err := e.own(ctx)
	if err != nil {
		return err
	}
	if e.options.replicated() {
		err = e.enrolled(ctx)
	} else if last, lastErr := e.lastEpoch(ctx, e.shards[0]); lastErr != nil || last != e.epoch {
		err = cmp.Or(lastErr, e.superseded())
	}
	if err != nil {
		w.Close()
		return err
	}
	e.owner = w
	e.unsure.Store(true)
	return nil
}

// Lost implements engine.Shared.
func (e *Engine) Lost() <-chan struct{} { return e.lost }

// Certain implements engine.Shared. Without the first shard nobody else can have it, and an
// answer says that it lacks a part.
func (e *Engine) Certain() bool {
	e.owning.Lock()
	defer e.owning.Unlock()
	if e.options.replicated() { // who is cut off from ZooKeeper cannot know
		return e.owner.Certain()
	}
	return e.owner.Certain() || e.shards[0].away()
}
