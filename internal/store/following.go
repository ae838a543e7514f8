package store

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"sync"
	"sync/atomic"
	"time"

	"whyhot/internal/store/dict"
	"whyhot/internal/store/engine"
)

// following is how a store reads the database that another server's store writes to.
//
// Method. The dictionary is read once, and what is added to it twice a second. Questions about
// samples go to the database itself. Each sum is then checked in two ways. The generation of
// the dictionary must still be the one that was read, for numbers of a later one may mean
// something else: if it is not, all of it is read again, and questions go to the server that
// writes until that is done. And all numbers must be known: what a sum refers to was written
// before its rows, so that reading what was added makes them known.
//
// When this store gets the engine, only what was added last is missing ([Store.takeOver]).
type following struct{ of atomic.Pointer[followed] }

const (
	// followEvery is how often it is looked what was added.
	followEvery = 500 * time.Millisecond
	// coverEvery is how often it is looked which time there are samples of.
	coverEvery = 10 * time.Second
)

// followed is a database that is read.
type followed struct {
	e      engine.Follower
	commit atomic.Uint64          // the last whole one whose names are known
	stale  atomic.Pointer[string] // why nothing can be answered now

	// keeping is held by who changes the dictionary, and what follows.
	keeping   sync.Mutex
	mark      engine.Mark
	documents documents
	// When, and after which commit, it was looked which time there are samples of.
	covered       time.Time
	coveredCommit uint64

	mu    sync.Mutex
	users int // sums that are read
	ended bool
}

// use is false when the database is not read any more.
func (f *followed) use() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	if !f.ended {
		f.users++
	}
	return !f.ended
}

// leave closes the database when it is not read any more, and nobody waits for a sum.
func (f *followed) leave() {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.users--; f.users == 0 && f.ended {
		_ = f.e.Close() // nothing was written
	}
}

func (f *followed) end() {
	f.mu.Lock()
	f.ended = true
	f.users++
	f.mu.Unlock()
	f.leave()
}

func (f *followed) refuse(why string) { f.stale.Store(&why) }

// Readable says why questions about samples cannot be answered here. Those about findings,
// settings and alerts are answered by the server that writes alone.
func (s *Store) Readable() error {
	f := s.following.of.Load() // first: it goes when the engine has come
	if f == nil || !s.isAway() {
		return s.unanswered()
	}
	if why := f.stale.Load(); why != nil {
		return fmt.Errorf("%w: %s", ErrAway, *why)
	}
	return nil
}

// reading is the database that is read, nil where this store has the engine.
func (s *Store) reading() *followed {
	if !s.isAway() {
		return nil
	}
	return s.following.of.Load()
}

// asOf is the last commit of which all is in the next answer of the database.
func (s *Store) asOf() uint64 {
	if f := s.reading(); f != nil {
		return f.commit.Load()
	}
	return s.applied.Load()
}

// sum puts a question to the engine, or to the database that another server writes to.
func (s *Store) sum(ctx context.Context, q engine.Query) (*engine.Sums, error) {
	f := s.reading()
	if f == nil {
		return s.engine.Sum(ctx, q)
	}
	if !f.use() { // the engine has come
		return s.sum(ctx, q)
	}
	defer f.leave()
	sums, err := f.e.Sum(ctx, q)
	if err != nil {
		return nil, err
	}
	now, err := f.e.Now(ctx)
	if err != nil {
		return nil, err
	}
	if err := s.catchUp(ctx, f, now.Generation, &q, sums); err != nil {
		return nil, err
	}
	return sums, nil
}

// catchUp has all numbers of sums known, which were read before the generation was.
func (s *Store) catchUp(ctx context.Context, f *followed, generation uint64, q *engine.Query, sums *engine.Sums) error {
	f.keeping.Lock()
	defer f.keeping.Unlock()
	if s.following.of.Load() != f {
		return nil // the engine has come, and with it all that there was
	}
	if generation != f.mark.Generation {
		f.refuse("the dictionary was rewritten, and is read again")
		return fmt.Errorf("%w: %s", ErrAway, *f.stale.Load())
	}
	for i, column := range q.By {
		if !s.dict.Knows(column, sums.Keys[i]) {
			return s.advance(ctx, f, f.e)
		}
	}
	return nil
}

// follow reads the database until the function that it gives is called. It can be read
// afterwards, until unfollow.
func (s *Store) follow(ctx context.Context) (stop func()) {
	if s.opts.Share == nil || s.opts.Share.Follow == nil {
		return func() {}
	}
	ctx, cancel := context.WithCancel(ctx)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		before := ""
		for {
			err := s.keepUp(ctx)
			if ctx.Err() != nil {
				return
			}
			if err == nil {
				before = ""
			} else if err.Error() != before {
				before = err.Error()
				s.log.Info("questions are passed on to the server that writes, the database cannot be read here", "error", err)
			}
			select {
			case <-ctx.Done():
				return
			case <-time.After(followEvery):
			}
		}
	}()
	return func() { cancel(); <-ended }
}

// keepUp reads what was added, or all of it.
func (s *Store) keepUp(ctx context.Context) error {
	f := s.following.of.Load()
	if f == nil {
		e, err := s.opts.Share.Follow(ctx)
		if err != nil {
			return err
		}
		f = &followed{e: e}
		if err := s.readAll(ctx, f); err != nil {
			return errors.Join(err, e.Close())
		}
		s.following.of.Store(f)
		s.sums.renumber()
		return nil
	}
	f.keeping.Lock()
	defer f.keeping.Unlock()
	err := s.keep(ctx, f)
	if err != nil && ctx.Err() == nil {
		f.refuse(err.Error())
	}
	return err
}

func (s *Store) keep(ctx context.Context, f *followed) error {
	now, err := f.e.Now(ctx)
	if err != nil {
		return err
	}
	switch {
	case f.mark.Last == nil || now.Generation != f.mark.Generation:
		return s.readAll(ctx, f)
	case now.Commit > f.mark.Commit || f.stale.Load() != nil:
		if err := s.advance(ctx, f, f.e); err != nil {
			return err
		}
	}
	if _, until := s.covered.reach(); f.mark.Commit != f.coveredCommit && (until == 0 || time.Since(f.covered) > coverEvery) {
		commit := f.mark.Commit
		if err := s.coverLater(ctx, f.e); err != nil {
			return err
		}
		f.covered, f.coveredCommit = time.Now(), commit
	}
	f.stale.Store(nil)
	return nil
}

// readAll reads the dictionary and the documents.
func (s *Store) readAll(ctx context.Context, f *followed) error {
	began := time.Now()
	f.refuse("the dictionary is being read")
	d, all := dict.New(s.opts.Limits), documents{}
	mark, _, err := added(ctx, f.e, engine.Mark{}, d, &all)
	if err != nil {
		return err
	}
	if err := s.cover(ctx, f.e, &all); err != nil {
		return err
	}
	f.covered, f.coveredCommit = time.Now(), mark.Commit
	f.mark = mark
	f.commit.Store(mark.Commit)
	f.documents.set(&all)
	s.documents.add(&all)
	s.dict.Take(d)
	s.sums.renumber()
	f.stale.Store(nil)
	s.log.Info("this server answers questions about samples, another one writes", "commits", mark.Commit, "took", time.Since(began).Round(time.Millisecond).String())
	return nil
}

// advance reads what was added to the dictionary and the documents.
func (s *Store) advance(ctx context.Context, f *followed, from engine.Tail) error {
	if f.mark.Last == nil {
		return fmt.Errorf("%w: the dictionary is not known", ErrAway)
	}
	var fresh documents
	before := f.mark
	f.mark = engine.Mark{} // a part of it may be in the dictionary, which is to be read again then
	mark, begun, err := added(ctx, from, before, s.dict, &fresh)
	switch {
	case err != nil && !begun && !errors.Is(err, engine.ErrRewritten):
		f.mark = before
		return err
	case err != nil:
		f.refuse("the dictionary is read again")
		return fmt.Errorf("%w: %w", ErrAway, err)
	}
	f.documents.add(&fresh)
	s.documents.add(&fresh)
	s.coverOf(&fresh)
	for n := max(before.Commit+1, mark.Commit-min(mark.Commit, uint64(len(s.sums.changes)))+1); n <= mark.Commit; n++ {
		s.sums.changed(n, 0, math.MaxUint32) // of which minutes is not known
	}
	f.mark = mark
	f.commit.Store(mark.Commit)
	return nil
}

// added puts what was added into a dictionary and documents. Names of addresses come together:
// those of one may be in two blocks. begun says whether the dictionary was changed.
func added(ctx context.Context, from engine.Tail, mark engine.Mark, d *dict.Dict, docs *documents) (to engine.Mark, begun bool, err error) {
	resolved := engine.NewBlock(engine.Resolved, 0)
	resolve := func() error {
		if resolved.Len() == 0 {
			return nil
		}
		err := d.LoadResolved(resolved)
		resolved = engine.NewBlock(engine.Resolved, 0)
		return err
	}
	to, err = from.Added(ctx, mark, func(b *engine.Block) error {
		begun = true
		if b.Table == engine.Resolved {
			resolved.Extend(b)
			return nil
		}
		if err := resolve(); err != nil {
			return err
		}
		if b.Table == engine.Documents {
			return docs.load(b)
		}
		return d.Load(b)
	})
	if err == nil {
		err = resolve()
	}
	return to, begun, err
}

// takeOver gives what the database of an engine knows, which this store got. Where the database
// was read before only what was added since is read now, and loaded.dict is nil: it is the one
// that is there. Until release is called nobody else changes that.
func (s *Store) takeOver(ctx context.Context, e engine.Engine) (l *loaded, release func(), err error) {
	f := s.following.of.Load()
	tail, ok := e.(engine.Tail)
	if f == nil || !ok {
		l, err = s.load(ctx, e)
		return l, func() {}, err
	}
	f.keeping.Lock()
	if l, err = s.follower(ctx, f, e, tail); err != nil && f.mark.Last == nil {
		l, err = s.load(ctx, e)
	}
	if err != nil {
		f.keeping.Unlock()
		return nil, nil, err
	}
	return l, f.keeping.Unlock, nil
}

func (s *Store) follower(ctx context.Context, f *followed, e engine.Engine, tail engine.Tail) (*loaded, error) {
	if err := s.advance(ctx, f, tail); err != nil {
		return nil, err
	}
	l := &loaded{}
	l.documents.set(&f.documents)
	if err := e.Scan(ctx, engine.Batches, l.documents.checkpoint(), math.MaxUint32, l.seen.load); err != nil {
		return nil, err
	}
	s.dict.Loaded()
	if err := s.coverLater(ctx, e); err != nil && !errors.Is(err, ErrAway) { // of what can be reached
		return nil, err
	}
	return l, nil
}

// unfollow ends that the database is read.
func (s *Store) unfollow() {
	if f := s.following.of.Swap(nil); f != nil {
		f.end()
	}
}

// coverLater looks which time there are samples of, beyond what is known.
func (s *Store) coverLater(ctx context.Context, e interface {
	Sum(ctx context.Context, q engine.Query) (*engine.Sums, error)
}) error {
	s.forgetCovered()
	if len(s.Documents(coveredKind)) > 0 {
		return nil // whoever writes says it, and it was read with what was added
	}
	first, last := s.covered.reach()
	newer, err := e.Sum(ctx, engine.Query{Table: engine.Samples, From: last, To: math.MaxUint32, By: []string{engine.ColMinute}, Events: true})
	if err != nil {
		return err
	}
	older, err := e.Sum(ctx, engine.Query{Table: engine.Activity, To: first - first%minutesHour, By: []string{engine.ColMinute}, Events: true})
	if err != nil {
		return err
	}
	for _, m := range newer.Keys[0] {
		s.covered.addMinutes(m, m+1)
	}
	for _, m := range older.Keys[0] {
		s.covered.addMinutes(m, m+minutesHour)
	}
	s.forgetCovered()
	return nil
}

// set has the documents of another list.
func (d *documents) set(other *documents) {
	other.mu.Lock()
	by := maps.Clone(other.by)
	other.mu.Unlock()
	d.mu.Lock()
	defer d.mu.Unlock()
	d.by = by
}

// add has those of another list as well, which nobody else has.
func (d *documents) add(other *documents) {
	for _, doc := range other.by {
		d.put(doc)
	}
}
