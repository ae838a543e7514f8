package store

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sync/semaphore"

	"whyhot/internal/host/dirlock"
	"whyhot/internal/store/batch"
	"whyhot/internal/store/dict"
	"whyhot/internal/store/engine"
	"whyhot/internal/store/journal"
	"whyhot/internal/store/keep"
	"whyhot/internal/symbol"
)

// OpenEngine opens the engine of a project, which may keep its files in dir.
type OpenEngine func(ctx context.Context, dir string) (engine.Engine, error)

// Options of a store. Zero values are the defaults.
type Options struct {
	Retention Retention
	Limits    dict.Limits
	Labels    keep.Limits
	Journal   journal.Options
	// Names say where the names of addresses come from.
	Names NameOptions
	// Queries is how many may ask the engine at a time; 4.
	Queries int
	// MaxStacks bounds the profiles that Profile gives; 2 M.
	MaxStacks int
	// Disk says how many bytes of the disk with a directory are free, and how many there are.
	// nil: nobody looks.
	Disk func(dir string) (free, total int64, err error)
	// Share says that stores of other servers share the engine's database; nil for none. The
	// engine is an engine.Shared then.
	Share *Share
	Log   *slog.Logger     // nil: nothing is logged
	Now   func() time.Time // nil: time.Now
}

// Retention is how long rows are kept, in whole days. Zero values are the defaults.
type Retention struct {
	Samples time.Duration // by the minute and host; 14 days
	Hourly  time.Duration // by the hour and service; 90 days
	Thinned time.Duration // levels of the ladder; 90 days
}

// NameOptions say where names come from, and how often they are looked for.
type NameOptions struct {
	Symbols symbol.Options
	// Off leaves addresses without names.
	Off bool
	// Fetch brings the debug information of a build ID to where Symbols looks; false
	// where there is none. It may be nil.
	Fetch func(ctx context.Context, buildID string) bool
	// Interval is the least time between two look-ups; 2 s.
	Interval time.Duration
	// Again is how often it is seen whether files came where Symbols looks; 10 min.
	Again time.Duration
}

func (o Options) withDefaults() Options {
	day := 24 * time.Hour
	for _, d := range []struct {
		at   *time.Duration
		days int
	}{{&o.Retention.Samples, 14}, {&o.Retention.Hourly, 90}, {&o.Retention.Thinned, 90}} {
		if *d.at == 0 {
			*d.at = time.Duration(d.days) * day
		}
	}
	if o.Names.Interval == 0 {
		o.Names.Interval = 2 * time.Second
	}
	if o.Names.Again == 0 {
		o.Names.Again = 10 * time.Minute
	}
	if o.Queries == 0 {
		o.Queries = 4
	}
	if o.MaxStacks == 0 {
		o.MaxStacks = 2 << 20
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	return o
}

// Store is the store of one project. Several goroutines may use it.
type Store struct {
	opts    Options
	dir     string
	lock    *os.File
	engine  late
	journal *journal.Journal
	dict    *dict.Dict
	keeper  *keep.Keeper
	log     *slog.Logger

	seen      seen
	documents documents
	sums      sumCache
	covered   covered
	waiting   waiting
	queries   *semaphore.Weighted

	away away

	// applying is held while the dictionary changes: by a commit, and by what puts another
	// one in its place.
	applying sync.Mutex
	ageing   ageing
	near     atomic.Pointer[[]string] // warnings of bounds that are near
	told     map[string]bool          // bounds that were logged as near; only who applies segments has it

	sharing   sharing
	following following

	stop      context.CancelFunc
	running   sync.WaitGroup
	term      sync.WaitGroup         // what goes on as long as the engine is there
	failing   atomic.Pointer[string] // why the engine does not take what waits
	refusing  atomic.Pointer[string] // why the journal cannot be written
	dropped   atomic.Int64           // samples that were too old
	left      uint64                 // the last segment that was in the journal when the store was opened
	applied   atomic.Uint64          // the last segment whose rows can be asked for
	renamed   chan struct{}          // holds a token when there may be addresses to look up
	mu        sync.Mutex
	bring     atomic.Pointer[func(ctx context.Context, buildID string) bool]
	arrived   map[string]bool // build IDs whose debug information came
	onApplied *sync.Cond      // of mu: applied has grown, or the store is closing
	closing   bool
}

// Parts of the directory.
const (
	journalDir = "journal"
	engineDir  = "db"
	lockName   = "lock"
	formName   = "version"
)

// Open opens the store in dir, which it makes. It is an error when something that is
// there cannot be read: a store is never empty by accident.
func Open(ctx context.Context, dir string, open OpenEngine, o Options) (*Store, error) {
	o = o.withDefaults()
	if err := os.MkdirAll(filepath.Join(dir, engineDir), 0o700); err != nil {
		return nil, fmt.Errorf("store: %w", err)
	}
	lock, err := dirlock.Take(filepath.Join(dir, lockName), 0o600)
	switch {
	case errors.Is(err, dirlock.ErrTaken):
		return nil, fmt.Errorf("%w (%s)", engine.ErrInUse, filepath.Base(dir))
	case err != nil:
		return nil, fmt.Errorf("store: %w", err)
	}
	s := &Store{
		opts: o, dir: dir, lock: lock, dict: dict.New(o.Limits), keeper: keep.New(o.Labels), log: o.Log, queries: semaphore.NewWeighted(int64(o.Queries)),
		renamed: make(chan struct{}, 1), arrived: map[string]bool{},
		sharing: newSharing(),
	}
	s.onApplied = sync.NewCond(&s.mu)
	if err := s.open(ctx, open); err != nil {
		return nil, errors.Join(err, s.release())
	}
	s.nearing()
	background, stop := context.WithCancel(context.WithoutCancel(ctx))
	s.stop = stop
	s.running.Go(func() { s.run(background, open) })
	return s, nil
}

// run does what goes on as long as the store is open: it waits for the engine where it is not
// there, and does what is to be done until the engine is another server's.
func (s *Store) run(ctx context.Context, open OpenEngine) {
	for {
		if s.isAway() && !s.await(ctx, open) {
			return
		}
		term, end := context.WithCancel(ctx)
		s.begin(term)
		err := s.lost(ctx)
		if err != nil {
			s.stayAway(err) // before anything ends: nothing is answered any more
		}
		end()
		s.term.Wait()
		if err == nil {
			return
		}
		s.leave()
	}
}

// begin begins what goes on as long as the engine is there.
func (s *Store) begin(ctx context.Context) {
	s.term.Go(func() { s.apply(ctx) })
	s.term.Go(func() { s.maintain(ctx) })
	if !s.opts.Names.Off {
		s.term.Go(func() { s.name(ctx) })
	}
}

func (s *Store) open(ctx context.Context, open OpenEngine) (err error) {
	if s.opts.Share != nil {
		return s.openShared(ctx, open)
	}
	if err := s.unshared(); err != nil {
		return err
	}
	e, err := open(ctx, filepath.Join(s.dir, engineDir))
	if errors.Is(err, ErrAway) && journal.Begun(filepath.Join(s.dir, journalDir)) {
		return s.openAway(err)
	}
	if err != nil { // e may be a nil pointer in an interface that is not nil
		return fmt.Errorf("store: %w", err)
	}
	s.engine.have(e)
	l, err := s.load(ctx, e)
	if err != nil {
		return fmt.Errorf("store: reading the dictionary: %w", err)
	}
	s.applied.Store(s.engine.Committed())
	if s.journal, err = journal.Open(filepath.Join(s.dir, journalDir), s.engine.Committed(), s.opts.Journal); err != nil {
		return fmt.Errorf("store: %w", err)
	}
	if cut := s.journal.Cut(); cut > 0 {
		s.log.Warn("the journal's end was not finished, as after a crash of the machine, and was cut off", "bytes", cut)
	}
	if pending := s.journal.Pending(); len(pending) > 0 {
		s.left = pending[len(pending)-1]
		s.ageing.after = s.left
	}
	if err := s.replay(); err != nil {
		return err
	}
	s.settle(l)
	return nil
}

// load reads the dictionary. Names go before the stacks, whose tree is thus made once.
func (s *Store) load(ctx context.Context, e engine.Engine) (*loaded, error) {
	l := &loaded{dict: dict.New(s.opts.Limits)}
	resolved := engine.NewBlock(engine.Resolved, 0)
	for _, t := range engine.Tables() {
		if t.Timed && t != engine.Batches {
			continue
		}
		err := e.Scan(ctx, t, l.documents.checkpoint(), ^uint32(0), func(b *engine.Block) error {
			switch t {
			case engine.Resolved:
				resolved.Extend(b)
				return nil
			case engine.Batches:
				return l.seen.load(b)
			case engine.Documents:
				return l.documents.load(b)
			}
			return l.dict.Load(b)
		})
		if err != nil {
			return nil, err
		}
		if t == engine.Resolved {
			if err := l.dict.LoadResolved(resolved); err != nil {
				return nil, err
			}
		}
	}
	l.dict.Loaded()
	return l, s.cover(ctx, e, &l.documents)
}

// checkpoint is the minute from which on the identities of batches are to be read.
func (d *documents) checkpoint() uint32 {
	d.mu.Lock()
	defer d.mu.Unlock()
	n, err := strconv.ParseUint(string(d.by[[2]string{batchesKind, checkpointKey}].Body), 10, 32)
	if err != nil {
		return 0
	}
	return uint32(n)
}

// replay learns of what the journal holds and the engine not yet: what was taken counts
// as taken. The rows come with the segments' turn.
func (s *Store) replay() error {
	for _, segment := range s.journal.Pending() {
		err := s.journal.Read(segment, func(r journal.Record) error {
			switch r.Kind {
			case recordBatch, recordBlindBatch:
				b, err := batch.Read(r.Data)
				if err != nil {
					return err
				}
				s.waiting.add(segment, b.Samples())
				if b.ID != "" {
					s.seen.take(b.ID, s.minuteNow())
					if r.Kind == recordBlindBatch {
						s.away.blind.take(b.ID, s.minuteNow())
						s.away.until = segment
					}
				}
				return nil
			case recordDocument:
				d, err := readDocument(r.Data)
				if err == nil {
					s.documents.put(d)
				}
				return err
			}
			return nil
		})
		if err != nil {
			return fmt.Errorf("store: %w", err)
		}
	}
	return nil
}

func (s *Store) minuteNow() uint32 { return uint32(s.opts.Now().Unix() / 60) }

// Close ends the use of the store. What was taken is durable; what is in the journal
// goes on to the engine at the next Open.
func (s *Store) Close() error {
	err := s.journal.Close()
	s.stop()
	s.mu.Lock()
	s.closing = true
	s.onApplied.Broadcast()
	s.mu.Unlock()
	s.running.Wait()
	s.unfollow()
	return errors.Join(err, s.release())
}

func (s *Store) release() error { return errors.Join(s.engine.Close(), s.lock.Close()) }

// Flush waits until what was taken before can be asked for.
func (s *Store) Flush(ctx context.Context) error {
	if err := s.unanswered(); err != nil {
		return err
	}
	return s.reach(ctx, s.journal.Last())
}

// Recovered waits until what was in the journal when the store was opened, as after a crash, can
// be asked for. Where the engine does not take it, Behind says so and nothing is waited for.
func (s *Store) Recovered(ctx context.Context) error {
	if s.applied.Load() >= s.left || s.failing.Load() != nil {
		return nil
	}
	return s.reach(ctx, s.left)
}

// reach waits until a segment of the journal can be asked for.
func (s *Store) reach(ctx context.Context, segment uint64) error {
	defer context.AfterFunc(ctx, s.onApplied.Broadcast)()
	s.mu.Lock()
	defer s.mu.Unlock()
	for s.applied.Load() < segment && !s.closing && ctx.Err() == nil {
		s.onApplied.Wait()
	}
	return ctx.Err()
}
