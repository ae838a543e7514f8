package clickhouse_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"sync"
	"testing"
	"time"

	"github.com/ClickHouse/ch-go"
	"github.com/ClickHouse/ch-go/proto"

	"whyhot/internal/store/engine"
	"whyhot/internal/store/engine/clickhouse"
)

// shared are the options of a process that shares a database of its own name with others.
func shared(t *testing.T, name string) clickhouse.Options {
	t.Helper()
	servers(t)
	return clickhouse.Options{Address: shards[0].address(), Database: name, Cluster: cluster, Shared: true, Advertise: "http://first:7878"}
}

func dropAtEnd(t *testing.T, name string) {
	t.Cleanup(func() {
		servers(t)
		for _, s := range shards {
			dropped(t, s, name)
		}
	})
}

// opened opens a database as soon as nobody has it.
func opened(t *testing.T, o clickhouse.Options) *clickhouse.Engine {
	t.Helper()
	for end := time.Now().Add(time.Minute); ; time.Sleep(50 * time.Millisecond) {
		e, err := clickhouse.Open(t.Context(), o)
		if err == nil {
			t.Cleanup(func() { _ = e.Close() })
			return e
		}
		if !errors.Is(err, engine.ErrInUse) || time.Now().After(end) {
			t.Fatal(err)
		}
	}
}

// count gives the rows of all commits, by commit.
func count(t *testing.T, e engine.Engine) map[uint32]int64 {
	t.Helper()
	s, err := e.Sum(t.Context(), engine.Query{Table: engine.Samples, To: math.MaxUint32, By: []string{engine.ColSeries}})
	if err != nil {
		t.Fatal(err)
	}
	out := map[uint32]int64{}
	for i, n := range s.Counts { // the series is the commit
		out[s.Keys[0][i]] = n
	}
	return out
}

func wantCommits(t *testing.T, e *clickhouse.Engine, last uint64, rows int64) {
	t.Helper()
	if e.Committed() != last {
		t.Errorf("the last commit is %d, not %d", e.Committed(), last)
	}
	got := count(t, e)
	for n := uint32(1); uint64(n) <= last; n++ {
		if got[n] != rows {
			t.Errorf("commit %d has %d rows, not %d", n, got[n], rows)
		}
	}
	if uint64(len(got)) != last {
		t.Errorf("rows of %d commits, not %d", len(got), last)
	}
}

// One of several has the database for longer than a lease, and the others are told where it
// is; when it closes, the next one has it.
func TestSharedDatabaseIsHeldByOne(t *testing.T) {
	name := database(t)
	dropAtEnd(t, name)
	o := shared(t, name)
	first := opened(t, o)
	second := o
	second.Advertise = "http://second:7878"
	held := (*engine.HeldError)(nil)
	for range 40 { // more than the time of both queries
		e, err := clickhouse.Open(t.Context(), second)
		if err == nil { // a machine too busy to renew the lease: then the first one writes nothing
			<-first.Lost()
			if err := first.Commit(t.Context(), 1, killedBlocks(1, 500)); err == nil {
				t.Error("two have it")
			}
			_ = e.Close()
			return
		}
		if !errors.As(err, &held) || held.By != o.Advertise {
			t.Fatal(err)
		}
		time.Sleep(100 * time.Millisecond)
	}
	if err := errors.Join(first.Commit(t.Context(), 1, killedBlocks(1, 500)), first.Close()); err != nil {
		t.Fatal(err)
	}
	e := opened(t, second)
	wantCommits(t, e, 1, 500)
	if _, err := clickhouse.Open(t.Context(), o); !errors.As(err, &held) || held.By != second.Advertise {
		t.Error(err)
	}
	// One that does not share it, as for a check of all rows, and one that does again.
	if err := e.Close(); err != nil {
		t.Fatal(err)
	}
	alone := o
	alone.Shared, alone.Advertise = false, ""
	e = opened(t, alone)
	if err := errors.Join(e.Commit(t.Context(), 2, killedBlocks(2, 500)), e.Close()); err != nil {
		t.Fatal(err)
	}
	wantCommits(t, opened(t, o), 2, 500)
}

// A process that has lost the database without knowing writes nothing, whatever it had begun.
func TestSupersededProcessWritesNothing(t *testing.T) {
	name := database(t)
	dropAtEnd(t, name)
	o := shared(t, name)
	old := opened(t, o)
	if err := old.Commit(t.Context(), 1, killedBlocks(1, 500)); err != nil {
		t.Fatal(err)
	}
	// Another epoch, as of a process that had the database while this one was paused.
	run(t, shards[0], fmt.Sprintf("INSERT INTO %s.store_epochs SELECT max(epoch) + 1099511627776, 'http://second:7878', 0 FROM %s.store_epochs", name, name))
	before := count(t, old)
	if err := old.Commit(t.Context(), 2, killedBlocks(2, 500)); !errors.Is(err, engine.ErrSuperseded) {
		t.Errorf("a commit: %v", err)
	}
	if err := old.Replace(t.Context(), nil); !errors.Is(err, engine.ErrSuperseded) {
		t.Errorf("another dictionary: %v", err)
	}
	if got := count(t, old); len(got) != len(before) {
		t.Errorf("rows of %d commits, not %d", len(got), len(before))
	}
	// Another one has its place, and it finds out.
	for _, s := range []string{"", " again"} {
		steal(t, shards[0], "whyhot owns "+name+s)
	}
	select {
	case <-old.Lost():
	case <-time.After(time.Minute):
		t.Error("it does not know that it has lost the database")
	}
}

// A commit that a process left unfinished is finished by the next one: each part of it once.
func TestCommitIsFinishedByTheNextProcess(t *testing.T) {
	name := database(t)
	dropAtEnd(t, name)
	o := shared(t, name)
	for _, away := range []int{0, 1} {
		t.Run(fmt.Sprint("shard ", away+1), func(t *testing.T) {
			n := uint64(away + 1)
			e := opened(t, o)
			stop := make(chan struct{})
			go func() { // the shard goes while the commit is made
				defer close(stop)
				time.Sleep(8 * time.Millisecond)
				shards[away].kill()
			}()
			err := e.Commit(t.Context(), n, killedBlocks(uint32(n), 30_000))
			<-stop
			if err == nil {
				t.Log("the commit was made before the shard went")
			}
			if err := e.Close(); err != nil {
				t.Fatal(err)
			}
			servers(t)
			e = opened(t, o)
			if e.Committed() < n { // nothing of it was begun
				if got := count(t, e); len(got) != int(n)-1 {
					t.Errorf("there are rows of %d commits, of which %d are whole", len(got), n-1)
				}
				if err := e.Commit(t.Context(), n, killedBlocks(uint32(n), 30_000)); err != nil {
					t.Fatal(err)
				}
			}
			wantCommits(t, e, n, 30_000)
			if err := e.Close(); err != nil {
				t.Fatal(err)
			}
		})
	}
}

// steal ends the query of a name, and has another one of that name run until the test ends.
func steal(t *testing.T, s *shard, name string) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
	t.Cleanup(cancel)
	for end := time.Now().Add(time.Minute); time.Now().Before(end); {
		c, err := ch.Dial(ctx, ch.Options{Address: s.address(), ProtocolVersion: 54031})
		if err != nil {
			t.Fatal(err)
		}
		killed := ch.Query{Body: fmt.Sprintf("KILL QUERY WHERE query_id = '%s' SYNC", name), Result: (&proto.Results{}).Auto()}
		if err := c.Do(ctx, killed); err != nil {
			t.Fatal(err)
		}
		began, ended := make(chan struct{}), make(chan struct{})
		go func() {
			defer close(ended)
			var zero proto.ColUInt8
			var once sync.Once
			_ = c.Do(ctx, ch.Query{
				Body: "SELECT sleep(0.1) FROM system.numbers SETTINGS max_block_size = 1", QueryID: name,
				Result: proto.ResultColumn{Data: &zero}, OnResult: func(context.Context, proto.Block) error { once.Do(func() { close(began) }); return nil },
			})
			_ = c.Close()
		}()
		select {
		case <-began:
			t.Cleanup(func() { cancel(); <-ended })
			return
		case <-ended:
		}
	}
	t.Fatal("the name is never free")
}
