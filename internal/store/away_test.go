package store

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"whyhot/internal/store/batch"
	"whyhot/internal/store/engine"
	"whyhot/internal/store/engine/memory"
	"whyhot/internal/store/gap"
)

// sometimes opens an engine while it can be reached.
type sometimes struct {
	engine.Engine

	there atomic.Bool
}

func (e *sometimes) open(context.Context, string) (engine.Engine, error) {
	if !e.there.Load() {
		return nil, fmt.Errorf("database x: %w", engine.ErrAway)
	}
	return e.Engine, nil
}

func (e *sometimes) store(t *testing.T, dir string) *Store {
	t.Helper()
	s, err := Open(t.Context(), dir, e.open, quick(Options{}))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func appendID(t *testing.T, s *Store, id string, samples int64) Receipt {
	t.Helper()
	return appendProfile(t, s, simple(map[string]int64{"main;f": samples}), batch.Options{ID: id, Labels: batch.Labels{Service: "web"}})
}

func events(t *testing.T, s *Store) int64 {
	t.Helper()
	sel := lastDay()
	sel.Exact = true
	top, err := s.Top(t.Context(), sel, TopOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return top.Basis.Count
}

// answers waits until the engine has come.
func answers(t *testing.T, s *Store) {
	t.Helper()
	for end := time.Now().Add(time.Minute); ; time.Sleep(5 * time.Millisecond) {
		_, err := s.Ready()
		if err == nil {
			return
		}
		if time.Now().After(end) {
			t.Fatal(err)
		}
	}
}

// What is sent while the engine is away is taken, once, whether the engine has some of it
// already or not, and whether it comes while the store is open or after the next start.
func TestTakenWhileTheEngineIsAway(t *testing.T) {
	for _, restart := range []bool{false, true} {
		t.Run(fmt.Sprint("restart=", restart), func(t *testing.T) {
			dir, e := t.TempDir(), &sometimes{Engine: memory.New()}
			e.there.Store(true)
			s := e.store(t, dir)
			appendID(t, s, "a-1", 1)
			if err := s.PutDocument(t.Context(), "finding", "one", []byte("1")); err != nil {
				t.Fatal(err)
			}
			flush(t, s)
			closeStore(t, s)

			e.there.Store(false)
			s = e.store(t, dir)
			if taking, answering := s.Ready(); taking != nil || !errors.Is(answering, ErrAway) {
				t.Errorf("taking %v, answering %v", taking, answering)
			}
			appendID(t, s, "a-1", 1) // sent again: only the engine knows
			appendID(t, s, "a-2", 10)
			if r := appendID(t, s, "a-2", 10); !r.Duplicate {
				t.Error("the same batch counts twice")
			}
			appendID(t, s, "", 100)
			if _, err := s.Top(t.Context(), lastDay(), TopOptions{}); !errors.Is(err, ErrAway) {
				t.Errorf("a question: %v", err)
			}
			if err := s.Flush(t.Context()); !errors.Is(err, ErrAway) {
				t.Errorf("waiting for what was taken: %v", err)
			}
			if err := s.PutDocument(t.Context(), "finding", "one", []byte("2")); !errors.Is(err, ErrAway) {
				t.Errorf("a document: %v", err)
			}
			if !s.HasBinary("01") {
				t.Error("debug information would be removed")
			}
			if restart {
				closeStore(t, s)
				s = e.store(t, dir) // once more without the engine
				appendID(t, s, "a-3", 1000)
				closeStore(t, s)
				e.there.Store(true)
				s = e.store(t, dir)
			} else {
				appendID(t, s, "a-3", 1000)
				e.there.Store(true)
				answers(t, s)
			}
			for _, id := range []string{"a-1", "a-2", "a-3"} {
				if r := appendID(t, s, id, 1); !r.Duplicate {
					t.Errorf("%s counts twice", id)
				}
			}
			if err := s.Checkpoint(t.Context()); err != nil {
				t.Fatal(err)
			}
			flush(t, s)
			if got := events(t, s); got != 1111 {
				t.Errorf("%d events, want 1111", got)
			}
			if d, _ := s.Document("finding", "one"); string(d.Body) != "1" {
				t.Errorf("the document is %q", d.Body)
			}
			closeStore(t, s)
			s = e.store(t, dir)
			defer closeStore(t, s)
			if r := appendID(t, s, "a-3", 1); !r.Duplicate || events(t, s) != 1111 {
				t.Errorf("after a start: duplicate %v, %d events", r.Duplicate, events(t, s))
			}
		})
	}
}

// What was taken without comparing is not written down as taken before it is in the engine:
// a start after a crash would pass over it.
func TestNoCheckpointOfWhatWaits(t *testing.T) {
	dir, e := t.TempDir(), &sometimes{Engine: memory.New()}
	e.there.Store(true)
	s := e.store(t, dir)
	appendID(t, s, "a-1", 1)
	flush(t, s)
	closeStore(t, s)
	e.there.Store(false)
	s = e.store(t, dir)
	if err := s.Checkpoint(t.Context()); err != nil { // as one that a crash left in the journal
		t.Fatal(err)
	}
	appendID(t, s, "a-2", 10)
	closeStore(t, s)
	e.there.Store(true)
	s = e.store(t, dir)
	defer closeStore(t, s)
	flush(t, s)
	seen := false
	if err := e.Scan(t.Context(), engine.Documents, 0, 0, func(b *engine.Block) error {
		seen = seen || slices.Contains(b.Texts("doc_key"), checkpointKey)
		return nil
	}); err != nil || seen {
		t.Errorf("batches were written down before they were there (%v)", err)
	}
	if got := events(t, s); got != 11 {
		t.Errorf("%d events, want 11", got)
	}
}

// Where nothing was sent while the engine was away, nobody waits for it.
func TestNothingTakenWhileTheEngineIsAway(t *testing.T) {
	dir, e := t.TempDir(), &sometimes{Engine: memory.New()}
	e.there.Store(true)
	s := e.store(t, dir)
	appendID(t, s, "a-1", 1)
	flush(t, s)
	closeStore(t, s)
	e.there.Store(false)
	s = e.store(t, dir)
	defer closeStore(t, s)
	e.there.Store(true)
	answers(t, s)
	flush(t, s)
	if got := events(t, s); got != 1 {
		t.Errorf("%d events, want 1", got)
	}
}

// A directory that never had the engine does not open without it: numbers of its journal
// could be those of commits that are there.
func TestANewStoreNeedsItsEngine(t *testing.T) {
	e := &sometimes{Engine: memory.New()}
	if s, err := Open(t.Context(), t.TempDir(), e.open, quick(Options{})); !errors.Is(err, ErrAway) {
		t.Errorf("%v, %v", s, err)
	}
}

// partial is an engine of which a part is away.
type partial struct {
	engine.Engine

	away atomic.Bool
}

func (e *partial) Sum(ctx context.Context, q engine.Query) (*engine.Sums, error) {
	s, err := e.Engine.Sum(ctx, q)
	if err == nil && e.away.Load() {
		s.Missing = []string{"shard 2 of 2"}
	}
	return s, err
}

func (e *partial) Stats(ctx context.Context) ([]engine.TableStats, error) {
	out, err := e.Engine.Stats(ctx)
	if err == nil && e.away.Load() {
		err = engine.ErrAway
	}
	return out, err
}

// An answer from which a part is missing says so, and is not given again when all is there;
// nothing is removed for a part that does not say what it has.
func TestAPartIsAway(t *testing.T) {
	e := &partial{Engine: memory.New()}
	s := openStore(t, t.TempDir(), e, quick(Options{}))
	defer closeStore(t, s)
	appendID(t, s, "a-1", 5)
	flush(t, s)
	e.away.Store(true)
	missing := func() []string {
		ctx, g := gap.Watch(t.Context())
		if _, err := s.Tree(ctx, lastDay(), TreeOptions{}); err != nil {
			t.Fatal(err)
		}
		return g.Parts()
	}
	for range 2 { // also where it was asked before
		if got := missing(); !slices.Equal(got, []string{"shard 2 of 2"}) {
			t.Errorf("%v is missing", got)
		}
	}
	if st, err := s.Stats(t.Context()); err != nil || !st.Missing {
		t.Errorf("%+v, %v", st, err)
	}
	if err := s.Age(t.Context()); !errors.Is(err, ErrAway) {
		t.Errorf("what is not needed would be found without the part: %v", err)
	}
	e.away.Store(false)
	if got := missing(); len(got) > 0 {
		t.Errorf("%v is missing", got)
	}
}
