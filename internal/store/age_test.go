package store

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"whyhot/internal/store/batch"
	"whyhot/internal/store/dict"
	"whyhot/internal/store/engine"
	"whyhot/internal/store/engine/memory"
)

func around(c *clock) Selection {
	return Selection{From: c.Now().Add(-40 * 24 * time.Hour), To: c.Now().Add(time.Minute)}
}

// A hundred days of builds that each have functions, stacks and a pod of their own: what is
// held is what is kept, what is kept has its names, numbers are given out again, and a
// restart changes nothing.
func TestADictionaryAges(t *testing.T) {
	c, dir, e := &clock{now: testNow}, t.TempDir(), memory.New()
	o := quick(Options{Now: c.Now, Retention: Retention{Samples: 24 * time.Hour, Hourly: 5 * 24 * time.Hour, Thinned: 5 * 24 * time.Hour}})
	s := openStore(t, dir, e, o)
	var known FunctionID
	var most Stats
	for day := range 100 {
		for n := range 5 {
			p := simple(map[string]int64{fmt.Sprintf("main;f%d;g%d-%d", day, day, n): 2, "main;always": 1})
			p.Meta.Start = c.Now()
			appendProfile(t, s, p, batch.Options{Labels: batch.Labels{Service: "web", Version: fmt.Sprint(day), Host: "h", Container: fmt.Sprintf("pod-%d-%d", day, n)}})
		}
		if err := s.PutDocument(t.Context(), "finding", "one", fmt.Append(nil, day)); err != nil {
			t.Fatal(err)
		}
		flush(t, s)
		for range 2 { // also when there is nothing to do
			if err := s.Retain(t.Context()); err != nil {
				t.Fatal(err)
			}
			if err := s.Age(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		if day%17 == 16 {
			closeStore(t, s)
			s = openStore(t, dir, e, o)
		}
		st, err := s.Stats(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		most.Functions, most.Nodes = max(most.Functions, st.Functions), max(most.Nodes, st.Nodes)
		most.Stacks, most.Series, most.Memory = max(most.Stacks, st.Stacks), max(most.Series, st.Series), max(most.Memory, st.Memory)
		if day == 0 {
			all, err := s.Top(t.Context(), around(c), TopOptions{})
			if err != nil {
				t.Fatal(err)
			}
			i := slices.IndexFunc(all.Rows, func(r TopRow) bool { return r.Function.Name == "always" })
			known = all.Rows[i].Function.ID
		}
		if f, err := s.Function(known); err != nil || f.Name != "always" {
			t.Fatalf("day %d: function %d is %q (%v)", day, known, f.Name, err)
		}
		var want []string
		for d := max(0, day-5); d <= day; d++ {
			for n := range 5 {
				want = append(want, fmt.Sprintf("g%d-%d", d, n))
			}
			want = append(want, fmt.Sprint("f", d))
		}
		want = append(want, "always", "main")
		slices.Sort(want)
		if got := namesIn(t, s, around(c)); !slices.Equal(got, want) {
			t.Fatalf("day %d: %v, not %v", day, got, want)
		}
		c.move(24 * time.Hour)
	}
	defer closeStore(t, s)
	if most.Functions > 7*6+2+7 || most.Nodes > 2*7*6 || most.Stacks > 7*6 || most.Series > 7*6 {
		t.Errorf("most were %+v", most)
	}
	tables := s.dict.Snapshot()
	if len(tables.Stacks) > 60 || len(tables.Series) > 60 || len(tables.Groups) > 20 {
		t.Errorf("numbers go up to %d, %d and %d", len(tables.Stacks), len(tables.Series), len(tables.Groups))
	}
	versions, err := s.Labels(t.Context(), around(c), ByVersion)
	if err != nil || len(versions) != 6 {
		t.Errorf("%d versions (%v)", len(versions), err)
	}
}

func namesIn(t *testing.T, s *Store, sel Selection) (names []string) {
	t.Helper()
	top, err := s.Top(t.Context(), sel, TopOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range top.Rows {
		names = append(names, r.Function.Name)
	}
	slices.Sort(names)
	return names
}

// Identities of batches of before a checkpoint go, also in a server that is never started
// again, and a batch that comes twice still counts once.
func TestIdentitiesGo(t *testing.T) {
	c, dir, e := &clock{now: testNow}, t.TempDir(), memory.New()
	o := quick(Options{Now: c.Now})
	s := openStore(t, dir, e, o)
	send := func(day int) Receipt {
		return appendProfile(t, s, simple(map[string]int64{"main;f": 1}), batch.Options{ID: fmt.Sprint("agent-", day)})
	}
	for day := range 20 {
		if send(day).Duplicate {
			t.Fatalf("day %d was there before", day)
		}
		if err := s.Checkpoint(t.Context()); err != nil {
			t.Fatal(err)
		}
		flush(t, s)
		if err := s.Retain(t.Context()); err != nil {
			t.Fatal(err)
		}
		if err := s.Age(t.Context()); err != nil {
			t.Fatal(err)
		}
		c.move(24 * time.Hour)
	}
	tables, err := e.Stats(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, one := range tables {
		if one.Table == engine.Batches.Name && one.Rows > 4 {
			t.Errorf("%d rows of identities", one.Rows)
		}
	}
	closeStore(t, s)
	s = openStore(t, dir, e, o)
	defer closeStore(t, s)
	if !send(0).Duplicate || !send(19).Duplicate || send(20).Duplicate {
		t.Error("after a start a batch that was taken is new, or one that is new was taken")
	}
}

// Where more stacks are in use than there is room for, those that were not used for longest
// lose their names, and what has come last has its own: nothing new is turned away.
func TestTheNewestHasItsNames(t *testing.T) {
	s := openStore(t, t.TempDir(), memory.New(), quick(Options{Limits: dict.Limits{Nodes: 2000}}))
	defer closeStore(t, s)
	push := func(service string, n int) {
		stacks := map[string]int64{}
		for i := range 10 {
			text := "main"
			for f := range 10 {
				text += fmt.Sprintf(";%s-%d-%d-%d", service, n, i, f)
			}
			stacks[text] = 1
		}
		appendProfile(t, s, simple(stacks), batch.Options{Labels: batch.Labels{Service: service}})
		flush(t, s)
	}
	for n := range 60 {
		push("build", n)
	}
	push("new", 0)
	sel := lastDay()
	sel.Service = []string{"new"}
	if got := namesIn(t, s, sel); len(got) != 101 || slices.Contains(got, dict.FullFrame) || slices.Contains(got, dict.OldFrame) {
		t.Errorf("%d functions of a new service: %v", len(got), got)
	}
	top, err := s.Top(t.Context(), lastDay(), TopOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if top.Basis.Count != 610 || top.Basis.Cut < 200e7 || top.Basis.Cut > 560e7 {
		t.Errorf("%+v", top.Basis)
	}
	if st, err := s.Stats(t.Context()); err != nil || st.Nodes > 2500 {
		t.Errorf("%d frames (%v)", st.Nodes, err)
	}
}

// Questions that are asked while the dictionary is written anew, all the time, are answered
// as if it was not.
func TestQuestionsWhileItAges(t *testing.T) {
	c, e := &clock{now: testNow}, memory.New()
	s := openStore(t, t.TempDir(), e, quick(Options{Now: c.Now, Retention: Retention{Samples: 24 * time.Hour, Hourly: 24 * time.Hour, Thinned: 24 * time.Hour}}))
	defer closeStore(t, s)
	var asking sync.WaitGroup
	end := make(chan struct{})
	for range 3 {
		asking.Go(func() {
			for {
				select {
				case <-end:
					return
				default:
				}
				top, err := s.Top(t.Context(), around(c), TopOptions{})
				if err != nil {
					t.Error(err)
					return
				}
				for _, r := range top.Rows {
					if r.Function.Name == "" || r.Function.Name == dict.OldFrame {
						t.Errorf("%d of %q", r.Self, r.Function.Name)
					}
				}
				lines, err := s.Labels(t.Context(), around(c), ByContainer)
				if err != nil {
					t.Error(err)
				}
				for _, l := range lines {
					if l.Value == "" {
						t.Errorf("%d samples of no container", l.Count)
					}
				}
			}
		})
	}
	for day := range 60 {
		p := simple(map[string]int64{fmt.Sprintf("main;f%d;g", day): 2, fmt.Sprintf("f%d", day): 2})
		p.Meta.Start = c.Now()
		appendProfile(t, s, p, batch.Options{Labels: batch.Labels{Service: "web", Container: fmt.Sprint("pod", day)}})
		flush(t, s)
		if err := s.Retain(t.Context()); err != nil {
			t.Fatal(err)
		}
		if err := s.Age(t.Context()); err != nil {
			t.Fatal(err)
		}
		c.move(24 * time.Hour)
	}
	close(end)
	asking.Wait()
}

// A project keeps what it says, whatever the server keeps, and no more than its quota: the
// oldest days go, and today never does.
func TestAProjectKeepsWhatItSays(t *testing.T) {
	c, dir := &clock{now: testNow}, t.TempDir()
	e := &sized{Engine: memory.New(), bytesOfRow: 1 << 20}
	s := openStore(t, dir, e, quick(Options{Now: c.Now}))
	days := func() (n int) {
		t.Helper()
		if err := s.Retain(t.Context()); err != nil {
			t.Fatal(err)
		}
		l, err := s.Timeline(t.Context(), around(c), "", 24*time.Hour, 1)
		if err != nil {
			t.Fatal(err)
		}
		for _, w := range l.Lines[0].Weight {
			if w > 0 {
				n++
			}
		}
		return n
	}
	for range 30 {
		c.move(24 * time.Hour)
		p := simple(map[string]int64{"main;f": 1})
		p.Meta.Start = c.Now()
		appendProfile(t, s, p, batch.Options{})
	}
	flush(t, s)
	if n := days(); n != 30 {
		t.Errorf("%d days", n)
	}
	if err := s.SetKeeping(t.Context(), Keep{SamplesDays: 2, HourlyDays: 10}); err != nil {
		t.Fatal(err)
	}
	if n := days(); n != 11 {
		t.Errorf("%d days of 10 and today", n)
	}
	if err := s.SetKeeping(t.Context(), Keep{HourlyDays: 20, Bytes: 9 << 20}); err != nil {
		t.Fatal(err)
	}
	flush(t, s)
	closeStore(t, s)
	s = openStore(t, dir, e, quick(Options{Now: c.Now}))
	if n := days(); n < 2 || n > 4 { // three rows a day, and two without those by the minute
		t.Errorf("%d days within the quota", n)
	}
	if err := s.SetKeeping(t.Context(), Keep{Bytes: 1 << 20}); err != nil {
		t.Fatal(err)
	}
	if n := days(); n != 1 {
		t.Errorf("%d days beyond any quota, and not today alone", n)
	}
	st, err := s.Stats(t.Context())
	if i := slices.IndexFunc(st.Bounds, func(b Bound) bool { return b.Name == "quota bytes" }); err != nil || i < 0 || st.Bounds[i].Warning == "" {
		t.Errorf("bounds: %+v (%v)", st.Bounds, err)
	}
	closeStore(t, s)
}

// Of a disk that is nearly full a day goes at a time, where rows fill it: not where they
// have room in their file, or others fill it, and never today.
func TestADiskThatIsNearlyFull(t *testing.T) {
	c, dir, free := &clock{now: testNow}, t.TempDir(), int64(4)
	e := &sized{Engine: memory.New(), bytesOfRow: 1000}
	s := openStore(t, dir, e, quick(Options{Now: c.Now, Disk: func(string) (int64, int64, error) { return free, 100, nil }}))
	defer closeStore(t, s)
	for range 5 {
		p := simple(map[string]int64{"main;f": 1})
		p.Meta.Start = c.Now()
		appendProfile(t, s, p, batch.Options{})
		c.move(24 * time.Hour)
	}
	flush(t, s)
	for i, x := range []struct {
		free, file int64
		days       int
	}{{4, 0, 5}, {50, 16_000, 5}, {4, 100_000, 5}, {4, 18_000, 4}, {5, 14_000, 4}, {4, 1_000, 4}, {4, 16_000, 3}} {
		free = x.free
		if err := os.WriteFile(filepath.Join(dir, "db", "rows"), make([]byte, x.file), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := s.Retain(t.Context()); err != nil {
			t.Fatal(err)
		}
		if n := total(t, s, around(c)); n != int64(x.days) {
			t.Errorf("step %d: %d days, not %d", i, n, x.days)
		}
	}
	if r := appendProfile(t, s, simple(map[string]int64{"main;f": 1}), batch.Options{}); len(r.Warnings) != 1 || !strings.Contains(r.Warnings[0], "of the disk") {
		t.Errorf("warnings: %q", r.Warnings)
	}
}

// sized is an engine whose rows take so many bytes.
type sized struct {
	engine.Engine

	bytesOfRow int64
}

func (e *sized) Stats(ctx context.Context) ([]engine.TableStats, error) {
	tables, err := e.Engine.Stats(ctx)
	for i := range tables {
		tables[i].Bytes = tables[i].Rows * e.bytesOfRow
	}
	return tables, err
}

// Who sends is told before a bound is met, and the log has it once.
func TestABoundIsToldOf(t *testing.T) {
	var log bytes.Buffer
	s := openStore(t, t.TempDir(), memory.New(), quick(Options{Limits: dict.Limits{Series: 10}, Log: slog.New(slog.NewTextHandler(&log, nil))}))
	var last Receipt
	for i := range 10 {
		last = appendProfile(t, s, simple(map[string]int64{"main;f": 1}), batch.Options{Labels: batch.Labels{Service: "web", Host: fmt.Sprint("host", i)}})
		if flush(t, s); i < 7 && len(last.Warnings) > 0 {
			t.Errorf("at %d of 10: %q", i, last.Warnings)
		}
	}
	if len(last.Warnings) != 1 || !strings.Contains(last.Warnings[0], "9 of 10 series") {
		t.Errorf("at the bound: %q", last.Warnings)
	}
	closeStore(t, s)
	if n := strings.Count(log.String(), "bound=series"); n != 1 {
		t.Errorf("%d lines in the log:\n%s", n, log.String())
	}
}
