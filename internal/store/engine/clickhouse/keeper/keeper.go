// Package keeper keeps a lease and one value in ZooKeeper, or in what speaks its protocol, as
// ClickHouse Keeper does.
//
// It owns the nodes below one path. It takes the servers' addresses and gives a lease that one
// process has at a time, and a value that is replaced only by who knows the last one. Both are
// decided by ZooKeeper: no clocks are compared. It must never know what the value means, and
// must not import the engine.
package keeper

import (
	"context"
	"errors"
	"fmt"
	"net"
	"path"
	"strings"
	"sync"
	"time"

	"github.com/go-zookeeper/zk"
)

var (
	// ErrAway says that no server of ZooKeeper answers.
	ErrAway = errors.New("ZooKeeper cannot be reached")
	// ErrChanged says that another process has replaced the value.
	ErrChanged = errors.New("another process has replaced it")
)

// HeldError says who has the lease.
type HeldError struct{ By string }

func (e *HeldError) Error() string { return "the lease is held by " + e.By }

// sessionTime is asked of ZooKeeper, which gives twice its tickTime at least. It is how long
// the lease of a process that was killed is left.
const sessionTime = 4 * time.Second

const (
	nameLease = "lease"
	nameValue = "value"
)

// Keeper is a session with ZooKeeper.
type Keeper struct {
	conn   *zk.Conn
	root   string
	closed chan struct{}
	once   sync.Once
}

type silent struct{}

func (silent) Printf(string, ...any) {}

// Open waits for a session, as long as the context lasts. The path begins with a slash.
func Open(ctx context.Context, addresses []string, root string) (*Keeper, error) {
	dial := func(network, address string, timeout time.Duration) (net.Conn, error) {
		return (&net.Dialer{Timeout: min(timeout, time.Second)}).Dial(network, address) //nolint:noctx // the client gives none
	}
	conn, events, err := zk.Connect(addresses, sessionTime, zk.WithDialer(dial), zk.WithHostProvider(&servers{}), zk.WithLogger(silent{}), zk.WithLogInfo(false))
	if err != nil {
		return nil, fmt.Errorf("ZooKeeper at %s: %w", strings.Join(addresses, ","), err)
	}
	k := &Keeper{conn: conn, root: root, closed: make(chan struct{})}
	for {
		select {
		case <-ctx.Done():
			conn.Close()
			return nil, fmt.Errorf("%w at %s", ErrAway, strings.Join(addresses, ","))
		case e := <-events:
			if e.State == zk.StateAuthFailed {
				conn.Close()
				return nil, fmt.Errorf("ZooKeeper at %s rejects the session", strings.Join(addresses, ","))
			}
			if e.State != zk.StateHasSession {
				continue
			}
		}
		break
	}
	if err := k.make(ctx); err != nil {
		conn.Close()
		return nil, err
	}
	return k, nil
}

// make makes the path and the value where they are not.
func (k *Keeper) make(ctx context.Context) error {
	at := ""
	for _, part := range append(strings.Split(strings.Trim(k.root, "/"), "/"), nameValue) {
		at += "/" + part
		_, err := ask(ctx, k, at, func() (string, error) { return k.conn.Create(at, nil, 0, zk.WorldACL(zk.PermAll)) })
		if err != nil && !errors.Is(err, zk.ErrNodeExists) {
			return err
		}
	}
	return nil
}

// ask calls the client, which knows no context: a call that is not answered ends when the
// session does.
func ask[T any](ctx context.Context, k *Keeper, what string, call func() (T, error)) (T, error) {
	type answer struct {
		value T
		err   error
	}
	answered := make(chan answer, 1)
	go func() {
		v, err := call()
		answered <- answer{v, err}
	}()
	var none T
	select {
	case a := <-answered:
		switch {
		case a.err == nil || errors.Is(a.err, zk.ErrNodeExists) || errors.Is(a.err, zk.ErrBadVersion) || errors.Is(a.err, zk.ErrNoNode):
			return a.value, a.err
		case errors.Is(a.err, zk.ErrConnectionClosed), errors.Is(a.err, zk.ErrSessionExpired), errors.Is(a.err, zk.ErrNoServer), errors.Is(a.err, zk.ErrSessionMoved), errors.Is(a.err, zk.ErrClosing):
			return none, fmt.Errorf("%w: %s: %w", ErrAway, what, a.err)
		}
		return none, fmt.Errorf("ZooKeeper, %s: %w", what, a.err)
	case <-ctx.Done():
		return none, fmt.Errorf("%w: %s: %w", ErrAway, what, ctx.Err())
	}
}

// sync waits until the server that answers has what others of ZooKeeper have written.
func (k *Keeper) sync(ctx context.Context) error {
	at := path.Join(k.root, nameValue)
	_, err := ask(ctx, k, at, func() (string, error) { return k.conn.Sync(at) })
	return err
}

// Value gives the value, and the version by which it is replaced.
func (k *Keeper) Value(ctx context.Context) ([]byte, int32, error) {
	at := path.Join(k.root, nameValue)
	if err := k.sync(ctx); err != nil {
		return nil, 0, err
	}
	type value struct {
		data    []byte
		version int32
	}
	v, err := ask(ctx, k, at, func() (value, error) {
		data, stat, err := k.conn.Get(at)
		if err != nil {
			return value{}, err
		}
		return value{data, stat.Version}, nil
	})
	return v.data, v.version, err
}

// Replace replaces the value of a version, and gives the next one. It is ErrChanged where the
// value has another version. An answer that got lost is looked for.
func (k *Keeper) Replace(ctx context.Context, data []byte, version int32) (int32, error) {
	at := path.Join(k.root, nameValue)
	for {
		stat, err := ask(ctx, k, at, func() (*zk.Stat, error) { return k.conn.Set(at, data, version) })
		switch {
		case err == nil:
			return stat.Version, nil
		case errors.Is(err, zk.ErrBadVersion):
			return 0, ErrChanged
		case !errors.Is(err, ErrAway) || ctx.Err() != nil:
			return 0, err
		}
		now, is, err := k.Value(ctx)
		switch {
		case err != nil:
			return 0, err
		case is == version+1 && string(now) == string(data):
			return is, nil
		case is != version:
			return 0, ErrChanged
		}
	}
}

// Close ends the session, and what it held.
func (k *Keeper) Close() {
	k.once.Do(func() {
		close(k.closed)
		k.conn.Close()
	})
}
