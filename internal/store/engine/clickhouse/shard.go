package clickhouse

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/ClickHouse/ch-go"
	"github.com/ClickHouse/ch-go/proto"

	"whyhot/internal/store/engine"
)

// shard is a server, or several with the same rows, which they replicate among themselves.
// Questions go to the first one that has all of them, and to the next where it does not answer.
type shard struct {
	name     string // by which store_shards knows it
	number   int    // from 1, as in the cluster's configuration
	replicas []*server
	database string
	root     string // in ZooKeeper
	log      *slog.Logger

	watching sync.WaitGroup
	stop     chan struct{}
	once     sync.Once
	// mend makes the tables that a replica lacks; only who has the database does.
	mend atomic.Pointer[func(context.Context, *server) error]
	// needed are names of the tables that each replica should have.
	needed atomic.Pointer[func(*shard) []string]
	// creating says that this process makes the store: one replica has tables before another.
	creating atomic.Bool
}

// How long a replica may be behind before answers say so, and how often it is asked.
const (
	behindSeconds = 2
	watchEvery    = 500 * time.Millisecond
	// askKeeperEvery are the times after which that also asks ZooKeeper, which is more work.
	askKeeperEvery = 4
	// caughtUp is how long it is waited until a replica has what others were told.
	caughtUp = 3 * time.Second
)

func newShard(number int, addresses []string, o Options) *shard {
	s := &shard{name: addresses[0], number: number, database: o.Database, root: o.root(), log: o.Log, stop: make(chan struct{})}
	if s.log == nil {
		s.log = slog.New(slog.DiscardHandler)
	}
	if o.replicated() {
		s.name = fmt.Sprintf("shard %d", number)
	}
	for _, a := range addresses {
		r := newServer(a, o)
		if len(addresses) > 1 {
			r.silent, r.behind = silentReplica, new(atomic.Bool)
		}
		s.replicas = append(s.replicas, r)
	}
	return s
}

// several says that there is more than one to ask.
func (s *shard) several() bool { return len(s.replicas) > 1 }

// order are the replicas, those first that can be reached and have all rows.
func (s *shard) order() []*server {
	var good, late, gone []*server
	for _, r := range s.replicas {
		switch {
		case r.away.Load():
			gone = append(gone, r)
		case r.late():
			late = append(late, r)
		default:
			good = append(good, r)
		}
	}
	return append(append(good, late...), gone...)
}

// lead is the replica that is written to.
func (s *shard) lead() *server {
	order := s.order()
	for _, r := range order {
		if !r.away.Load() && !r.late() && r.unfit.Load() < time.Now().UnixNano() {
			return r
		}
	}
	return order[0]
}

// asked are the replicas that can be reached; all of them where none can.
func (s *shard) asked() (out []*server) {
	for _, r := range s.replicas {
		if !r.away.Load() || s.away() {
			out = append(out, r)
		}
	}
	return out
}

// away says that none can be reached.
func (s *shard) away() bool {
	for _, r := range s.replicas {
		if !r.away.Load() {
			return false
		}
	}
	return true
}

// complete is an error where the one that answers may lack rows.
func (s *shard) complete() error {
	return s.wholeOn(s.order()[0])
}

func (s *shard) wholeOn(r *server) error {
	if r.late() {
		return fmt.Errorf("%w: of shard %d only %s answers, which lacks rows that another replica has", engine.ErrAway, s.number, r.address)
	}
	return nil
}

// read asks one replica, and another one where it does not answer. Those known to be away are
// asked where no other is left. The last one is given time: no other answers sooner.
func (s *shard) read(ctx context.Context, ask func(context.Context, *server) error) (err error) {
	order := s.order()
	if !s.away() {
		order = slices.DeleteFunc(order, func(r *server) bool { return r.away.Load() })
	}
	for i, r := range order {
		if i == len(order)-1 {
			ctx = context.WithValue(ctx, patient{}, true)
		}
		if err = ask(ctx, r); err == nil || !errors.Is(err, engine.ErrAway) {
			return err
		}
	}
	return err
}

// patient in a context says that a server may be silent for as long as any may.
type patient struct{}

func (s *shard) numbers(ctx context.Context, sql string) (out []uint64, err error) {
	err = s.read(ctx, func(ctx context.Context, r *server) (err error) { out, err = r.numbers(ctx, sql); return err })
	return out, err
}

func (s *shard) texts(ctx context.Context, sql string) (out []string, err error) {
	err = s.read(ctx, func(ctx context.Context, r *server) (err error) { out, err = r.texts(ctx, sql); return err })
	return out, err
}

func (s *shard) version(ctx context.Context) (out [2]int, err error) {
	err = s.read(ctx, func(ctx context.Context, r *server) (err error) { out, err = r.version(ctx); return err })
	return out, err
}

// any puts together what each replica says that can be reached. It is an error where none says
// anything.
func (s *shard) any(ctx context.Context, ask func(*server) ([]string, error)) (out []string, err error) {
	said := false
	for _, r := range s.asked() {
		one, oneErr := ask(r)
		switch {
		case oneErr == nil:
			out, said = append(out, one...), true
		case ctx.Err() != nil || !errors.Is(oneErr, engine.ErrAway):
			return nil, oneErr
		default:
			err = oneErr
		}
	}
	if said {
		return out, nil
	}
	return nil, err
}

// do asks a question whose answer comes in parts: another replica is asked only as long as none
// came. What writes goes to one replica: what became of it is looked for before it is
// tried elsewhere.
func (s *shard) do(ctx context.Context, q ch.Query) error {
	if q.Input != nil || q.ExternalData != nil {
		return s.lead().do(ctx, q)
	}
	return s.doOn(ctx, q, func(*server) error { return nil })
}

// doWhole asks for all rows: it is ErrAway where they may not be, also when a replica that lacks
// some took over meanwhile.
func (s *shard) doWhole(ctx context.Context, q ch.Query) error {
	return s.doOn(ctx, q, s.wholeOn)
}

// doOn asks a question of replicas that may be asked, before and after.
func (s *shard) doOn(ctx context.Context, q ch.Query, may func(*server) error) error {
	heard, on := false, q.OnResult
	if on != nil {
		q.OnResult = func(ctx context.Context, b proto.Block) error {
			heard = heard || b.Rows > 0
			return on(ctx, b)
		}
	}
	var last error
	err := s.read(ctx, func(ctx context.Context, r *server) error {
		if heard {
			return last
		}
		if last = may(r); last == nil {
			if last = r.do(ctx, q); last == nil {
				last = may(r)
			}
		}
		return last
	})
	return err
}

// exec changes a table, of which the replicas tell each other.
func (s *shard) exec(ctx context.Context, sql string) error { return s.lead().exec(ctx, sql) }

// insert writes one block, on one replica.
func (s *shard) insert(ctx context.Context, database, table string, in proto.Input, id string) error {
	return s.lead().insert(ctx, database, table, in, id)
}

// everywhere runs statements on each replica that can be reached, and on all of them where all
// is asked for.
func (s *shard) everywhere(ctx context.Context, all bool, statements func(*server) []string) error {
	done := 0
	var away error
	for _, r := range s.order() {
		err := error(nil)
		for _, sql := range statements(r) {
			if err = r.exec(ctx, sql); err != nil {
				break
			}
		}
		switch {
		case err == nil:
			done++
		case !all && errors.Is(err, engine.ErrAway):
			away = err
		default:
			return err
		}
	}
	if done == 0 {
		return away
	}
	return nil
}

func (s *shard) addresses() string {
	var out []string
	for _, r := range s.replicas {
		out = append(out, r.address)
	}
	return strings.Join(out, ", ")
}

func (s *shard) close() {
	s.once.Do(func() { close(s.stop) })
	s.watching.Wait()
	for _, r := range s.replicas {
		r.close()
	}
}
