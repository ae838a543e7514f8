package clickhouse

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/ClickHouse/ch-go"
	"github.com/ClickHouse/ch-go/proto"

	"whyhot/internal/store/engine"
)

// What a replica lacks is asked of it twice a second. One that is behind is asked last, and not
// written to.

// notPulled says that a table has rows to fetch. The log of a table that nothing was written to
// has the pointer 0, as one whose first entry was not read; creating the store waits for that.
const notPulled = "inserts_in_queue > 0 OR log_pointer <= log_max_index AND log_max_index > 0"

// bare says that a replica lacks tables with rows that another one has, as far as they were asked,
// before it is known which ones it needs. Those of the dictionary have changing names.
func (s *shard) bare(r *server) bool {
	own := r.has.Load()
	if own == nil || s.creating.Load() || s.needed.Load() != nil {
		return false
	}
	for _, other := range s.replicas {
		if has := other.has.Load(); has != nil && len(lacking(lasting(*has), *own)) > 0 {
			return true
		}
	}
	return false
}

// lasting are those of some tables that a store has as long as it is there.
func lasting(tables []string) []string {
	return slices.DeleteFunc(slices.Clone(tables), func(name string) bool {
		if name == tableVersion || name == tableShards || name == tableDictionaries || name == tableCommits {
			return false
		}
		return !slices.ContainsFunc(engine.Tables(), func(t *engine.Table) bool { return t.Timed && name == local(t) })
	})
}

// present waits until each replica that is not away has what a question counts, so many at
// least. One that has not in time is behind: it is asked last until it has caught up.
func (s *shard) present(ctx context.Context, sql string, count uint64) error {
	if !s.several() {
		return nil
	}
	for waited := map[*server]bool{}; ; { // also for one that has caught up meanwhile
		i := slices.IndexFunc(s.replicas, func(r *server) bool { return !waited[r] && !r.away.Load() && !r.late() })
		if i < 0 {
			return nil
		}
		r := s.replicas[i]
		waited[r] = true
		if err := r.present(ctx, sql, count); err != nil {
			return err
		}
	}
}

// present waits for what a question counts. One that errs is behind: the others have it.
func (s *server) present(ctx context.Context, sql string, count uint64) error {
	for end := time.Now().Add(caughtUp); ; {
		n, err := s.numbers(ctx, sql)
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case err == nil && len(n) > 0 && n[0] >= count:
			return nil
		case err != nil || time.Now().After(end):
			s.behind.Store(true)
			return nil
		}
		time.Sleep(5 * time.Millisecond)
	}
}

// watch asks each replica, for as long as the shard is used, whether it has all rows.
func (s *shard) watch(ctx context.Context) {
	if !s.several() {
		return
	}
	var first sync.WaitGroup
	for _, r := range s.replicas {
		first.Add(1)
		s.watching.Go(func() {
			s.look(ctx, r)
			first.Done()
			for {
				select {
				case <-s.stop:
					return
				case <-time.After(watchEvery):
				}
				if !r.away.Load() {
					s.look(context.WithoutCancel(ctx), r)
				}
			}
		})
	}
	first.Wait()
}

// look asks a replica what it lacks. Tables are read-only as long as it has not told
// ZooKeeper that it is there.
func (s *shard) look(ctx context.Context, r *server) {
	ctx, cancel := context.WithTimeout(ctx, silentTime)
	defer cancel()
	needed := s.needed.Load() // before the list: while the store is made that grows
	tables, err := r.tables(ctx, s.database)
	if err != nil {
		return
	}
	r.has.Store(&tables)
	if s.bare(r) {
		r.behind.Store(true)
	}
	if needed != nil && len(lacking((*needed)(s), tables)) > 0 {
		r.behind.Store(true)
		mend := s.mend.Load()
		if mend == nil {
			return
		}
		if err := (*mend)(ctx, r); err != nil {
			s.tell(r, err)
			return
		}
		r.said.Store(nil)
	}
	condition := fmt.Sprintf("absolute_delay > %d", behindSeconds)
	// A replica that is cut off from ZooKeeper does not know that it lacks something: now and then
	// it is asked what ZooKeeper says, which it then cannot answer.
	if r.looks.Add(1)%askKeeperEvery == 0 {
		condition += " OR total_replicas = 0"
	}
	strict := r.behind.Load() // whoever finds that it is behind while it is asked is right
	if strict {
		condition = notPulled
	}
	late, err := s.incomplete(ctx, r, condition+" OR "+s.elsewhere())
	if err != nil {
		if !errors.Is(err, engine.ErrAway) {
			r.behind.Store(true)
		}
		return
	}
	switch {
	case late || s.bare(r):
		r.behind.Store(true)
	case strict:
		r.behind.Store(false)
	}
}

// incomplete says that a replica has a table that it cannot write to, or of which a condition holds.
func (s *shard) incomplete(ctx context.Context, r *server, condition string) (bool, error) {
	n, err := r.numbers(ctx, fmt.Sprintf("SELECT toUInt64(count()) FROM system.replicas WHERE database = '%s' AND (is_readonly OR is_session_expired OR %s)", s.database, condition))
	return err == nil && n[0] > 0, err
}

// tell logs why a replica that lacks tables does not get them, once.
func (s *shard) tell(r *server, err error) {
	text := err.Error()
	if before := r.said.Load(); r.away.Load() || errors.Is(err, errUncertain) || before != nil && *before == text {
		return
	}
	r.said.Store(&text)
	help := "it is tried twice a second"
	if x, ok := ch.AsException(err); ok && x.Code == proto.ErrReplicaAlreadyExists {
		help = fmt.Sprintf("ZooKeeper still knows the tables that this server has lost: remove the nodes %s/%d/*/replicas/%s, and it fetches all rows", s.root, s.number, r.address)
	}
	s.log.Error("a replica lacks tables, and they cannot be made", "server", r.address, "database", s.database, "error", err, "help", help)
}

// elsewhere says that a table is not one of this shard.
func (s *shard) elsewhere() string {
	return fmt.Sprintf("position(zookeeper_path, '%s/%d/') != 1", s.root, s.number)
}

// settle waits until a replica has all that the others were told, for a moment.
func (s *shard) settle(ctx context.Context) error {
	if !s.several() {
		return nil
	}
	for end := time.Now().Add(caughtUp); ; {
		if s.away() {
			return s.read(ctx, func(ctx context.Context, r *server) error { _, err := r.numbers(ctx, "SELECT toUInt64(1)"); return err })
		}
		for _, r := range s.asked() { // one that lost its tables has nothing to fetch
			if tables, err := r.tables(ctx, s.database); err == nil {
				r.has.Store(&tables)
			}
		}
		for _, r := range s.order() {
			if r.away.Load() {
				continue
			}
			late, err := s.incomplete(ctx, r, notPulled)
			if err == nil && !late && !s.bare(r) {
				r.behind.Store(false)
				for _, other := range s.replicas[:slices.Index(s.replicas, r)] { // this one is to lead
					if !other.away.Load() {
						other.behind.Store(true)
					}
				}
				return nil
			}
			if err != nil && !errors.Is(err, engine.ErrAway) {
				return err
			}
			if ctx.Err() != nil {
				return ctx.Err()
			}
		}
		if time.Now().After(end) {
			return fmt.Errorf("%w: no replica of shard %d that answers has all rows; start the others (%s)", engine.ErrAway, s.number, s.addresses())
		}
		time.Sleep(20 * time.Millisecond)
	}
}

func lacking(needed, tables []string) (out []string) {
	has := map[string]bool{}
	for _, t := range tables {
		has[t] = true
	}
	for _, t := range needed {
		if !has[t] {
			out = append(out, t)
		}
	}
	return out
}
