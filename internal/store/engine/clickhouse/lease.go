package clickhouse

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/ClickHouse/ch-go"
	"github.com/ClickHouse/ch-go/proto"

	"whyhot/internal/store/engine"
)

// owner holds the database for this process: two queries that have its names and run for
// three seconds, the one begun in the middle of the other, again and again. A server refuses a
// second query of a name, and ends one when its client has gone, however it went; where it
// cannot know, as of a machine that lost its power, the queries end all the same.
//
// Whoever wants the database takes the first name and then the second: of those who try at
// the same time one gets both.
type owner struct {
	cancel context.CancelFunc
	gone   chan struct{}
	until  atomic.Int64 // nanoseconds after began up to which it is held for certain
	began  time.Time
}

// Rows of a query that has a name: one each 0.2 s.
const (
	leaseRows  = 15
	firstRows  = 7
	leaseSleep = 200 * time.Millisecond
	// leaseSlack is how much earlier than the server a process takes a query for ended.
	leaseSlack = 500 * time.Millisecond
)

// holding is what holds the database for this process: an owner, or a lease of ZooKeeper.
type holding interface {
	// Gone is closed when it does not any more.
	Gone() <-chan struct{}
	// Certain says that no other process can have the database yet.
	Certain() bool
	Close()
}

func lost(h holding) bool {
	select {
	case <-h.Gone():
		return true
	default:
		return false
	}
}

// own waits a moment for the process that has the database, but not for one of several that
// share it.
func (e *Engine) own(ctx context.Context) (holding, error) {
	if e.options.replicated() {
		return e.ownByKeeper(ctx)
	}
	s := e.shards[0].replicas[0]
	tries := 40 // of a process that was killed the server may not know yet
	if e.options.Shared {
		tries = 1
	}
	var err error
	for range tries {
		var w *owner
		if w, err = take(ctx, s, e.options.Database); err == nil {
			return w, nil
		}
		if !errors.Is(err, engine.ErrInUse) {
			return nil, err
		}
		if tries == 1 {
			return nil, &engine.HeldError{By: e.holder(ctx)}
		}
		if err := sleep(ctx); err != nil {
			return nil, err
		}
	}
	return nil, err
}

func take(ctx context.Context, s *server, database string) (*owner, error) {
	holding, cancel := context.WithCancel(context.WithoutCancel(ctx))
	w := &owner{cancel: cancel, gone: make(chan struct{}), began: time.Now()}
	var loops sync.WaitGroup
	var running atomic.Int32
	for i, rows := range []int{firstRows, leaseRows} {
		name := "whyhot owns " + database
		if i > 0 {
			name += " again"
		}
		ended, err := w.hold(ctx, holding, s, name, rows)
		if err != nil {
			cancel()
			loops.Wait()
			return nil, err
		}
		running.Add(1)
		loops.Go(func() { w.renew(holding, s, name, ended, &running) })
	}
	go func() {
		defer close(w.gone)
		loops.Wait()
		cancel()
	}()
	return w, nil
}

// renew has the query of a name run, as long as one of either name does.
func (w *owner) renew(ctx context.Context, s *server, name string, ended <-chan struct{}, running *atomic.Int32) {
	for {
		<-ended
		if running.Add(-1) == 0 {
			w.cancel() // the other one waits for its turn in vain
		}
		for {
			if ctx.Err() != nil {
				return
			}
			var err error
			if ended, err = w.hold(ctx, ctx, s, name, leaseRows); err == nil {
				break
			}
			if errors.Is(err, errBroken) {
				w.cancel()
				return
			}
			// Somebody tries whether it is free.
			if sleep(ctx) != nil {
				return
			}
		}
		running.Add(1)
	}
}

// hold begins a query of a name and returns when it runs; holding ends it.
func (w *owner) hold(ctx, holding context.Context, s *server, name string, rows int) (<-chan struct{}, error) {
	ctx, cancel := context.WithTimeout(ctx, silentTime)
	defer cancel()
	c, err := s.connect(ctx)
	if err != nil {
		return nil, err
	}
	asked := time.Now()
	// A server that says nothing has ended it, or may have.
	query, end := context.WithTimeout(holding, time.Duration(rows)*leaseSleep+silentTime)
	began, failed, ended := make(chan struct{}), make(chan error, 1), make(chan struct{})
	go func() {
		defer close(ended)
		defer end()
		var zero proto.ColUInt8
		var once sync.Once
		failed <- c.Do(query, ch.Query{
			Body: fmt.Sprintf("SELECT sleep(0.2) FROM system.numbers LIMIT %d SETTINGS max_block_size = 1, max_threads = 1", rows), QueryID: name,
			Result:     proto.Results{{Data: &zero}},
			OnResult:   func(context.Context, proto.Block) error { once.Do(func() { close(began) }); return nil },
			OnProgress: func(context.Context, proto.Progress) error { return nil },
		})
		_ = c.Close()
	}()
	select {
	case <-began:
		if until := w.until.Load(); until > 0 && time.Since(w.began) > time.Duration(until) {
			end() // it was paused: another process may have had the database in between
			<-ended
			return nil, errBroken
		}
		w.until.Store(int64(asked.Add(time.Duration(rows)*leaseSleep - leaseSlack).Sub(w.began)))
		return ended, nil
	case <-ctx.Done():
		end()
		<-ended
		return nil, s.wrong(ctx, "the query that holds the database", ctx.Err())
	case err := <-failed:
		if e, ok := ch.AsException(err); ok && e.Code == proto.ErrQueryWithSameIDIsAlreadyRunning {
			return nil, engine.ErrInUse
		}
		if err == nil {
			err = errors.New("it ended at once")
		}
		return nil, s.wrong(ctx, "the query that holds the database", err)
	}
}

// errBroken says that there was a time in which neither query ran for certain.
var errBroken = errors.New("the database was not held all the time")

// Gone is closed when both queries have ended.
func (w *owner) Gone() <-chan struct{} { return w.gone }

// Certain says that no other process can have the database yet.
func (w *owner) Certain() bool { return time.Since(w.began) < time.Duration(w.until.Load()) }

// Close ends both queries.
func (w *owner) Close() {
	w.cancel()
	<-w.gone
}
