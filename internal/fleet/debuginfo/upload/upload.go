package upload

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"whyhot/internal/elfinfo/extract"
	"whyhot/internal/elfinfo/locate"
	"whyhot/internal/fleet/send"
)

// Binary is one that had samples.
type Binary struct {
	BuildID string // GNU, in lower-case hex
	Path    string // as the process has it
	PID     int    // in whose root directory debug files are looked for
	// File gives the file as it was when it was loaded, which is then the Uploader's,
	// or nil where nobody has it open: it is then looked for at Path. It is called at
	// most once, before Offer returns.
	File func() *os.File
}

// Options say what is uploaded and where to.
type Options struct {
	Kind    extract.Kind
	Server  send.Options // the endpoint is gRPC
	Backoff *send.Backoff
	Queue   int   // binaries that may wait, each an open file; 0 is 256
	Rate    int64 // bytes a second at most; 0 is 4 MiB
	// Again is after how long a binary is tried again that the server refused for a
	// reason that may pass, or that somebody else was uploading; 0 is 10 min.
	Again time.Duration
	// Log takes a line for people. Several goroutines call it.
	Log func(text string)
}

func (o Options) withDefaults() Options {
	if o.Queue == 0 {
		o.Queue = 256
	}
	if o.Rate == 0 {
		o.Rate = 4 << 20
	}
	if o.Again == 0 {
		o.Again = 10 * time.Minute
	}
	return o
}

// Stats are counts since New.
type Stats struct {
	Uploaded, Bytes int64 // files, and their bytes
	Known           int64 // build IDs that the server has already, or does not want
	Failed          int64 // attempts that failed, for this file or for now
	Dropped         int64 // offers for which there was no room; each may be made again
}

// Uploader gives one server what it lacks. Several goroutines may use it.
type Uploader struct {
	opts   Options
	client *client
	queue  chan item
	mu     sync.Mutex
	seen   map[string]seen // by build ID
	told   map[string]bool // kinds of failures that were logged
	off    bool            // nothing more is taken
	counts struct{ uploaded, bytes, known, failed, dropped atomic.Int64 }
}

// item is a binary that waits.
type item struct {
	Binary

	key   string        // that it is remembered by
	grade extract.Grade // of what was offered to the server
	file  *os.File      // nil where it is still to be opened
}

// open opens the file where the process has it. That may take as long as whoever runs
// the process wants, if the file system is theirs: Offer must not do it.
func (i *item) open() error {
	if i.file != nil {
		return nil
	}
	file, err := locate.OpenIn(locate.Root(i.PID, i.Path))
	if err != nil {
		return fmt.Errorf("%w: %w", errGone, err)
	}
	i.file = file
	return nil
}

func (i *item) close() {
	if i.file != nil {
		_ = i.file.Close() // only read from
	}
}

// seen is what is known of a build ID: it is settled, or not to be asked about before a
// time, or (both zero) in the queue. poor says that the file which settled it does not name
// all functions: another one with the same build ID, not stripped, may.
type seen struct {
	settled, poor bool
	again         time.Time
}

// keyOf is what a binary is remembered by: its build ID or, beside a poor file, its path too.
func (u *Uploader) keyOf(b Binary) string {
	if known := u.seen[b.BuildID]; known.settled && known.poor {
		return b.BuildID + " " + b.Path
	}
	return b.BuildID
}

// maxSeen bounds how many build IDs are remembered.
const maxSeen = 1 << 16

// New makes an uploader. It does not connect yet.
func New(o Options) (*Uploader, error) {
	o = o.withDefaults()
	c, err := newClient(o.Server, o.Rate)
	if err != nil {
		return nil, err
	}
	return &Uploader{opts: o, client: c, queue: make(chan item, o.Queue), seen: map[string]seen{}, told: map[string]bool{}}, nil
}

// Offer takes a binary, if there is something to do about it and room. It is false when
// nothing more will ever be done about the binary, and true when it should be offered
// again with its next samples.
func (u *Uploader) Offer(b Binary) (again bool) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.off || b.BuildID == "" {
		return false
	}
	key := u.keyOf(b)
	known, there := u.seen[key]
	switch {
	case known.settled:
		return false
	case there && known.again.IsZero() || time.Now().Before(known.again):
		return true
	case len(u.queue) == cap(u.queue):
		u.counts.dropped.Add(1)
		u.tell("full", "debug information: the upload queue is full; some binaries are queued later")
		return true
	}
	u.remember(key, seen{})
	u.queue <- item{Binary: b, key: key, file: b.File()} // there is room: only this function fills it
	return true
}

// remember is called with the lock.
func (u *Uploader) remember(buildID string, s seen) {
	if _, there := u.seen[buildID]; !there && len(u.seen) >= maxSeen {
		clear(u.seen)
	}
	u.seen[buildID] = s
}

// failed counts a failure and tells the first of its kind. It is called with the lock.
func (u *Uploader) failed(kind string, b Binary, err error) {
	u.counts.failed.Add(1)
	u.tell(kind, fmt.Sprintf("debug information of %s (build ID %s) is not uploaded: %v; others like it are counted only", b.Path, b.BuildID, err))
}

// tell logs one line of each kind. It is called with the lock.
func (u *Uploader) tell(kind, text string) {
	if !u.told[kind] {
		u.told[kind] = true
		u.opts.Log(text)
	}
}

// Stats tells of this moment.
func (u *Uploader) Stats() Stats {
	c := &u.counts
	return Stats{Uploaded: c.uploaded.Load(), Bytes: c.bytes.Load(), Known: c.known.Load(), Failed: c.failed.Load(), Dropped: c.dropped.Load()}
}

// Run uploads until ctx is done, or the server says that it takes no debug
// information. It is called once, and closes the connection.
func (u *Uploader) Run(ctx context.Context) {
	defer u.stop()
	for {
		select {
		case <-ctx.Done():
			return
		case next := <-u.queue:
			goOn := u.work(ctx, &next)
			next.close()
			if !goOn {
				return
			}
		}
	}
}

func (u *Uploader) stop() {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.off = true
	for len(u.queue) > 0 {
		left := <-u.queue
		left.close()
	}
	u.client.close()
}

// work settles one binary. It is false when no other is to follow.
func (u *Uploader) work(ctx context.Context, next *item) bool {
	away := false
	for {
		err := u.deliver(ctx, next)
		retryable := (*send.RetryableError)(nil)
		switch {
		case ctx.Err() != nil:
			return false
		case errors.As(err, &retryable):
			u.counts.failed.Add(1)
			u.mu.Lock()
			if !away {
				u.tell("away", fmt.Sprintf("debug information waits until the server accepts it: %v", err))
			}
			u.mu.Unlock()
			away = true
			if !pause(ctx, u.opts.Backoff.Pause(err)) {
				return false
			}
			continue
		case status.Code(err) == codes.Unimplemented:
			u.opts.Log("the server does not accept debug information: none is uploaded")
			return false
		}
		u.opts.Backoff.Reset()
		u.settle(next, err)
		return true
	}
}

func pause(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}

// settle remembers what came of a binary.
func (u *Uploader) settle(i *item, err error) {
	u.mu.Lock()
	defer u.mu.Unlock()
	switch {
	case err == nil:
		poor := i.grade == extract.Exported
		u.remember(i.key, seen{settled: true, poor: poor})
		if poor && i.key == i.BuildID {
			u.remember(u.keyOf(i.Binary), seen{settled: true}) // this path is not offered again
		}
		if !poor {
			u.remember(i.BuildID, seen{settled: true})
		}
	case errors.Is(err, errInProgress):
		u.remember(i.key, seen{again: time.Now().Add(u.opts.Again)})
	case passing(err):
		u.failed(kindOf(err), i.Binary, err)
		u.remember(i.key, seen{again: time.Now().Add(u.opts.Again)})
	default:
		u.failed(kindOf(err), i.Binary, err)
		u.remember(i.key, seen{settled: true})
	}
}

// passing tells refusals that are not about the file: a token that expired, a store
// that is full, a URL that was too old.
func passing(err error) bool {
	if credential := (*send.CredentialError)(nil); errors.As(err, &credential) {
		return true
	}
	switch status.Code(err) { //nolint:exhaustive // all others are about the file
	case codes.NotFound, codes.Internal, codes.FailedPrecondition:
		return true
	}
	// A process that ended may be started again.
	return errors.Is(err, errGone) || errors.Is(err, send.ErrTooLarge) || errors.Is(err, errURL)
}

// kindOf groups failures, so that each is told once.
func kindOf(err error) string {
	for _, kind := range []error{extract.ErrNotELF, extract.ErrUnsupported, extract.ErrDamaged, extract.ErrNoSections, errOtherFile, errGone, errURL, errNoWay, send.ErrTooLarge} {
		if errors.Is(err, kind) {
			return kind.Error()
		}
	}
	return status.Code(err).String()
}
