package clickhouse

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/ClickHouse/ch-go"
	"github.com/ClickHouse/ch-go/proto"

	"whyhot/internal/store/engine"
)

// server is one process of ClickHouse.
type server struct {
	address string
	options ch.Options
	idle    chan *ch.Client
	old     atomic.Bool
	// away is set from when it could not be reached until it answers again. Questions do not
	// wait for it meanwhile; somebody tries it all the time.
	away atomic.Bool
	// behind says that another replica has rows that this one lacks; nil where there is none.
	behind *atomic.Bool
	has    atomic.Pointer[[]string] // its tables, as it said last
	// release is the version of its program.
	release atomic.Pointer[[2]int]
	looks   atomic.Uint64          // how often it was asked whether it is behind
	said    atomic.Pointer[string] // why it could not be mended, as the log has it
	unfit   atomic.Int64           // until when another one is written to, in Unix nanoseconds
	silent  time.Duration          // for which it may say nothing
	closed  chan struct{}
	trying  sync.WaitGroup
}

// How long a server may take to be reached, and say nothing: one at work tells of its progress
// ten times a second. Questions wait that long once, and then pass over it.
const (
	dialTime   = 2 * time.Second
	silentTime = 5 * time.Second
	tryEvery   = time.Second
	// defineTime is for a statement about a table, which waits for disks and tells no progress.
	defineTime = time.Minute
	// Where another one has the same rows it is not waited for as long.
	silentReplica = 800 * time.Millisecond
	awayEvery     = 100 * time.Millisecond
	// unfitTime is how long one that took no rows is not written to.
	unfitTime = 30 * time.Second
)

func newServer(address string, o Options) *server {
	s := &server{address: address, silent: silentTime, idle: make(chan *ch.Client, 8), closed: make(chan struct{}), options: ch.Options{
		Address: address, User: o.User, Password: o.Password, Compression: ch.CompressionLZ4,
		ClientName: "whyhot", DialTimeout: dialTime, HandshakeTimeout: silentTime,
	}}
	if o.TLS {
		s.options.TLS = &tls.Config{MinVersion: tls.VersionTLS12}
	}
	return s
}

// settings of each session. As statements, for servers before 20.1 do not take them
// beside a query.
var settings = []string{
	"SET max_query_size = 67108864", // long lists of series
	"SET max_block_size = 65536",    // rows of an answer that come together
}

// late says that another replica has rows that this one lacks, or may have.
func (s *server) late() bool { return s.behind != nil && s.behind.Load() }

// patience is how long it may say nothing.
func (s *server) patience(ctx context.Context) time.Duration {
	if ctx.Value(patient{}) != nil {
		return silentTime
	}
	return s.silent
}

func (s *server) connect(ctx context.Context) (*ch.Client, error) {
	select {
	case c := <-s.idle:
		return c, nil
	default:
	}
	c, err := s.dial(ctx)
	if err != nil {
		return nil, s.wrong(ctx, "connecting", err)
	}
	s.away.Store(false)
	for _, set := range settings {
		if err := listen(ctx, c, ch.Query{Body: set}, s.patience(ctx)); err != nil {
			_ = c.Close()
			return nil, s.wrong(ctx, set, err)
		}
	}
	return c, nil
}

// The client does not know the form in which servers before 19.1 want to be told about
// it (revision 54420), but nobody has to tell a server who has not heard of that
// (revision 54032).
const (
	tellsOfItself = 54420
	beforeThat    = 54031
)

func (s *server) dial(ctx context.Context) (*ch.Client, error) {
	o := s.options
	if s.behind != nil {
		o.DialTimeout, o.HandshakeTimeout = s.silent, s.silent
	}
	if s.old.Load() {
		o.ProtocolVersion = beforeThat
	}
	c, err := ch.Dial(ctx, o)
	if err == nil {
		info := c.ServerInfo()
		s.release.Store(&[2]int{info.Major, info.Minor})
	}
	if err != nil || s.old.Load() || c.ServerInfo().Revision >= tellsOfItself {
		return c, err
	}
	s.old.Store(true)
	if err := c.Close(); err != nil {
		return nil, err
	}
	return s.dial(ctx)
}

// do runs a query on a connection that nobody else uses meanwhile.
func (s *server) do(ctx context.Context, q ch.Query) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	heard := false // rows of an answer, which would come twice
	if on := q.OnResult; on != nil {
		q.OnResult = func(ctx context.Context, b proto.Block) error {
			heard = heard || b.Rows > 0
			return on(ctx, b)
		}
	}
	for {
		pooled := len(s.idle) > 0
		c, err := s.connect(ctx)
		if err != nil {
			return err
		}
		err = s.listen(ctx, c, q)
		if err == nil {
			select {
			case s.idle <- c:
			default:
				_ = c.Close()
			}
			return nil
		}
		_ = c.Close()
		// A connection may have been cut while it lay idle, as by a server that was
		// started again. A question that nothing was answered to can be put again, an INSERT
		// cannot.
		if pooled && !heard && q.Input == nil && q.ExternalData == nil && ctx.Err() == nil && cut(err) {
			continue
		}
		return s.wrong(ctx, q.Body, err)
	}
}

// errSilent says that a server said nothing for silentTime.
var errSilent = errors.New("it says nothing")

// listen runs a query. An INSERT says nothing until it is done, and neither does a statement that
// makes, changes or removes a table, which waits for ZooKeeper: where another replica has the same
// rows these are given up when questions find that this one is away.
func (s *server) listen(ctx context.Context, c *ch.Client, q ch.Query) error {
	define := defines(q.Body)
	switch {
	case s.behind != nil && (define || q.Input != nil || q.ExternalData != nil):
		return s.whileThere(ctx, c, q)
	case define:
		return listen(ctx, c, q, defineTime)
	}
	return listen(ctx, c, q, s.patience(ctx))
}

// defines says whether a statement is about a table or database itself.
func defines(sql string) bool {
	return slices.ContainsFunc([]string{"CREATE ", "ALTER ", "DROP "}, func(verb string) bool { return strings.HasPrefix(sql, verb) })
}

// whileThere runs a query that says nothing until it is done, as long as the server is not away.
func (s *server) whileThere(ctx context.Context, c *ch.Client, q ch.Query) error {
	if s.behind == nil {
		return c.Do(ctx, q)
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	done := make(chan struct{})
	defer close(done)
	go func() {
		for {
			select {
			case <-done:
				return
			case <-time.After(awayEvery):
			}
			if s.away.Load() {
				cancel(errSilent)
				_ = c.Close() // it waits for a packet for longer
				return
			}
		}
	}()
	err := c.Do(ctx, q)
	if err != nil && errors.Is(context.Cause(ctx), errSilent) {
		return errSilent
	}
	return err
}

// listen runs a query. A question is given up when its server is silent; the client itself
// reads on until its context ends. Of an INSERT a server tells no progress.
func listen(ctx context.Context, c *ch.Client, q ch.Query, silent time.Duration) error {
	if q.Input != nil || q.ExternalData != nil {
		return c.Do(ctx, q)
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	silence := time.AfterFunc(silent, func() {
		cancel(errSilent)
		_ = c.Close() // it waits for a packet for longer
	})
	defer silence.Stop()
	q.OnProgress = func(context.Context, proto.Progress) error {
		silence.Reset(silent)
		return nil
	}
	if on := q.OnResult; on != nil {
		q.OnResult = func(ctx context.Context, b proto.Block) error {
			silence.Stop() // the time that it takes here is not the server's
			defer silence.Reset(silent)
			return on(ctx, b)
		}
	}
	err := c.Do(ctx, q)
	if err != nil && errors.Is(context.Cause(ctx), errSilent) {
		return errSilent
	}
	return err
}

// cut says that a connection ended. A server that is silent may be so again.
func cut(err error) bool { return unreached(err) && !isTimeout(err) }

// unreached says that a server did not answer, rather than with an error.
func unreached(err error) bool {
	return !ch.IsException(err) && (errors.Is(err, io.EOF) || errors.Is(err, ch.ErrClosed) || errors.Is(err, errSilent) || errors.Is(err, context.DeadlineExceeded) || isNet(err))
}

func isNet(err error) bool {
	var e net.Error
	return errors.As(err, &e)
}

func isTimeout(err error) bool {
	var e net.Error
	return errors.Is(err, errSilent) || errors.Is(err, context.DeadlineExceeded) || errors.As(err, &e) && e.Timeout()
}

// lost takes note that the server could not be reached, and has it tried until it can.
func (s *server) lost() {
	if s.behind != nil {
		s.behind.Store(true) // until it has what was written meanwhile
	}
	if s.away.Swap(true) {
		return
	}
	s.trying.Go(func() {
		for {
			select {
			case <-s.closed:
				return
			case <-time.After(tryEvery):
			}
			ctx, cancel := context.WithTimeout(context.Background(), dialTime+silentTime)
			c, err := s.dial(ctx)
			cancel()
			if err == nil {
				_ = c.Close()
				s.away.Store(false)
				return
			}
		}
	})
}

func (s *server) wrong(ctx context.Context, body string, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	// The connection has the same deadline, and may be the first to notice.
	if d, ok := ctx.Deadline(); ok && !time.Now().Before(d) {
		return context.DeadlineExceeded
	}
	if unreached(err) {
		s.lost()
		return fmt.Errorf("the ClickHouse server %s, %.60s: %w: %w", s.address, body, engine.ErrAway, err)
	}
	if s.behind != nil && lacks(err) {
		s.behind.Store(true)
		return fmt.Errorf("the ClickHouse server %s, %.60s: %w: %w", s.address, body, engine.ErrAway, err)
	}
	if s.behind != nil && strings.HasPrefix(body, "INSERT ") && full(err) {
		s.unfit.Store(time.Now().Add(unfitTime).UnixNano())
	}
	return fmt.Errorf("the ClickHouse server %s, %.60s: %w", s.address, body, err)
}

// full says that a server takes no rows now, which another one may.
func full(err error) bool {
	x, ok := ch.AsException(err)
	return ok && slices.Contains([]proto.Error{proto.ErrNotEnoughSpace, proto.ErrTooManyParts, proto.ErrMemoryLimitExceeded}, x.Code)
}

// lacks says that a replica has lost ZooKeeper or its tables, also where ZooKeeper still knows them,
// or did not know what became of an INSERT.
func lacks(err error) bool {
	x, ok := ch.AsException(err)
	return ok && slices.Contains([]proto.Error{proto.ErrUnknownTable, proto.ErrUnknownDatabase, proto.ErrNoZookeeper, proto.ErrTableIsReadOnly, proto.ErrUnexpectedZookeeperError, proto.ErrUnknownStatusOfInsert, proto.ErrKeeperException, proto.ErrReplicaAlreadyExists}, x.Code)
}

// exec runs a statement that changes tables, on a connection of its own: nothing is told until
// it is done.
func (s *server) exec(ctx context.Context, sql string) error {
	c, err := s.dial(ctx)
	if err != nil {
		return s.wrong(ctx, "connecting", err)
	}
	defer c.Close() //nolint:errcheck // it is done
	s.away.Store(false)
	if err := s.whileThere(ctx, c, ch.Query{Body: sql}); err != nil {
		return s.wrong(ctx, sql, err)
	}
	return nil
}

// numbers gives a column of UInt64.
func (s *server) numbers(ctx context.Context, sql string) ([]uint64, error) {
	var column proto.ColUInt64
	var out []uint64
	err := s.do(ctx, ch.Query{Body: sql, Result: proto.ResultColumn{Data: &column}, OnResult: func(context.Context, proto.Block) error {
		out = append(out, column...)
		return nil
	}})
	return out, err
}

// texts gives a column of String.
func (s *server) texts(ctx context.Context, sql string) ([]string, error) {
	var column proto.ColStr
	var out []string
	err := s.do(ctx, ch.Query{Body: sql, Result: proto.ResultColumn{Data: &column}, OnResult: func(context.Context, proto.Block) error {
		for i := range column.Rows() {
			out = append(out, column.Row(i))
		}
		return nil
	}})
	return out, err
}

func (s *server) close() {
	close(s.closed)
	s.trying.Wait()
	for len(s.idle) > 0 {
		_ = (<-s.idle).Close()
	}
}
