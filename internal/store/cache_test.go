package store

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"whyhot/internal/store/batch"
	"whyhot/internal/store/engine"
	"whyhot/internal/store/engine/memory"
)

// gated is an engine that writes down what it is asked, and answers sums by stack when
// it is let.
type gated struct {
	engine.Engine

	mu    sync.Mutex
	asked []engine.Query // by stack
	days  []engine.Query // by the minute of whole days
	gate  chan struct{}  // nil: open
}

func (g *gated) Sum(ctx context.Context, q engine.Query) (*engine.Sums, error) {
	g.mu.Lock()
	gate := g.gate
	if slices.Contains(q.By, engine.ColStack) {
		g.asked = append(g.asked, q)
	} else {
		gate = nil
		if q.Table == engine.Samples && slices.Contains(q.By, engine.ColMinute) {
			g.days = append(g.days, q)
		}
	}
	g.mu.Unlock()
	if gate != nil {
		select {
		case <-gate:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	return g.Engine.Sum(ctx, q)
}

// close has sums wait, until the gate that it gives is closed.
func (g *gated) close() chan struct{} {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.gate = make(chan struct{})
	return g.gate
}

// sums are the questions since the last time.
func (g *gated) sums() []engine.Query {
	g.mu.Lock()
	defer g.mu.Unlock()
	out := g.asked
	g.asked = nil
	return out
}

// clock is a time that a test moves on.
type clock struct {
	mu  sync.Mutex
	now time.Time
}

func (c *clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *clock) move(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

func put(t *testing.T, s *Store, n int64, back time.Duration) {
	t.Helper()
	p := simple(map[string]int64{"main;f": n})
	p.Meta.Start = testNow.Add(-back)
	appendProfile(t, s, p, batch.Options{})
	flush(t, s)
}

// eventually waits for what another goroutine is about to do.
func eventually(t *testing.T, what string, is func() bool) {
	t.Helper()
	for end := time.Now().Add(2 * time.Minute); !is(); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal(what)
		}
	}
}

// A table, a tree and a graph of one selection that are asked for at one time are made
// of one scan.
func TestQuestionsShareTheirScan(t *testing.T) {
	g := &gated{Engine: memory.New()}
	s := openStore(t, t.TempDir(), g, quick(Options{}))
	defer closeStore(t, s)
	put(t, s, 7, 3*time.Hour)
	gate := g.close()
	sel := lastDay()
	sel.Exact = true
	var all sync.WaitGroup
	totals := make([]int64, 6)
	for i := range totals {
		all.Go(func() {
			var b Basis
			switch i % 3 {
			case 0:
				top, err := s.Top(t.Context(), sel, TopOptions{})
				if err != nil {
					t.Error(err)
					return
				}
				b = top.Basis
			case 1:
				tree, err := s.Tree(t.Context(), sel, TreeOptions{})
				if err != nil {
					t.Error(err)
					return
				}
				b = tree.Basis
			case 2:
				graph, err := s.Callgraph(t.Context(), sel, 1)
				if err != nil {
					t.Error(err)
					return
				}
				b = graph.Basis
			}
			totals[i] = b.Count
		})
	}
	pieces := len(s.byDay(s.pieces(&chosen{from: minute(sel.From), to: minute(sel.To), exact: true})))
	eventually(t, "not all wait for the same answers", func() bool {
		s.sums.mu.Lock()
		defer s.sums.mu.Unlock()
		waiting := 0
		for _, f := range s.sums.flights {
			waiting += f.waiting
		}
		return waiting == pieces*len(totals)
	})
	close(gate)
	all.Wait()
	for i, n := range totals {
		if n != 7 {
			t.Errorf("answer %d has %d events, want 7", i, n)
		}
	}
	if asked := g.sums(); len(asked) != pieces {
		t.Errorf("%d questions to the engine for %d pieces", len(asked), pieces)
	}
}

// Who does not wait any more takes nobody's answer away; a scan that nobody waits for
// ends.
func TestGivingUp(t *testing.T) {
	g := &gated{Engine: memory.New()}
	s := openStore(t, t.TempDir(), g, quick(Options{Queries: 1}))
	defer closeStore(t, s)
	put(t, s, 7, 30*time.Minute)
	sel := Selection{From: testNow.Add(-time.Hour), To: testNow, Exact: true}
	ask := func(ctx context.Context) chan error {
		done := make(chan error, 1)
		go func() {
			top, err := s.Top(ctx, sel, TopOptions{})
			if err == nil && top.Basis.Count != 7 {
				err = errors.New("another count")
			}
			done <- err
		}()
		return done
	}
	waiting := func(n int) func() bool {
		return func() bool {
			s.sums.mu.Lock()
			defer s.sums.mu.Unlock()
			for _, f := range s.sums.flights {
				if f.waiting == n {
					return true
				}
			}
			return n == 0 && len(s.sums.flights) == 0
		}
	}
	gate := g.close()
	leaving, leave := context.WithCancel(t.Context())
	first := ask(leaving)
	eventually(t, "nobody waits", waiting(1))
	second := ask(t.Context())
	eventually(t, "the second does not wait with the first", waiting(2))
	leave()
	if err := <-first; !errors.Is(err, context.Canceled) {
		t.Errorf("who left got %v", err)
	}
	close(gate)
	if err := <-second; err != nil {
		t.Errorf("who stayed got %v", err)
	}
	s.sums.clear()
	g.close() // for ever
	leaving, leave = context.WithCancel(t.Context())
	first = ask(leaving)
	eventually(t, "nobody waits", waiting(1))
	leave()
	<-first
	eventually(t, "the scan goes on", waiting(0))
	g.mu.Lock()
	g.gate = nil
	g.mu.Unlock()
	// There is one place for questions: it is free again.
	if err := <-ask(t.Context()); err != nil {
		t.Error(err)
	}
}

// New samples are in the next answer, and what is of other days is not read again for
// them. A late sample of an old day has that day read again.
func TestNewSamplesAreInTheAnswer(t *testing.T) {
	now := &clock{now: testNow}
	g := &gated{Engine: memory.New()}
	s := openStore(t, t.TempDir(), g, quick(Options{Now: now.Now}))
	defer closeStore(t, s)
	sel := Selection{From: testNow.Add(-50 * time.Hour), To: testNow.Add(time.Minute), Exact: true}
	for i, step := range []struct {
		events int64
		back   time.Duration
		tables []*engine.Table // that are read again
	}{
		{1, 40 * time.Hour, nil},
		{10, 0, []*engine.Table{engine.Samples}},
		{100, 26 * time.Hour, []*engine.Table{engine.Hourly}},
	} {
		put(t, s, step.events, step.back)
		now.move(fresh)
		if got, want := total(t, s, sel), []int64{1, 11, 111}[i]; got != want {
			t.Errorf("%d events, want %d", got, want)
		}
		asked := g.sums()
		if i == 0 {
			continue
		}
		var tables []*engine.Table
		for _, q := range asked {
			tables = append(tables, q.Table)
		}
		if !slices.Equal(tables, step.tables) {
			t.Errorf("step %d read %d pieces: %+v", i, len(asked), asked)
		}
	}
	// Other ranges of the same days: what they have in common is there, and where they end
	// in the same hour that is all of it.
	sel.From = sel.From.Truncate(time.Hour).Add(7 * time.Minute)
	total(t, s, sel)
	g.sums()
	sel.From = sel.From.Add(20 * time.Minute)
	if got := total(t, s, sel); got != 111 {
		t.Errorf("%d events, want 111", got)
	}
	if asked := g.sums(); len(asked) != 0 {
		t.Errorf("a range that differs by minutes of one hour read %+v", asked)
	}
	sel.From = sel.From.Add(time.Hour)
	if got := total(t, s, sel); got != 111 {
		t.Errorf("%d events, want 111", got)
	}
	asked := g.sums()
	if !slices.ContainsFunc(asked, func(q engine.Query) bool { return q.Table == engine.Samples && q.To-q.From == minutesHour }) || len(asked) != 2 {
		t.Errorf("a range that ends in the next hour read %+v", asked)
	}
}

// Minutes are cut where they are asked for: samples of the same hour that are outside of
// the range, by a minute, are not in the answer, and those at its ends are.
func TestMinutesAreCutOutOfTheirHours(t *testing.T) {
	s := openStore(t, t.TempDir(), memory.New(), quick(Options{}))
	defer closeStore(t, s)
	to := testNow.Truncate(time.Hour).Add(-time.Hour).Add(25 * time.Minute)
	from := to.Add(-7*time.Hour - 11*time.Minute)
	for _, x := range []struct {
		at time.Time
		n  int64
	}{{from.Add(-time.Minute), 1}, {from, 10}, {from.Add(3 * time.Hour), 100}, {to.Add(-time.Minute), 1000}, {to, 10000}} {
		put(t, s, x.n, testNow.Sub(x.at))
	}
	for _, sel := range []Selection{{From: from, To: to, Exact: true}, {From: from, To: to}} {
		if got := total(t, s, sel); got != 1110 {
			t.Errorf("exact %v: %d events, want 1110", sel.Exact, got)
		}
	}
}

// A range of centuries takes hardly more questions to the engine than what is kept.
func TestACenturyIsReadByThePartsThatAreKept(t *testing.T) {
	g := &gated{Engine: memory.New()}
	s := openStore(t, t.TempDir(), g, quick(Options{}))
	defer closeStore(t, s)
	put(t, s, 7, 3*time.Hour)
	put(t, s, 5, 30*24*time.Hour)
	sel := Selection{From: time.Unix(0, 0), To: time.Date(2100, 1, 1, 0, 30, 0, 0, time.UTC), Exact: true}
	g.sums()
	if got := total(t, s, sel); got != 12 {
		t.Errorf("%d events, want 12", got)
	}
	if n := len(g.sums()); n > 100 {
		t.Errorf("%d questions", n)
	}
}

// A time line of many hours is cut out of whole days, which are read once; it is what the
// engine says of that range and step.
func TestTimeLinesShareDays(t *testing.T) {
	now := &clock{now: testNow}
	g := &gated{Engine: memory.New()}
	s := openStore(t, t.TempDir(), g, quick(Options{Now: now.Now}))
	defer closeStore(t, s)
	for i := range 80 {
		put(t, s, int64(i+1), time.Duration(i*43)*time.Minute)
	}
	now.move(fresh)
	day := Selection{From: testNow.Add(-25 * time.Hour), To: testNow}
	for i, x := range []struct {
		back, length, step time.Duration
		by                 Dimension
	}{
		{0, 25 * time.Hour, 10 * time.Minute, ByService},
		{time.Minute, 25 * time.Hour, 10 * time.Minute, ByService}, // of the same days
		{95 * time.Minute, 7*time.Hour + 13*time.Minute, 25 * time.Minute, ""},
		{3 * time.Minute, 51 * time.Hour, time.Minute, ByHost},
		{7 * time.Minute, 30 * time.Hour, 7 * time.Minute, ByVersion},
	} {
		sel := Selection{From: day.To.Add(-x.back - x.length), To: day.To.Add(-x.back)}
		g.days = nil
		got, err := s.Timeline(t.Context(), sel, x.by, x.step, 10)
		if err != nil {
			t.Fatal(err)
		}
		if i == 1 && len(g.days) > 0 {
			t.Errorf("a range that ends a minute earlier read %+v", g.days)
		}
		tables := s.dict.Snapshot()
		c, err := s.choose(&sel, &tables)
		if err != nil {
			t.Fatal(err)
		}
		minutes := uint32(x.step / time.Minute)
		sums, err := g.Engine.Sum(t.Context(), engine.Query{Table: engine.Samples, From: c.from, To: c.to, By: []string{engine.ColMinute}, Step: minutes})
		if err != nil {
			t.Fatal(err)
		}
		want := make([]int64, got.Steps)
		for k, m := range sums.Keys[0] {
			want[(m-minute(got.Start))/minutes] += sums.Values[k]
		}
		have := make([]int64, got.Steps)
		for _, l := range got.Lines {
			for k, w := range l.Weight {
				have[k] += w
			}
		}
		if !slices.Equal(have, want) {
			t.Errorf("%+v: %v, want %v", x, have, want)
		}
	}
	// What comes today is in the next one, for which only today is read again.
	put(t, s, 1000, time.Minute)
	now.move(fresh)
	g.days = nil
	line, err := s.Timeline(t.Context(), day, ByService, 10*time.Minute, 10)
	if err != nil || line.Lines[0].Weight[line.Steps-1] < 1000e7 {
		t.Errorf("new samples are not in the time line: %+v, %v", line, err)
	}
	if len(g.days) != 1 {
		t.Errorf("read again: %+v", g.days)
	}
}

// Whatever is in the cache, an answer is that of a store without one.
func TestCachedAnswersAreThoseOfTheEngine(t *testing.T) {
	now := &clock{now: testNow}
	s := openStore(t, t.TempDir(), memory.New(), quick(Options{Now: now.Now}))
	defer closeStore(t, s)
	for i := range 60 {
		put(t, s, int64(i%7+1), time.Duration(i*53)*time.Minute)
		now.move(fresh)
		sel := Selection{From: testNow.Add(-time.Duration(i*37) * time.Minute), To: testNow.Add(time.Duration(1-i*5) * time.Minute), Exact: i%3 > 0}
		if !sel.From.Before(sel.To) {
			continue
		}
		with := total(t, s, sel)
		s.sums.clear()
		if without := total(t, s, sel); with != without {
			t.Fatalf("round %d: %d events from the cache, %d without it", i, with, without)
		}
	}
}

// Of a long range of many events the hours are as they are, and the minutes beside them
// are drawn: the answer says so, and is within its error. The exact answer is exact.
func TestMinutesBesideTheHoursAreDrawn(t *testing.T) {
	s := openStore(t, t.TempDir(), memory.New(), quick(Options{}))
	defer closeStore(t, s)
	at := func(back time.Duration, counts map[string]int64) {
		p := simple(counts)
		p.Meta.Start = testNow.Add(-back)
		appendProfile(t, s, p, batch.Options{})
	}
	at(3*time.Hour, map[string]int64{"main;a": 3_000_000, "main;b": 1_000_000})
	at(5*time.Minute, map[string]int64{"main;a": 200_000, "main;b": 300_000})
	flush(t, s)
	share := func(exact bool) (float64, Basis) {
		top, err := s.Top(t.Context(), Selection{From: testNow.Add(-8 * time.Hour), To: testNow, Exact: exact}, TopOptions{})
		if err != nil {
			t.Fatal(err)
		}
		i := slices.IndexFunc(top.Rows, func(r TopRow) bool { return r.Function.Name == "b" })
		return float64(top.Rows[i].Self) / float64(top.Basis.Value), top.Basis
	}
	const want = 1_300_000.0 / 4_500_000
	if got, b := share(true); got != want || b.Level != 0 || b.Count != 4_500_000 || b.ShareError != 0 {
		t.Errorf("exact: %f, %+v", got, b)
	}
	got, b := share(false)
	if b.Level != firstLevel || b.Count == 4_500_000 || b.Read >= b.Count || b.ShareError <= 0 || b.ShareError > 0.001 {
		t.Errorf("basis %+v", b)
	}
	if d := got - want; d < -2*b.ShareError || d > 2*b.ShareError {
		t.Errorf("%f ± %f, and it is %f", got, b.ShareError, want)
	}
	// A few hours are read as they are.
	top, err := s.Top(t.Context(), Selection{From: testNow.Add(-4 * time.Hour), To: testNow}, TopOptions{})
	if err != nil || top.Basis.Level != 0 || top.Basis.Count != 4_500_000 {
		t.Errorf("%+v, %v", top.Basis, err)
	}
}

// Where only the minutes beside the hours are drawn, what ran in those alone was seen in
// fewer events than what ran all the time, and its events say so: the errors that follow
// from them are those that there are.
func TestEventsBehindAShare(t *testing.T) {
	s := openStore(t, t.TempDir(), memory.New(), quick(Options{}))
	defer closeStore(t, s)
	const always, late, each = 4_000_000, 200, 1000 // events, functions, events of each
	take := func(back time.Duration, counts map[string]int64) {
		p := simple(counts)
		p.Meta.Start = testNow.Add(-back)
		appendProfile(t, s, p, batch.Options{})
	}
	take(3*time.Hour, map[string]int64{"main;always": always})
	counts := map[string]int64{}
	for i := range late {
		counts[fmt.Sprint("main;late", i)] = each
	}
	take(5*time.Minute, counts)
	flush(t, s)
	ask := func(exact bool) (*Groups, []string) {
		var names []string
		g, err := s.Groups(t.Context(), Selection{From: testNow.Add(-8 * time.Hour), To: testNow, Exact: exact}, func(f *Function) int {
			names = append(names, f.Name)
			return len(names) - 1
		})
		if err != nil {
			t.Fatal(err)
		}
		return g, names
	}
	if g, _ := ask(true); g.Events != always+late*each || g.SelfEvents != nil || g.Basis.Level != 0 {
		t.Errorf("exact: %d events of %+v", g.Events, g.Basis)
	}
	g, names := ask(false)
	if g.Basis.Level != firstLevel || g.Events >= g.Basis.Count || g.SelfEvents == nil {
		t.Fatalf("%d events of %+v", g.Events, g.Basis)
	}
	// In standard errors, by the events of each and by those of all.
	deviation := func(i int, share float64, events int64) float64 {
		d := float64(g.Self[i])/float64(g.Basis.Value) - share
		return d * d / (share * (1 - share) / float64(events))
	}
	const share = each / float64(always+late*each)
	own, common := 0.0, 0.0
	for i, name := range names {
		switch {
		case strings.HasPrefix(name, "late"):
			own += deviation(i, share, g.SelfEvents[i]) / late
			common += deviation(i, share, g.Events) / late
		case name == "main" && (g.TotalEvents[i] < g.Events || g.Self[i] != 0):
			t.Errorf("main has %d events of %d", g.TotalEvents[i], g.Events)
		}
	}
	// Chi square of 200, and what was not drawn adds a twenty-fifth: 0.96 ± 0.1.
	if own < 0.6 || own > 1.4 || common < 3 {
		t.Errorf("mean square %.2f, by the events of all %.2f", own, common)
	}
	// Here each function has one call from main: the nodes of the tree say the same.
	tree, err := s.Tree(t.Context(), Selection{From: testNow.Add(-8 * time.Hour), To: testNow}, TreeOptions{Events: true})
	if err != nil || tree.Events != g.Events || len(tree.NodeEvents) != len(tree.Total) {
		t.Fatalf("%d events of %d nodes, %d of all and %d of the groups: %v", len(tree.NodeEvents), len(tree.Total), tree.Events, g.Events, err)
	}
	for i, f := range tree.Function {
		at := slices.Index(names, tree.Functions[f].Name)
		if at >= 0 && tree.NodeEvents[i] != g.TotalEvents[at] {
			t.Errorf("%s: %d events, in a group %d", names[at], tree.NodeEvents[i], g.TotalEvents[at])
		}
	}
}
