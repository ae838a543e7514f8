package store

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"sync/atomic"
	"time"

	"whyhot/internal/store/engine"
	"whyhot/internal/store/journal"
)

// Share is how stores of several servers use one database.
//
// Method. One of them has the engine, and writes. The others answer questions about samples
// (following.go); else they are as if the engine was away: what is sent goes to their journal.
// From there it is handed to the one that has the engine, with the identity that it had, and
// dropped when that one has it in its journal. When the engine is free another one gets it, and
// what is in its own journal goes there.
//
// Segments have numbers of their own, and commits get the next one of the engine. What of the
// journal the engine has is known by the identities of batches alone, which are in the same
// commit as their rows: each batch has one. Which batches were taken is worked out anew with
// the engine: what was handed to a server that lost the engine before it wrote it is not known
// then, and comes again from that server.
type Share struct {
	// Hand gives records to the server at a URL. They are there, durable, when it returns
	// without an error.
	Hand func(ctx context.Context, to string, records []byte) error
	// Follow opens the database for reading, while another server writes to it. nil: questions
	// are answered by that server alone.
	Follow func(ctx context.Context) (engine.Follower, error)
}

type sharing struct {
	of     atomic.Pointer[engine.Shared] // the engine, while it is there
	holder atomic.Pointer[string]        // where the server is that has it
	gone   chan struct{}                 // holds a token when a commit was refused
	landed seen                          // batches in the engine, and in the commit that is made

	origin string // of identities that no sender gave
	last   atomic.Uint64
}

func newSharing() sharing {
	var random [8]byte
	_, _ = rand.Read(random[:]) // never fails
	return sharing{gone: make(chan struct{}, 1), origin: "server-" + hex.EncodeToString(random[:])}
}

func (s *sharing) name() string { return s.origin + "-" + strconv.FormatUint(s.last.Add(1), 10) }

// sharedName is a file that says that segments are not numbered as commits are.
const sharedName = "shared"

const (
	// tryShared is how often it is tried whether the engine is free.
	tryShared = 500 * time.Millisecond
	handTime  = 30 * time.Second
	handAgain = 200 * time.Millisecond
	handBytes = 4 << 20 // at a time, or one record
)

// Holder is the URL of the server that has the engine, "" where it is here or nobody knows.
func (s *Store) Holder() string {
	if at := s.sharing.holder.Load(); at != nil && s.isAway() {
		return *at
	}
	return ""
}

// Shared says whether other servers share the database, and whether this one writes to it.
func (s *Store) Shared() (shared, writes bool) {
	return s.opts.Share != nil, s.opts.Share != nil && !s.isAway()
}

// Waiting is how many bytes are in the journal.
func (s *Store) Waiting() int64 { return s.journal.Bytes() }

// unshared refuses a journal of a store that shared its database: it would be read wrongly.
func (s *Store) unshared() error {
	if _, err := os.Stat(filepath.Join(s.dir, sharedName)); err == nil {
		return fmt.Errorf("store: %s shared its database with other servers; start it with --advertise as before, or give an empty directory", s.dir)
	}
	return nil
}

func (s *Store) openShared(ctx context.Context, open OpenEngine) (err error) {
	dir := filepath.Join(s.dir, journalDir)
	if s.journal, err = journal.OpenOutbox(dir, s.opts.Journal); err != nil {
		return fmt.Errorf("store: %w", err)
	}
	pending := s.journal.Pending()
	marked := filepath.Join(s.dir, sharedName)
	if _, err := os.Stat(marked); err != nil {
		if len(pending) > 0 {
			return fmt.Errorf("store: the journal in %s is of a server that did not share its database; start it once without --advertise, until the journal is empty, and stop it", dir)
		}
		if err := os.WriteFile(marked, nil, 0o600); err != nil {
			return fmt.Errorf("store: %w", err)
		}
	}
	s.applied.Store(s.journal.Last())
	if len(pending) > 0 {
		s.applied.Store(pending[0] - 1)
	}
	if err := s.replay(); err != nil {
		return err
	}
	e, err := open(ctx, filepath.Join(s.dir, engineDir))
	if errors.Is(err, engine.ErrInUse) || errors.Is(err, ErrAway) {
		s.stayAway(err)
		return nil
	}
	if err != nil {
		return fmt.Errorf("store: %w", err)
	}
	if err := s.join(ctx, e); err != nil {
		return errors.Join(err, e.Close())
	}
	return nil
}

// journaled is what the journal has.
type journaled struct {
	until     uint64 // the last segment that was read
	batches   seen
	documents []Document
}

// readJournal reads the closed segments that were not read.
func (s *Store) readJournal(j *journaled) error {
	for _, segment := range s.journal.Pending() {
		if segment <= j.until {
			continue
		}
		err := s.journal.Read(segment, func(r journal.Record) error {
			switch r.Kind {
			case recordBatch, recordBlindBatch:
				id, err := batchID(r.Data)
				if err == nil && id != "" {
					j.batches.take(id, s.minuteNow())
				}
				return err
			case recordDocument:
				d, err := readDocument(r.Data)
				j.documents = append(j.documents, d)
				return err
			}
			return nil
		})
		if err != nil {
			return fmt.Errorf("store: %w", err)
		}
		j.until = segment
	}
	return nil
}

// joinShared puts the engine to use. What is known is what the engine and the journal have.
func (s *Store) joinShared(ctx context.Context, e engine.Engine) error {
	of, ok := e.(engine.Shared)
	if !ok {
		return errors.New("store: this engine cannot be shared")
	}
	began := time.Now()
	l, release, err := s.takeOver(ctx, e)
	if err != nil {
		return fmt.Errorf("store: reading the dictionary: %w", err)
	}
	defer release()
	var j journaled
	if err := s.readJournal(&j); err != nil { // most of it, while batches are taken
		return err
	}
	s.away.taking.Lock()
	defer s.away.taking.Unlock()
	if err := s.journal.Seal(); err != nil {
		return fmt.Errorf("store: %w", err)
	}
	if err := s.readJournal(&j); err != nil {
		return err
	}
	s.away.again.set(common(&j.batches, &l.seen))
	s.sharing.landed.set(l.seen.clone())
	s.seen.set(l.seen.clone())
	s.seen.add(&j.batches)
	if l.dict != nil {
		s.dict.Take(l.dict)
	}
	s.documents.mu.Lock()
	s.documents.by = l.documents.by
	s.documents.mu.Unlock()
	for _, d := range j.documents {
		s.documents.put(d)
	}
	s.knowLabels()
	s.ageing.after = j.until
	select { // of the time before
	case <-s.sharing.gone:
	default:
	}
	s.engine.have(e)
	s.sharing.of.Store(&of)
	s.away.why.Store(nil)
	s.sums.renumber()
	s.unfollow()
	s.log.Info("this server writes to the database now", "commits", e.Committed(), "segments in the journal", len(s.journal.Pending()), "took", time.Since(began).Round(time.Millisecond).String())
	return nil
}

// lost waits until the engine is another server's and says so, or until ctx ends.
func (s *Store) lost(ctx context.Context) error {
	var lost <-chan struct{}
	if of := s.sharing.of.Load(); of != nil {
		lost = (*of).Lost()
	}
	select {
	case <-ctx.Done():
		return nil
	case <-lost:
	case <-s.sharing.gone:
	}
	return engine.ErrSuperseded
}

// superseded says whether a commit failed since another server has the engine.
func (s *Store) superseded(err error) bool {
	if s.opts.Share == nil || !errors.Is(err, engine.ErrInUse) && !errors.Is(err, engine.ErrSuperseded) {
		return false
	}
	select {
	case s.sharing.gone <- struct{}{}:
	default:
	}
	return true
}

// leave gives the engine up. What is in the journal is passed on from now on.
func (s *Store) leave() {
	s.sharing.of.Store(nil)
	s.sharing.holder.Store(nil)
	if e := s.engine.lose(); e != nil {
		if err := e.Close(); err != nil {
			s.log.Warn("closing what another server has", "error", err)
		}
	}
	s.failing.Store(nil)
	s.sums.renumber()
}

// number is that of the commit of a segment.
func (s *Store) number(segment uint64) uint64 {
	if s.opts.Share == nil {
		return segment
	}
	return s.engine.Committed() + 1
}

// known are the batches of which may be written down that they were taken. Of those that only
// the journal of this server has others must not believe it.
func (s *Store) known() *seen {
	if s.opts.Share == nil {
		return &s.seen
	}
	return &s.sharing.landed
}

// passOn hands what the journal has to the server that has the engine, until the function
// that it gives is called.
func (s *Store) passOn(ctx context.Context) (stop func()) {
	if s.opts.Share == nil {
		return func() {}
	}
	ctx, cancel := context.WithCancel(ctx)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		for {
			segment, err := s.journal.Next(ctx)
			if err != nil || !s.handSegment(ctx, segment) {
				return
			}
		}
	}()
	return func() { cancel(); <-ended }
}

// handSegment is false where ctx ends before it is done.
func (s *Store) handSegment(ctx context.Context, segment uint64) bool {
	for {
		err := s.handOnce(ctx, segment)
		if err == nil {
			break
		}
		if ctx.Err() != nil {
			return false
		}
		text := err.Error()
		if before := s.failing.Swap(&text); before == nil || *before != text {
			s.log.Warn("what is in the journal cannot be passed on now", "error", err)
		}
		select {
		case <-ctx.Done():
			return false
		case <-time.After(handAgain):
		}
	}
	s.failing.Store(nil)
	if err := s.journal.Remove(segment); err != nil {
		s.log.Error("a part of the journal that is not needed any more is left", "error", err)
	}
	s.mu.Lock()
	s.applied.Store(segment)
	s.onApplied.Broadcast()
	s.mu.Unlock()
	return true
}

func (s *Store) handOnce(ctx context.Context, segment uint64) error {
	to := s.Holder()
	if to == "" {
		return fmt.Errorf("%w: it is not known which server writes to it", ErrAway)
	}
	ctx, cancel := context.WithTimeout(ctx, handTime)
	defer cancel()
	var records handed
	err := s.journal.Read(segment, func(r journal.Record) error {
		if r.Kind != recordBatch && r.Kind != recordBlindBatch && r.Kind != recordDocument {
			return nil // names are looked up again there
		}
		if records.bytes > 0 && records.bytes+len(r.Data) > handBytes {
			if err := s.opts.Share.Hand(ctx, to, records.encode()); err != nil {
				return err
			}
			records = handed{}
		}
		records.add(r)
		return nil
	})
	if err != nil || records.bytes == 0 {
		return err
	}
	return s.opts.Share.Hand(ctx, to, records.encode())
}

// set has other batches known.
func (s *seen) set(origins map[string]*origin) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.origins = origins
}

// add has those of another one known as well.
func (s *seen) add(other *seen) {
	for name, o := range other.origins {
		for _, r := range o.ranges {
			s.takeRange(name, r, o.taken)
		}
	}
}

func (s *seen) clone() map[string]*origin {
	out := maps.Clone(s.origins)
	for name, o := range out {
		out[name] = &origin{ranges: slices.Clone(o.ranges), taken: o.taken}
	}
	return out
}
