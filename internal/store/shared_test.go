package store

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"whyhot/internal/store/engine"
	"whyhot/internal/store/engine/memory"
)

// database is one that several stores share. Whoever opens it while nobody has it has it.
type database struct {
	engine.Engine

	clock  atomic.Int64 // nanoseconds since testNow
	mu     sync.Mutex
	had    *had
	stores map[string]*Store // by the URL of their servers
	cut    map[string]bool   // servers that cannot be reached

	memory      *memory.Engine
	breaks      atomic.Bool  // those who read it get a part of what was added
	broke       atomic.Int64 // how often
	only        *Store       // that may have it next, nil for any
	follows     bool         // those who do not have it read it
	scans, sums atomic.Int64 // of the dictionary by one who has it; by those who read it
}

// had is the database as one store has it.
type had struct {
	engine.Engine

	by   string
	of   *database
	lost chan struct{}
	// refuse has commits refused, as of one who lost the database without knowing; after
	// has the database take them all the same, as of one who is killed before he knows.
	refuse, after bool
}

func (h *had) Lost() <-chan struct{} { return h.lost }
func (h *had) Certain() bool         { return true }

func (h *had) Commit(ctx context.Context, number uint64, blocks []*engine.Block) error {
	h.of.mu.Lock()
	defer h.of.mu.Unlock()
	if h.of.had != h || h.refuse {
		return engine.ErrSuperseded
	}
	err := h.Engine.Commit(ctx, number, blocks)
	if h.after {
		return errors.Join(err, engine.ErrSuperseded)
	}
	return err
}

func (h *had) Close() error {
	h.of.mu.Lock()
	defer h.of.mu.Unlock()
	if h.of.had == h {
		h.of.had = nil
	}
	return nil
}

func newDatabase() *database {
	e := memory.New()
	return &database{Engine: e, memory: e, stores: map[string]*Store{}, cut: map[string]bool{}}
}

func (d *database) hand(ctx context.Context, to string, records []byte) error {
	d.mu.Lock()
	s, cut := d.stores[to], d.cut[to]
	d.mu.Unlock()
	if s == nil || cut {
		return fmt.Errorf("%s cannot be reached", to)
	}
	return s.Receive(ctx, records)
}

// open opens a store of the server at a URL.
func (d *database) open(t *testing.T, url, dir string) *Store {
	t.Helper()
	share := &Share{Hand: d.hand}
	if d.follows {
		share.Follow = d.follow
	}
	s, err := Open(t.Context(), dir, func(context.Context, string) (engine.Engine, error) {
		d.mu.Lock()
		defer d.mu.Unlock()
		if d.had != nil {
			return nil, &engine.HeldError{By: d.had.by}
		}
		if d.only != nil && d.only != d.stores[url] {
			return nil, engine.ErrAway
		}
		d.had = &had{Engine: d.Engine, by: url, of: d, lost: make(chan struct{})}
		return d.had, nil
	}, quick(Options{Share: share, Now: func() time.Time { return testNow.Add(time.Duration(d.clock.Load())) }}))
	if err != nil {
		t.Fatal(err)
	}
	d.mu.Lock()
	d.stores[url] = s
	d.mu.Unlock()
	return s
}

// take gives the database to nobody, as when a process is cut off from it; tell has it know.
func (d *database) take(tell bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if tell {
		close(d.had.lost)
	}
	d.had = nil
}

func (d *database) set(by func(h *had)) {
	d.mu.Lock()
	defer d.mu.Unlock()
	by(d.had)
}

// writer waits until one of two stores has the database.
func writer(t *testing.T, a, b *Store) (has, other *Store) {
	t.Helper()
	for end := time.Now().Add(time.Minute); time.Now().Before(end); time.Sleep(2 * time.Millisecond) {
		_, aErr := a.Ready()
		_, bErr := b.Ready()
		switch {
		case aErr == nil && b.Holder() != "":
			return a, b
		case bErr == nil && a.Holder() != "":
			return b, a
		}
	}
	t.Fatal("nobody has the database")
	return nil, nil
}

// settles waits until the one of two stores that has the database has so many samples, and
// neither has anything left to pass on or to write; there must not be more.
func settles(t *testing.T, d *database, a, b *Store, want int64) {
	t.Helper()
	got := int64(-1)
	for end := time.Now().Add(time.Minute); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
		has, other := writer(t, a, b)
		if has.Waiting() > 0 || other.Waiting() > 0 {
			continue
		}
		d.clock.Add(int64(time.Minute)) // answers are kept for a while
		sel := lastDay()
		sel.Exact = true
		top, err := has.Top(t.Context(), sel, TopOptions{})
		if errors.Is(err, ErrAway) {
			continue // it has lost it since
		}
		if err != nil {
			t.Fatal(err)
		}
		if got = top.Basis.Count; got >= want {
			break
		}
	}
	if got != want {
		t.Errorf("%d samples, want %d; %d and %d bytes wait", got, want, a.Waiting(), b.Waiting())
	}
}

// What either of two servers takes is in the database, once, also where it comes to both.
func TestSharedByTwo(t *testing.T) {
	d := newDatabase()
	a := d.open(t, "a", t.TempDir())
	defer closeStore(t, a)
	b := d.open(t, "b", t.TempDir())
	defer closeStore(t, b)
	if has, _ := writer(t, a, b); has != a || b.Holder() != "a" {
		t.Fatalf("not the first one has it, but %q", b.Holder())
	}
	appendID(t, a, "x-1", 10)
	appendID(t, b, "x-2", 10)
	appendID(t, b, "x-1", 10) // sent again, to another one
	appendID(t, b, "", 5)     // without an identity
	appendID(t, b, "", 5)
	settles(t, d, a, b, 30)
	if _, err := b.Top(t.Context(), lastDay(), TopOptions{}); !errors.Is(err, ErrAway) {
		t.Errorf("a question to the other one: %v", err)
	}
	if err := b.Receive(t.Context(), []byte("?")); err == nil {
		t.Error("it takes anything")
	}
}

// The next one goes on when the one that has the database loses it, at whatever point of a
// commit, and what that one had acknowledged comes to it.
func TestSharedOneLosesTheDatabase(t *testing.T) {
	for _, one := range []struct {
		name string
		lose func(d *database)
	}{
		{"Told", func(d *database) { d.take(true) }},
		{"NotTold", func(d *database) { d.take(false) }},
		{"CommitRefused", func(d *database) { d.set(func(h *had) { h.refuse = true }) }},
		{"CommitMade", func(d *database) { d.set(func(h *had) { h.after = true }) }},
	} {
		t.Run(one.name, func(t *testing.T) {
			d := newDatabase()
			d.follows = len(one.name)%2 == 0 // some do
			a := d.open(t, "a", t.TempDir())
			defer closeStore(t, a)
			b := d.open(t, "b", t.TempDir())
			defer closeStore(t, b)
			want := int64(0)
			for round := range 4 {
				has, other := writer(t, a, b)
				appendID(t, has, fmt.Sprintf("x-%d", 10*round), 10)
				appendID(t, other, fmt.Sprintf("x-%d", 10*round+1), 10)
				one.lose(d)
				appendID(t, has, fmt.Sprintf("x-%d", 10*round+2), 10)
				appendID(t, other, fmt.Sprintf("x-%d", 10*round+2), 10) // sent again
				want += 30
				settles(t, d, a, b, want)
			}
		})
	}
}

// A batch that was handed to a server which lost the database before it wrote it comes back
// to the one that handed it over, and is not taken for one that is there.
func TestSharedHandedBack(t *testing.T) {
	d := newDatabase()
	a := d.open(t, "a", t.TempDir())
	defer closeStore(t, a)
	b := d.open(t, "b", t.TempDir())
	defer closeStore(t, b)
	writer(t, a, b)
	a.applying.Lock() // nothing gets to the database
	appendID(t, b, "x-1", 10)
	for b.Waiting() > 0 {
		time.Sleep(time.Millisecond)
	}
	d.mu.Lock()
	d.cut["a"] = true
	d.mu.Unlock()
	d.take(true)
	// b has it before a can try again: a cannot end its term while it is at work.
	for _, err := b.Ready(); err != nil; _, err = b.Ready() {
		time.Sleep(time.Millisecond)
	}
	a.applying.Unlock()
	settles(t, d, a, b, 10)
	if r := appendID(t, b, "x-1", 10); !r.Duplicate {
		t.Error("it is taken again")
	}
}

// What a server had acknowledged and did not pass on or write before it ended is there when it
// is back; what it had written is not there twice.
func TestSharedServerComesBack(t *testing.T) {
	d := newDatabase()
	dirA, dirB := t.TempDir(), t.TempDir()
	a := d.open(t, "a", dirA)
	b := d.open(t, "b", dirB)
	writer(t, a, b)
	appendID(t, a, "x-1", 10)
	flush(t, a)
	d.set(func(h *had) { h.refuse = true })
	appendID(t, a, "x-2", 10)
	// A document is refused where the server has seen already that its database is away.
	err := a.PutDocument(t.Context(), "kind", "key", []byte("body"))
	if err != nil && !errors.Is(err, ErrAway) {
		t.Fatal(err)
	}
	acknowledged := err == nil
	closeStore(t, a)
	d.mu.Lock()
	delete(d.stores, "a")
	d.mu.Unlock()
	answers(t, b)
	if got := events(t, b); got != 10 {
		t.Errorf("%d samples, want 10", got)
	}
	a = d.open(t, "a", dirA)
	defer closeStore(t, a)
	defer closeStore(t, b)
	settles(t, d, a, b, 20)
	if doc, ok := b.Document("kind", "key"); acknowledged && (!ok || string(doc.Body) != "body") {
		t.Errorf("%v, the document is %q", ok, doc.Body)
	}
	closeStore(t, d.open(t, "c", t.TempDir()))
}

// A list of the batches that were taken, which is written down now and then, has none that is
// in a journal alone: it may not come.
func TestSharedListHasWhatIsThere(t *testing.T) {
	d := newDatabase()
	dir := t.TempDir()
	a := d.open(t, "a", dir)
	appendID(t, a, "x-1", 10)
	flush(t, a)
	if err := a.Checkpoint(t.Context()); err != nil {
		t.Fatal(err)
	}
	a.seen.take("x-2", a.minuteNow()) // taken, in the next segment
	flush(t, a)
	closeStore(t, a)
	b := d.open(t, "b", t.TempDir())
	defer closeStore(t, b)
	if r := appendID(t, b, "x-2", 10); r.Duplicate {
		t.Error("a batch that is nowhere is taken for one that is there")
	}
	if r := appendID(t, b, "x-1", 10); !r.Duplicate {
		t.Error("a batch that is there is taken again")
	}
}

// A journal is read as it was written: with others, or alone.
func TestSharedJournalIsNotMistaken(t *testing.T) {
	d := newDatabase()
	dir := t.TempDir()
	closeStore(t, d.open(t, "a", dir))
	if s, err := Open(t.Context(), dir, func(context.Context, string) (engine.Engine, error) { return memory.New(), nil }, quick(Options{})); err == nil {
		t.Errorf("it opens without others: %v", s)
	}
	dir = t.TempDir()
	e := &sometimes{Engine: memory.New()}
	e.there.Store(true)
	s := e.store(t, dir)
	appendID(t, s, "x-1", 10)
	flush(t, s)
	closeStore(t, s)
	e.there.Store(false)
	s = e.store(t, dir)
	appendID(t, s, "x-2", 10)
	closeStore(t, s)
	if _, err := Open(t.Context(), dir, func(context.Context, string) (engine.Engine, error) { return nil, &engine.HeldError{} }, quick(Options{Share: &Share{Hand: d.hand}})); err == nil {
		t.Error("a journal of a server without others is taken for one of many")
	}
}
