package clickhouse_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/ClickHouse/ch-go"
	"github.com/ClickHouse/ch-go/proto"

	"whyhot/internal/store/engine"
	"whyhot/internal/store/engine/clickhouse"
)

// A shard is killed again and again while commits are made, and brought back; each
// commit is tried until it is made. Nothing is lost, nothing is there twice.
func TestShardKilledWhileCommitting(t *testing.T) {
	servers(t)
	o := clickhouse.Options{Address: shards[0].address(), Database: database(t), Cluster: cluster}
	e, err := clickhouse.Open(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = e.Close()
		servers(t)
		for _, s := range shards {
			dropped(t, s, o.Database)
		}
	})
	const commits, rows = 25, 3000
	// alternately the shard with the dictionary and the other one
	stop := killing(t, rand.New(rand.NewPCG(1, 1)), span{20, 300}, 100, func(n int) *shard { return shards[n%2] })
	failed := 0
	for n := uint64(1); n <= commits; n++ {
		failed += committed(t, e, n, rows)
	}
	kills := stop()
	servers(t)
	t.Logf("%d kills, %d commits that failed and were made again", kills, failed)
	if failed == 0 {
		t.Error("no kill hit a commit: the test says nothing")
	}
	if err := e.Close(); err != nil {
		t.Fatal(err)
	}
	if e, err = clickhouse.Open(t.Context(), o); err != nil {
		t.Fatal(err)
	}
	if e.Committed() != commits {
		t.Errorf("the last commit is %d, not %d", e.Committed(), commits)
	}
	s, err := e.Sum(t.Context(), engine.Query{Table: engine.Samples, To: math.MaxUint32, By: []string{engine.ColSeries}})
	if err != nil {
		t.Fatal(err)
	}
	for i, n := range s.Counts { // the series is the commit
		if n != rows {
			t.Errorf("commit %d has %d rows, not %d", s.Keys[0][i], n, rows)
		}
	}
	if s.Len() != commits {
		t.Errorf("rows of %d commits, not %d", s.Len(), commits)
	}
	next := uint32(1)
	if err := e.Scan(t.Context(), engine.Stacks, 0, 0, func(b *engine.Block) error {
		for _, id := range b.Uint32s("id") {
			if id != next {
				return fmt.Errorf("stack %d is at the place of %d", id, next)
			}
			next++
		}
		return nil
	}); err != nil || next != commits*100+1 {
		t.Errorf("the dictionary has %d stacks, not %d (%v)", next-1, commits*100, err)
	}
}

// span is from so many milliseconds on, for so many.
type span struct{ from, length int }

// killing kills servers one after the other, until it is stopped, each a while after the one before is
// back; it is down for some milliseconds. It says how many it has killed.
func killing(t *testing.T, random *rand.Rand, pause span, down int, which func(n int) *shard) (stop func() int) {
	t.Helper()
	ended, stopped := make(chan struct{}), make(chan int)
	go func() {
		kills := 0
		defer func() { stopped <- kills }()
		for ; ; kills++ {
			select {
			case <-ended:
				return
			case <-time.After(time.Duration(pause.from+random.IntN(pause.length)) * time.Millisecond):
			}
			s := which(kills)
			s.kill()
			time.Sleep(time.Duration(random.IntN(down)) * time.Millisecond)
			if err := s.start(); err != nil {
				t.Error(err)
				return
			}
		}
	}()
	return func() int {
		close(ended)
		return <-stopped
	}
}

func killedBlocks(n uint32, rows int) []*engine.Block {
	samples, stacks := engine.NewBlock(engine.Samples, rows), engine.NewBlock(engine.Stacks, 100)
	for i := range uint32(rows) {
		samples.Append(20_779*engine.MinutesPerDay+i%3*engine.MinutesPerDay+n, uint32(1), n, i, int64(1), uint32(1))
	}
	for i := range uint32(100) {
		stacks.Append((n-1)*100+i+1, i)
	}
	return []*engine.Block{samples, stacks}
}

// What a process of before left on its way to a server is decided before anything is
// inserted again.
func TestCommitWaitsForInsertsOfBefore(t *testing.T) {
	servers(t)
	o := clickhouse.Options{Address: shards[0].address(), Database: database(t), Cluster: cluster}
	e, err := clickhouse.Open(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = e.Close()
		for _, s := range shards {
			dropped(t, s, o.Database)
		}
	})
	c, err := ch.Dial(t.Context(), ch.Options{Address: shards[1].address(), ProtocolVersion: 54031})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	busy, end := context.WithCancel(t.Context())
	began, ended := make(chan struct{}), make(chan struct{})
	go func() { // an INSERT in the server's list
		defer close(ended)
		var zero proto.ColUInt8
		var once sync.Once
		_ = c.Do(busy, ch.Query{
			Body: "SELECT sleep(0.1) FROM system.numbers SETTINGS max_block_size = 1", QueryID: "whyhot writes " + o.Database + " 1 samples 1 0",
			Result: proto.ResultColumn{Data: &zero}, OnResult: func(context.Context, proto.Block) error { once.Do(func() { close(began) }); return nil },
		})
	}()
	<-began
	short, cancel := context.WithTimeout(t.Context(), time.Second)
	defer cancel()
	if err := e.Commit(short, 1, killedBlocks(1, 10)); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("while an INSERT is under way: %v", err)
	}
	end()
	<-ended
	if err := e.Commit(t.Context(), 1, killedBlocks(1, 10)); err != nil {
		t.Error(err)
	}
}
