package keeper

import (
	"context"
	"errors"
	"path"
	"sync"
	"sync/atomic"
	"time"

	"github.com/go-zookeeper/zk"
)

// Lease is held by this process until Gone is closed. ZooKeeper gives it to another one when it
// has not heard of this one's session for as long as a session lasts.
type Lease struct {
	keeper  *Keeper
	session int64
	began   time.Time
	until   atomic.Int64 // nanoseconds after began
	gone    chan struct{}
	cancel  context.CancelFunc
	beats   sync.WaitGroup
	closing sync.Once
}

const (
	beatEvery = 300 * time.Millisecond
	// slack is how much earlier than ZooKeeper a process takes its session for ended.
	slack = 500 * time.Millisecond
)

// Take takes the lease, or is HeldError. by is what others are told.
func (k *Keeper) Take(ctx context.Context, by string) (*Lease, error) {
	at, asked := path.Join(k.root, nameLease), time.Now()
	for {
		_, err := ask(ctx, k, at, func() (string, error) {
			return k.conn.Create(at, []byte(by), zk.FlagEphemeral, zk.WorldACL(zk.PermAll))
		})
		if err == nil {
			break
		}
		if !errors.Is(err, zk.ErrNodeExists) {
			return nil, err
		}
		h, err := k.holder(ctx)
		switch {
		case errors.Is(err, zk.ErrNoNode):
			continue // it ended meanwhile
		case err != nil:
			return nil, err
		case h.session == k.conn.SessionID(): // the answer got lost
		default:
			return nil, &HeldError{By: h.by}
		}
		break
	}
	beating, cancel := context.WithCancel(context.WithoutCancel(ctx))
	l := &Lease{keeper: k, session: k.conn.SessionID(), began: asked, gone: make(chan struct{}), cancel: cancel}
	l.heard(asked)
	l.beats.Go(func() {
		defer close(l.gone)
		l.beat(beating)
	})
	return l, nil
}

type holder struct {
	by      string
	session int64
}

func (k *Keeper) holder(ctx context.Context) (holder, error) {
	at := path.Join(k.root, nameLease)
	return ask(ctx, k, at, func() (holder, error) {
		data, stat, err := k.conn.Get(at)
		if err != nil {
			return holder{}, err
		}
		return holder{string(data), stat.EphemeralOwner}, nil
	})
}

func (l *Lease) heard(asked time.Time) {
	l.until.Store(int64(asked.Add(sessionTime - slack).Sub(l.began)))
}

// beat asks whether the lease is still of this session, until it is not.
func (l *Lease) beat(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-l.keeper.closed: // its session is over
			return
		case <-time.After(beatEvery):
		}
		asked := time.Now()
		asking, cancel := context.WithTimeout(ctx, sessionTime)
		// A server of ZooKeeper that is cut off from the others answers for a while from what it has.
		h, err := holder{}, l.keeper.sync(asking)
		if err == nil {
			h, err = l.keeper.holder(asking)
		}
		cancel()
		switch {
		case ctx.Err() != nil:
			return
		case errors.Is(err, zk.ErrNoNode), err == nil && h.session != l.session, l.keeper.conn.SessionID() != l.session:
			return
		case err == nil:
			l.heard(asked)
		}
	}
}

// Gone is closed when the lease is not held any more.
func (l *Lease) Gone() <-chan struct{} { return l.gone }

// Certain says that no other process can have it yet.
func (l *Lease) Certain() bool {
	select {
	case <-l.gone:
		return false
	default:
		return l.held()
	}
}

func (l *Lease) held() bool { return time.Since(l.began) < time.Duration(l.until.Load()) }

// Close gives it up.
func (l *Lease) Close() {
	l.closing.Do(func() {
		l.cancel()
		l.beats.Wait()
		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
		defer cancel()
		// Who is paused after that for longer than a session lasts could remove the next one's.
		if h, err := l.keeper.holder(ctx); err == nil && h.session == l.session && l.held() {
			at := path.Join(l.keeper.root, nameLease)
			_, _ = ask(ctx, l.keeper, at, func() (struct{}, error) { return struct{}{}, l.keeper.conn.Delete(at, -1) })
		}
	})
}
