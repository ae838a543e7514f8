package store

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"whyhot/internal/store/batch"
	"whyhot/internal/store/dict"
	"whyhot/internal/store/engine"
	"whyhot/internal/store/journal"
)

// away is what is known of a store that was opened while its engine could not be reached.
//
// Method. What is sent goes to the journal, as always. Whether the engine has a batch of that
// identity already is not known then: the record says so, and when the engine comes, those
// that it has are passed over. Segments get numbers far beyond those that the engine can have
// ([journal.OpenAway]).
type away struct {
	why atomic.Pointer[string] // nil once the engine is there
	// taking is held by who takes a batch, and for a moment by the one who brings the engine.
	taking sync.RWMutex

	blind seen // batches in the journal whose identity was not compared with the engine's
	again seen // those of them that the engine has

	// Until the segment of that number is in the engine, which batches were taken is not
	// written down: what was not compared might be counted as there after a crash.
	until uint64
}

// tryEngine is how often it is tried whether the engine can be reached.
const tryEngine = time.Second

// ErrAway says that the engine, or the part of it that is needed, cannot be reached now.
var ErrAway = engine.ErrAway

// Ready says why nothing can be taken now, and why nothing can be answered.
func (s *Store) Ready() (taking, answering error) {
	if why := s.refusing.Load(); why != nil {
		taking = errors.New(*why)
	} else if s.journal.Full() {
		taking = fmt.Errorf("%w: the journal is full", ErrBusy)
	}
	return taking, s.unanswered()
}

// unanswered says why nothing can be answered.
func (s *Store) unanswered() error {
	if why := s.away.why.Load(); why != nil {
		return fmt.Errorf("%w: %s", ErrAway, *why)
	}
	if of := s.sharing.of.Load(); of != nil && !(*of).Certain() {
		return fmt.Errorf("%w: another server may write to it by now", ErrAway)
	}
	return nil
}

// isAway says that the engine was not there since the start.
func (s *Store) isAway() bool { return s.away.why.Load() != nil }

// openAway opens the journal alone.
func (s *Store) openAway(why error) (err error) {
	if s.journal, err = journal.OpenAway(filepath.Join(s.dir, journalDir), s.opts.Journal); err != nil {
		return fmt.Errorf("store: %w", errors.Join(why, err))
	}
	s.stayAway(why)
	return s.replay()
}

func (s *Store) stayAway(why error) {
	text := why.Error()
	if held := (*engine.HeldError)(nil); errors.As(why, &held) {
		s.sharing.holder.Store(&held.By)
		if before := s.away.why.Swap(&text); before == nil || *before != text {
			s.log.Info("another server writes to the database; what is sent is taken, and passed on", "server", held.By)
		}
		return
	}
	if before := s.away.why.Swap(&text); before == nil || *before != text {
		s.log.Warn("the engine cannot be opened; what is sent is taken, and waits in the journal", "error", why)
	}
}

// await tries to open the engine until it is there. It is false where ctx ends before.
func (s *Store) await(ctx context.Context, open OpenEngine) bool {
	again := tryEngine
	if s.opts.Share != nil {
		again = tryShared
	}
	begin := func() (stop func()) {
		handing, following := s.passOn(ctx), s.follow(ctx)
		return func() { following(); handing() }
	}
	stop := begin()
	defer func() { stop() }()
	for {
		select {
		case <-ctx.Done():
			return false
		case <-time.After(again):
		}
		e, err := open(ctx, filepath.Join(s.dir, engineDir))
		if err == nil {
			stop()
			s.sharing.holder.Store(nil) // it is this one, in a moment
			if err = s.join(ctx, e); err != nil {
				err = errors.Join(err, e.Close())
				stop = begin()
			}
		}
		if err == nil {
			break
		}
		if ctx.Err() != nil {
			return false
		}
		s.stayAway(err)
	}
	s.log.Info("the engine can be reached")
	s.nearing()
	return true
}

// join puts the engine to use.
func (s *Store) join(ctx context.Context, e engine.Engine) error {
	if s.opts.Share != nil {
		return s.joinShared(ctx, e)
	}
	before := s.journal.Pending()
	l, err := s.load(ctx, e)
	if err != nil {
		return fmt.Errorf("store: reading the dictionary: %w", err)
	}
	if err := s.journal.Taken(e.Committed()); err != nil {
		return fmt.Errorf("store: %w", err)
	}
	s.away.taking.Lock()
	defer s.away.taking.Unlock()
	s.settle(l)
	s.away.until = s.journal.Last()
	if len(before) > 0 {
		s.ageing.after = before[len(before)-1]
	}
	s.mu.Lock()
	s.applied.Store(e.Committed())
	s.onApplied.Broadcast()
	s.mu.Unlock()
	s.engine.have(e)
	s.away.why.Store(nil)
	return nil
}

// loaded is what the engine knows beside its rows.
type loaded struct {
	dict      *dict.Dict
	documents documents
	seen      seen
}

// settle puts together what the engine knows and what the journal has.
func (s *Store) settle(l *loaded) {
	s.dict.Take(l.dict)
	s.documents.mu.Lock()
	journaled := s.documents.by
	s.documents.by = l.documents.by
	s.documents.mu.Unlock()
	for _, d := range journaled { // they come later
		s.documents.put(d)
	}
	s.away.again = seen{origins: common(&s.away.blind, &l.seen)}
	for name, o := range l.seen.origins {
		for _, r := range o.ranges {
			s.seen.takeRange(name, r, o.taken)
		}
	}
	s.knowLabels()
}

// common are the numbers that are known of both.
func common(a, b *seen) map[string]*origin {
	out := map[string]*origin{}
	for name, of := range a.origins {
		other := b.origins[name]
		if other == nil {
			continue
		}
		for _, r := range of.ranges {
			for _, x := range other.ranges {
				if first, last := max(r.first, x.first), min(r.last, x.last); first <= last {
					if out[name] == nil {
						out[name] = &origin{}
					}
					out[name].add(span{first, last})
				}
			}
		}
	}
	return out
}

// has says whether an identity is known.
func (s *seen) has(id string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	name, n := splitID(id)
	return s.origins[name] != nil && s.origins[name].has(n)
}

// record is what a batch is in the journal. It is called with taking held.
func (s *Store) record(b *batch.Batch) byte {
	if b.ID == "" || !s.isAway() || s.opts.Share != nil { // of shared ones none is compared, see joinShared
		return recordBatch
	}
	s.away.blind.take(b.ID, s.minuteNow())
	return recordBlindBatch
}
