package store

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"whyhot/internal/store/batch"
	"whyhot/internal/store/engine"
)

// reader is a database that is read while another store writes to it.
type reader struct {
	engine.Follower

	of     *database
	closed atomic.Bool
}

func (d *database) follow(context.Context) (engine.Follower, error) {
	return &reader{Follower: d.memory, of: d}, nil
}

func (r *reader) Sum(ctx context.Context, q engine.Query) (*engine.Sums, error) {
	if r.closed.Load() {
		return nil, errors.New("it is closed")
	}
	r.of.sums.Add(1)
	return r.Follower.Sum(ctx, q)
}

// Added fails after the first block where that is wanted.
func (r *reader) Added(ctx context.Context, from engine.Mark, yield func(*engine.Block) error) (engine.Mark, error) {
	fail := from.Last != nil && r.of.breaks.Load()
	return r.Follower.Added(ctx, from, func(b *engine.Block) error {
		err := yield(b)
		if fail {
			r.of.broke.Add(1)
			return errors.Join(err, engine.ErrAway)
		}
		return err
	})
}

func (r *reader) Close() error { r.closed.Store(true); return nil }

func (h *had) Added(ctx context.Context, from engine.Mark, yield func(*engine.Block) error) (engine.Mark, error) {
	return h.of.memory.Added(ctx, from, yield)
}

func (h *had) Scan(ctx context.Context, t *engine.Table, from, to uint32, yield func(*engine.Block) error) error {
	if !t.Timed {
		h.of.scans.Add(1)
	}
	return h.Engine.Scan(ctx, t, from, to, yield)
}

// reads waits until questions can be put to a store that does not write.
func reads(t *testing.T, s *Store) {
	t.Helper()
	for end := time.Now().Add(time.Minute); ; time.Sleep(2 * time.Millisecond) {
		if err := s.Readable(); err == nil {
			return
		} else if time.Now().After(end) {
			t.Fatal(err)
		}
	}
}

// told are answers as text.
func told(t *testing.T, s *Store) string {
	t.Helper()
	sel := lastDay()
	sel.Exact = true
	sel.From, sel.To = sel.From.Add(s.opts.Now().Sub(testNow)), sel.To.Add(s.opts.Now().Sub(testNow))
	top, err := s.Top(t.Context(), sel, TopOptions{})
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	for _, r := range top.Rows {
		fmt.Fprintln(&out, r.Function.Name, r.Self, r.Total)
	}
	for _, by := range []Dimension{ByService, ByHost} {
		values, err := s.Labels(t.Context(), sel, by)
		if err != nil {
			t.Fatal(err)
		}
		for _, v := range values {
			fmt.Fprintln(&out, by, v.Value, v.Count)
		}
	}
	line, err := s.Timeline(t.Context(), sel, ByService, time.Hour, 10)
	if err != nil {
		t.Fatal(err)
	}
	fmt.Fprintf(&out, "%d samples; %v", top.Basis.Count, line.Lines)
	return out.String()
}

// next waits until one of two stores has the database that nobody has.
func next(t *testing.T, d *database, a, b *Store) (has, other *Store) {
	t.Helper()
	for end := time.Now().Add(time.Minute); time.Now().Before(end); time.Sleep(2 * time.Millisecond) {
		has, other = writer(t, a, b)
		d.mu.Lock()
		had := d.had != nil && d.stores[d.had.by] == has
		d.mu.Unlock()
		if _, writes := has.Shared(); had && writes && other.isAway() {
			return has, other
		}
	}
	t.Fatal("nobody has the database")
	return nil, nil
}

// covers is the part of the last day that a store says there are samples of.
func covers(t *testing.T, s *Store) time.Duration {
	t.Helper()
	top, err := s.Top(t.Context(), lastDay(), TopOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return top.Basis.Covered
}

// same waits until a store that does not write answers as the one that does.
func same(t *testing.T, has, other *Store) {
	t.Helper()
	has.sums.clear() // the clock stands still: answers would be given again
	want := told(t, has)
	got := ""
	for end := time.Now().Add(time.Minute); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
		reads(t, other)
		other.sums.clear()
		if got = told(t, other); got == want {
			return
		}
	}
	t.Fatalf("the follower answers\n%s\nwant\n%s", got, want)
}

func twoFollowing(t *testing.T) (d *database, has, other *Store) {
	t.Helper()
	d = newDatabase()
	d.follows = true
	a := d.open(t, "a", t.TempDir())
	t.Cleanup(func() { closeStore(t, a) })
	b := d.open(t, "b", t.TempDir())
	t.Cleanup(func() { closeStore(t, b) })
	has, other = writer(t, a, b)
	reads(t, other)
	return d, has, other
}

// appendNow has samples of now, as the clock of the database is.
func appendNow(t *testing.T, s *Store, stacks map[string]int64, o batch.Options) {
	t.Helper()
	o.Now = s.opts.Now()
	b, err := batch.FromProfile(simple(stacks), o)
	if err != nil {
		t.Fatal(err)
	}
	for i := range b.Rows {
		b.Rows[i].Minute = s.minuteNow()
	}
	if _, err := s.Append(t.Context(), b); err != nil {
		t.Fatal(err)
	}
	flush(t, s)
}

func named(service string, n int) batch.Options {
	return batch.Options{ID: fmt.Sprintf("%s-%d", service, n), Labels: batch.Labels{Service: service, Host: fmt.Sprint("host", n)}}
}

// A store that does not write answers as the one that does, also about what came just now.
func TestFollowerAnswers(t *testing.T) {
	d, has, other := twoFollowing(t)
	for i := range 10 {
		appendProfile(t, has, simple(map[string]int64{fmt.Sprintf("main;f%d;g", i): 10, "main;g": 1}), named(fmt.Sprint("s", i%3), i))
		flush(t, has)
		same(t, has, other)
	}
	want := covers(t, has)
	for end := time.Now().Add(time.Minute); covers(t, other) != want; time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("samples of %s, not of %s", covers(t, other), want)
		}
	}
	if d.sums.Load() == 0 {
		t.Error("the database was asked nothing")
	}
	if err := other.PutDocument(t.Context(), "kind", "key", []byte("x")); !errors.Is(err, ErrAway) {
		t.Errorf("a document: %v", err)
	}
	if _, err := other.Ready(); !errors.Is(err, ErrAway) {
		t.Errorf("it has the engine: %v", err)
	}
}

// A sum with a stack that the follower has not read yet has it read: without waiting for the
// next time that it looks what was added.
func TestFollowerReadsWhatASumHas(t *testing.T) {
	_, has, other := twoFollowing(t)
	f := other.following.of.Load()
	f.keeping.Lock() // it looks no more
	appendProfile(t, has, simple(map[string]int64{"main;new;newer": 10}), named("web", 1))
	flush(t, has)
	before := other.dict.Sizes().Stacks
	f.keeping.Unlock()
	top, err := other.Top(t.Context(), lastDay(), TopOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if len(top.Rows) != 3 {
		t.Errorf("%d functions, and %d stacks before", len(top.Rows), before)
	}
}

// Where what was added comes in part only, the dictionary is read again: rows that came once
// must not come twice, also when the store gets the database next.
func TestFollowerThatGotAPart(t *testing.T) {
	d, has, other := twoFollowing(t)
	for round := range 3 {
		d.broke.Store(0)
		d.breaks.Store(true)
		appendProfile(t, has, simple(map[string]int64{fmt.Sprintf("main;f%d;g%d", round, round): 10}), named("web", 10*round))
		flush(t, has)
		for d.broke.Load() == 0 { // by a question, or by looking what is new
			other.sums.clear()
			if _, err := other.Top(t.Context(), lastDay(), TopOptions{}); err != nil && !errors.Is(err, ErrAway) {
				t.Fatal(err)
			}
		}
		if round > 0 {
			d.breaks.Store(false)
			same(t, has, other)
		}
		d.take(true)
		has, other = next(t, d, has, other)
		d.breaks.Store(false)
		appendProfile(t, has, simple(map[string]int64{fmt.Sprintf("main;f%d;h%d", round, round): 10}), named("web", 10*round+1))
		settles(t, d, has, other, int64(20*(round+1)))
		has, other = next(t, d, has, other)
		reads(t, other)
		same(t, has, other)
	}
}

// When the dictionary is rewritten and numbers are given out again, no answer has a name of
// before.
func TestFollowerOfRewrittenDictionary(t *testing.T) {
	d, has, other := twoFollowing(t)
	for i := range 3 {
		appendNow(t, has, map[string]int64{fmt.Sprintf("old%d;gone%d", i, i): 10}, named(fmt.Sprint("old", i), i))
		same(t, has, other)
		d.clock.Add(int64(200 * 24 * time.Hour))
		if err := errors.Join(has.Retain(t.Context()), has.Age(t.Context())); err != nil {
			t.Fatal(err)
		}
		appendNow(t, has, map[string]int64{fmt.Sprintf("young%d;f", i): 10}, named(fmt.Sprint("young", i), i))
		sel := Selection{From: has.opts.Now().Add(-time.Hour), To: has.opts.Now().Add(time.Minute), Exact: true}
		end := time.Now().Add(time.Minute)
		for answered := false; !answered; {
			if time.Now().After(end) {
				t.Fatal("what is new is never in an answer")
			}
			other.sums.clear()
			top, err := other.Top(t.Context(), sel, TopOptions{})
			switch {
			case errors.Is(err, ErrAway): // the API asks the server that writes then
				continue
			case err != nil:
				t.Fatal(err)
			}
			for _, r := range top.Rows {
				if r.Function.Name != "f" && r.Function.Name != fmt.Sprint("young", i) {
					t.Fatalf("%q in an answer", r.Function.Name)
				}
			}
			answered = len(top.Rows) == 2
		}
	}
	if now, err := d.memory.Now(t.Context()); err != nil || now.Generation == 0 {
		t.Error("the dictionary was never rewritten")
	}
}

// A store that has read the database reads the rest when it gets it, and nothing twice.
func TestFollowerTakesOver(t *testing.T) {
	d, has, other := twoFollowing(t)
	n := int64(0)
	for round := range 6 {
		for i := range 3 {
			appendProfile(t, has, simple(map[string]int64{fmt.Sprintf("main;f%d_%d", round, i): 10}), named("web", 10*round+i))
			n += 10
		}
		flush(t, has)
		d.scans.Store(0)
		d.take(true)
		before := other
		has, other = next(t, d, has, other)
		if scans := d.scans.Load(); scans > 0 && has == before { // the one that had it may be quicker
			t.Errorf("%d tables of the dictionary were read from the start", scans)
		}
		if r := appendProfile(t, has, simple(map[string]int64{"main;f": 10}), named("web", 10*round)); !r.Duplicate {
			t.Error("a batch that is there is taken again")
		}
		settles(t, d, has, other, n)
		has, other = writer(t, has, other)
		if covers(t, has) == 0 {
			t.Error("there are samples of no time")
		}
		reads(t, other)
		same(t, has, other)
	}
}

// Questions are answered all the while that the database goes from one to the other.
func TestFollowerAnswersWhileItTakesOver(t *testing.T) {
	d, has, other := twoFollowing(t)
	appendID(t, has, "x-1", 10)
	flush(t, has)
	same(t, has, other)
	stop, ended := make(chan struct{}), make(chan error, 1)
	go func() {
		for n := 0; ; n++ {
			select {
			case <-stop:
				ended <- nil
				return
			default:
			}
			sel := lastDay()
			sel.Exact = true
			sel.From = sel.From.Add(time.Duration(n%500) * time.Minute) // not from the cache
			top, err := other.Top(context.Background(), sel, TopOptions{})
			if err == nil && top.Basis.Count != 10 {
				err = fmt.Errorf("%d samples", top.Basis.Count)
			}
			if err != nil {
				ended <- err
				return
			}
		}
	}()
	d.mu.Lock()
	d.only = other
	d.mu.Unlock()
	d.take(true)
	answers(t, other)
	close(stop)
	if err := <-ended; err != nil {
		t.Error(err)
	}
}
