package store

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"pgregory.net/rapid"

	"whyhot/internal/profile"
	"whyhot/internal/profile/view"
	"whyhot/internal/store/batch"
	"whyhot/internal/store/dict"
	"whyhot/internal/store/engine"
	"whyhot/internal/store/engine/memory"
	"whyhot/internal/store/journal"
)

// testing has Fatal and Helper for tests and property tests alike.
type tester interface {
	Helper()
	Fatal(args ...any)
	Fatalf(format string, args ...any)
	Errorf(format string, args ...any)
}

var testNow = time.Date(2026, 11, 22, 10, 17, 30, 0, time.UTC)

func quick(o Options) Options {
	o.Journal.SegmentAge = 5 * time.Millisecond
	o.Names.Off = true
	if o.Now == nil {
		o.Now = func() time.Time { return testNow }
	}
	return o
}

func openStore(t tester, dir string, e engine.Engine, o Options) *Store {
	t.Helper()
	s, err := Open(context.Background(), dir, func(context.Context, string) (engine.Engine, error) { return e, nil }, o)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func closeStore(t tester, s *Store) {
	t.Helper()
	if err := s.Close(); err != nil {
		t.Errorf("closing: %v", err)
	}
}

func appendProfile(t tester, s *Store, p *profile.Profile, o batch.Options) Receipt {
	t.Helper()
	if o.Now.IsZero() {
		o.Now = s.opts.Now()
	}
	b, err := batch.FromProfile(p, o)
	if err != nil {
		t.Fatal(err)
	}
	r, err := s.Append(context.Background(), b)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func flush(t tester, s *Store) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	if err := s.Flush(ctx); err != nil {
		t.Fatal(err)
	}
}

func lastDay() Selection {
	return Selection{From: testNow.Add(-24 * time.Hour), To: testNow.Add(time.Minute)}
}

// drawn is a profile with everything that makes views hard: recursion, inlined frames,
// empty stacks, unknown frames, one function under several numbers.
func drawn(t *rapid.T) *profile.Profile {
	b := profile.NewBuilder()
	var mappings []profile.MappingID
	for _, m := range []profile.Mapping{
		{}, {Path: "/usr/bin/app", BuildID: "aa"}, {Path: "/usr/lib/libz.so.1", BuildID: "bb", Start: 0x1000, Limit: 0x9000, Offset: 0x200},
		{Path: "/usr/bin/app", BuildID: "aa", Start: 0x5000, Limit: 0x8000},
	} {
		mappings = append(mappings, b.Mapping(m))
	}
	location := rapid.Custom(func(t *rapid.T) profile.LocationID {
		m := rapid.SampledFrom(mappings).Draw(t, "mapping")
		var lines []profile.Line
		for range rapid.IntRange(0, 3).Draw(t, "inlined") {
			f := b.Function(profile.Function{
				Name:      rapid.SampledFrom([]string{"", "main", "f", "g", "h"}).Draw(t, "name"),
				File:      rapid.SampledFrom([]string{"", "a.c"}).Draw(t, "file"),
				StartLine: int32(rapid.IntRange(0, 1).Draw(t, "start")), Mapping: m,
				Kind: rapid.SampledFrom([]profile.Kind{profile.KindNative, profile.KindPython}).Draw(t, "kind"),
			})
			lines = append(lines, profile.Line{Function: f, Line: int32(rapid.IntRange(0, 2).Draw(t, "line"))})
		}
		return b.Location(m, 0x5000+uint64(rapid.IntRange(0, 4).Draw(t, "address")), profile.KindNative, lines...)
	})
	locations := rapid.SliceOfN(location, 1, 8).Draw(t, "locations")
	for range rapid.IntRange(0, 12).Draw(t, "samples") {
		stack := b.Stack(rapid.SliceOfN(rapid.SampledFrom(locations), 0, 6).Draw(t, "stack"))
		labels := []profile.Label{{Key: profile.LabelProcess, Str: fmt.Sprintf("p%d", rapid.IntRange(0, 2).Draw(t, "process"))}}
		count := int64(rapid.IntRange(0, 5).Draw(t, "count"))
		back := time.Duration(rapid.IntRange(0, 20*60).Draw(t, "minutes")) * time.Minute
		b.Sample(profile.Sample{
			Stack: stack, Labels: b.Labels(labels), Count: count, Value: 3*count + int64(rapid.IntRange(0, 2).Draw(t, "odd")), Time: testNow.Add(-back).UnixNano(),
		})
	}
	return b.Build(profile.Meta{ValueType: profile.ValueType{Type: "cpu", Unit: "nanoseconds"}})
}

// name is what a reader can tell a function by.
func name(fn, file, binary string, start int32, k profile.Kind) string {
	if k == profile.KindNative {
		start = 0
	}
	return fmt.Sprintf("%s|%s|%s|%d|%s", fn, file, binary, start, k)
}

func nameIn(p *profile.Profile, id profile.FunctionID) string {
	f := p.Function(id)
	return name(f.Name, f.File, p.Mapping(f.Mapping).Path, f.StartLine, f.Kind)
}

func (f *Function) key() string { return name(f.Name, f.File, f.Binary, f.StartLine, f.Kind) }

// paths writes a tree as its paths, so that the order of siblings of one weight does
// not matter.
func paths(n int, parent func(int) int, text func(int) string) []string {
	full := make([]string, n)
	out := make([]string, n)
	for i := range n {
		if up := parent(i); up >= 0 {
			full[i] = full[up] + " / " + text(i)
		}
		out[i] = full[i]
	}
	return out
}

func treeOf(t *Tree) []string {
	p := paths(len(t.Function), func(i int) int { return int(t.Parent[i]) }, func(i int) string {
		f := t.Functions[t.Function[i]]
		return f.key()
	})
	for i := range p {
		p[i] += fmt.Sprintf(" self=%d total=%d", t.Self[i], t.Total[i])
	}
	slices.Sort(p)
	return p
}

func viewTree(p *profile.Profile, o view.TreeOptions) []string {
	t := view.BuildTree(p, o)
	out := paths(len(t.Nodes), func(i int) int { return int(t.Nodes[i].Parent) }, func(i int) string { return nameIn(p, t.Nodes[i].Function) })
	for i := range out {
		out[i] += fmt.Sprintf(" self=%d total=%d", t.Nodes[i].Self, t.Nodes[i].Total)
	}
	slices.Sort(out)
	return out
}

// What a store answers is what the views say of the profile that was put in, and of the
// profile that it gives back.
func TestAnswersAreThoseOfTheViews(t *testing.T) {
	dir := t.TempDir()
	n := 0
	rapid.Check(t, func(t *rapid.T) {
		n++
		s := openStore(t, filepath.Join(dir, fmt.Sprint(n)), memory.New(), quick(Options{}))
		defer closeStore(t, s)
		p := drawn(t)
		appendProfile(t, s, p, batch.Options{})
		flush(t, s)
		compareAll(t, s, p)
	})
}

func compareAll(t tester, s *Store, p *profile.Profile) {
	back, basis, err := s.Profile(context.Background(), lastDay())
	if err != nil {
		t.Fatal(err)
	}
	if basis.Value != p.Total() || back.Total() != p.Total() {
		t.Fatalf("%d went in, %d and %d came out", p.Total(), basis.Value, back.Total())
	}
	for _, q := range []*profile.Profile{p, back} {
		compareTop(t, s, lastDay(), q)
		compareTrees(t, s, lastDay(), q)
		compareCallgraphs(t, s, lastDay(), q)
	}
	compareHistory(t, s, lastDay())
	compareOnly(t, s, p)
	compareLines(t, s, back)
	compareGroups(t, s, back)
}

// compareOnly holds answers about some functions alone against the views of a profile that has
// no others.
func compareOnly(t tester, s *Store, p *profile.Profile) {
	const rest = "[rest]"
	isKept := func(name, binary string) bool { return name == "f" || name == "main" && binary != "" }
	sel := lastDay()
	sel.Only = &Only{Keep: func(f *Function) bool { return isKept(f.Name, f.Binary) }, Rest: rest}
	q := p.OnlyFrames(func(id profile.FunctionID) bool {
		return isKept(p.Function(id).Name, p.Mapping(p.Function(id).Mapping).Path)
	}, profile.Function{Name: rest})
	compareTop(t, s, sel, q)
	compareTrees(t, s, sel, q)
	compareCallgraphs(t, s, sel, q)
	compareHistory(t, s, sel)
}

// compareLines holds the lines of each function against the view's, of the profile that
// the store gives: it does not keep the addresses of what is named.
func compareLines(t tester, s *Store, p *profile.Profile) {
	top, err := s.Top(context.Background(), lastDay(), TopOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range top.Rows {
		l, err := s.Lines(context.Background(), lastDay(), r.Function.ID)
		if err != nil {
			t.Fatal(err)
		}
		ids := inProfile(p, &r.Function)
		if r.Function.ID == 0 {
			ids = []profile.FunctionID{0}
		}
		v := view.Lines(p, ids)
		got, want := []string{fmt.Sprint(l.Self, l.Total)}, []string{fmt.Sprint(v.Self, v.Total)}
		for _, row := range l.Rows {
			got = append(got, fmt.Sprint(row.File, row.Line, row.Binary, row.Offset, row.Self, row.Total))
		}
		for _, row := range v.Rows {
			want = append(want, fmt.Sprint(row.File, row.Line, p.Mapping(row.Mapping).Path, row.Offset, row.Self, row.Total))
		}
		if slices.Sort(got); !slices.Equal(got, sorted(want)) {
			t.Fatalf("lines of %s:\n%s\nwant\n%s", r.Function.key(), strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
	}
}

func sorted(list []string) []string {
	slices.Sort(list)
	return list
}

// compareGroups compares the selection with a profile of its own samples: nothing differs
// when both are summed up alike.
func compareGroups(t tester, s *Store, p *profile.Profile) {
	var summer view.Summer
	g, err := s.Groups(context.Background(), lastDay(), func(f *Function) int {
		return summer.Number(&profile.Function{Name: f.Name, SystemName: f.System, File: f.File, StartLine: f.StartLine, Kind: f.Kind}, &profile.Mapping{Path: f.Binary, BuildID: f.BuildID})
	})
	if err != nil {
		t.Fatal(err)
	}
	want := view.Diff(p, p, view.DiffOptions{})
	got := view.DiffSums(summer.Sums(g.Basis.Value, g.Events, g.Self, g.Total, nil), view.SumsOf(p), view.DiffOptions{})
	if len(got.Rows) != len(want.Rows) || got.TotalA != want.TotalA {
		t.Fatalf("%d rows of %d, want %d of %d", len(got.Rows), got.TotalA, len(want.Rows), want.TotalA)
	}
	for _, r := range got.Rows {
		if r.A.Self != r.B.Self || r.A.Total != r.B.Total {
			t.Fatalf("%s in %s: %d of %d by the store, %d of %d by the view", r.Name, r.Binary, r.A.Self, r.A.Total, r.B.Self, r.B.Total)
		}
	}
}

// compareHistory holds what functions took over time against what they took in all,
// recursion counted once.
func compareHistory(t tester, s *Store, sel Selection) {
	top, err := s.Top(context.Background(), sel, TopOptions{Limit: MaxHistory})
	if err != nil {
		t.Fatal(err)
	}
	ids := make([]FunctionID, 0, len(top.Rows))
	for _, r := range top.Rows {
		ids = append(ids, r.Function.ID)
	}
	for _, total := range []bool{false, true} {
		h, err := s.History(context.Background(), sel, ids, total, 10*time.Minute)
		if err != nil {
			t.Fatal(err)
		}
		for i, r := range top.Rows {
			want, got := r.Self, int64(0)
			if total {
				want = r.Total
			}
			for _, w := range h.Weight[i] {
				got += w
			}
			if got != want {
				t.Fatalf("%q over time is %d, total %v; in all it is %d", r.Function.Name, got, total, want)
			}
		}
	}
}

func compareTop(t tester, s *Store, sel Selection, p *profile.Profile) {
	want := map[string][2]int64{}
	for _, r := range view.Top(p, view.TopOptions{}).Rows {
		if r.Self != 0 || r.Total != 0 {
			want[nameIn(p, r.Function)] = [2]int64{r.Self, r.Total}
		}
	}
	top, err := s.Top(context.Background(), sel, TopOptions{})
	if err != nil {
		t.Fatal(err)
	}
	var sum int64
	for _, r := range top.Rows {
		if want[r.Function.key()] != [2]int64{r.Self, r.Total} {
			t.Fatalf("%s: self %d, total %d; want %v", r.Function.key(), r.Self, r.Total, want[r.Function.key()])
		}
		sum += r.Self
	}
	if len(top.Rows) != len(want) || sum != top.Basis.Value {
		t.Fatalf("%d rows, not %d; selves add up to %d of %d", len(top.Rows), len(want), sum, top.Basis.Value)
	}
}

func compareTrees(t tester, s *Store, sel Selection, p *profile.Profile) {
	same := func(what string, o TreeOptions, v view.TreeOptions) {
		got, err := s.Tree(context.Background(), sel, o)
		if err != nil {
			t.Fatal(err)
		}
		if want := dropEmpty(viewTree(p, v)); !slices.Equal(dropEmpty(treeOf(got)), want) {
			t.Fatalf("%s:\n%s\nwant\n%s", what, strings.Join(treeOf(got), "\n"), strings.Join(want, "\n"))
		}
	}
	same("from the root", TreeOptions{}, view.TreeOptions{})
	same("from the leaf", TreeOptions{FromLeaf: true}, view.TreeOptions{FromLeaf: true})
	top, err := s.Top(context.Background(), sel, TopOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range top.Rows {
		if r.Function.ID == 0 {
			continue
		}
		focus := inProfile(p, &r.Function)
		same("below "+r.Function.key(), TreeOptions{Focus: r.Function.ID}, view.TreeOptions{Focus: focus})
		same("above "+r.Function.key(), TreeOptions{Focus: r.Function.ID, FromLeaf: true}, view.TreeOptions{Focus: focus, FromLeaf: true})
	}
}

// dropEmpty leaves out nodes without weight: stacks that weigh nothing.
func dropEmpty(lines []string) []string {
	return slices.DeleteFunc(lines, func(l string) bool { return strings.HasSuffix(l, " self=0 total=0") })
}

func inProfile(p *profile.Profile, f *Function) (ids []profile.FunctionID) {
	for i := range p.NumFunctions() {
		if nameIn(p, profile.FunctionID(i)) == f.key() {
			ids = append(ids, profile.FunctionID(i))
		}
	}
	return ids
}

func compareCallgraphs(t tester, s *Store, sel Selection, p *profile.Profile) {
	top, err := s.Top(context.Background(), sel, TopOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range top.Rows {
		if r.Function.ID == 0 {
			continue
		}
		g, err := s.Callgraph(context.Background(), sel, r.Function.ID)
		if err != nil {
			t.Fatal(err)
		}
		v := view.Callgraph(p, inProfile(p, &r.Function), view.CallgraphOptions{})
		got, want := []string{fmt.Sprint(g.Self, g.Total, g.Recursive, g.Entry)}, []string{fmt.Sprint(v.Self, v.Total, v.Recursive, v.Entry)}
		for _, side := range []struct {
			side string
			ours []Edge
			view []view.Edge
		}{{"caller", g.Callers, v.Callers}, {"callee", g.Callees, v.Callees}} {
			for _, e := range side.ours {
				got = append(got, fmt.Sprint(side.side, e.Function.key(), e.Total))
			}
			for _, e := range side.view {
				want = append(want, fmt.Sprint(side.side, nameIn(p, e.Function), e.Total))
			}
		}
		slices.Sort(got)
		slices.Sort(want)
		if !slices.Equal(got, want) {
			t.Fatalf("call graph of %s:\n%s\nwant\n%s", r.Function.key(), strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
	}
}

// simple is a profile of one stack for each text "main;f;g": count.
func simple(stacks map[string]int64) *profile.Profile {
	b := profile.NewBuilder()
	m := b.Mapping(profile.Mapping{Path: "/usr/bin/app", BuildID: "aa"})
	for text, count := range stacks {
		var locs []profile.LocationID
		for _, f := range slices.Backward(strings.Split(text, ";")) {
			fn := b.Function(profile.Function{Name: f, Mapping: m, Kind: profile.KindNative})
			locs = append(locs, b.Location(m, 0, profile.KindNative, profile.Line{Function: fn}))
		}
		b.Sample(profile.Sample{Stack: b.Stack(locs), Count: count, Value: count * 1e7})
	}
	return b.Build(profile.Meta{ValueType: profile.ValueType{Type: "cpu", Unit: "nanoseconds"}, Start: testNow.Add(-time.Minute)})
}

func total(t tester, s *Store, sel Selection) int64 {
	t.Helper()
	top, err := s.Top(context.Background(), sel, TopOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return top.Basis.Count
}

// A batch counts once, however often it comes, and also across a restart, whether it
// has reached the engine or is in the journal.
func TestABatchCountsOnce(t *testing.T) {
	for _, engineAway := range []bool{false, true} {
		t.Run(fmt.Sprint("engine away ", engineAway), func(t *testing.T) {
			dir, kept := t.TempDir(), &unsteady{Engine: memory.New(), away: engineAway}
			s := openStore(t, dir, kept, quick(Options{}))
			send := func(id string) Receipt {
				return appendProfile(t, s, simple(map[string]int64{"main;f": 3}), batch.Options{ID: id})
			}
			if send("agent-1").Duplicate || send("agent-3").Duplicate || send("other").Duplicate {
				t.Error("a new batch was taken for an old one")
			}
			if !send("agent-1").Duplicate || !send("other").Duplicate {
				t.Error("a batch was taken twice")
			}
			closeStore(t, s)
			kept.set(false)
			s = openStore(t, dir, kept, quick(Options{}))
			defer closeStore(t, s)
			for _, id := range []string{"agent-1", "agent-3", "other"} {
				if !send(id).Duplicate {
					t.Errorf("%s was taken again after a restart", id)
				}
			}
			if send("agent-2").Duplicate {
				t.Error("a batch between two others was taken for an old one")
			}
			var all sync.WaitGroup
			for range 8 {
				all.Go(func() { send("agent-4") })
			}
			all.Wait()
			flush(t, s)
			if got := total(t, s, lastDay()); got != 5*3 {
				t.Errorf("%d samples, want 15", got)
			}
		})
	}
}

// unsteady is an engine that is away at times.
type unsteady struct {
	engine.Engine

	mu   sync.Mutex
	away bool
}

func (u *unsteady) set(away bool) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.away = away
}

func (u *unsteady) Commit(ctx context.Context, n uint64, blocks []*engine.Block) error {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.away {
		return errors.New("away")
	}
	return u.Engine.Commit(ctx, n, blocks)
}

// While the engine is away batches are taken until the journal is full; nothing is lost.
func TestEngineAway(t *testing.T) {
	kept := &unsteady{Engine: memory.New(), away: true}
	s := openStore(t, t.TempDir(), kept, quick(Options{Journal: journal.Options{MaxBytes: 3000}}))
	defer closeStore(t, s)
	taken := int64(0)
	var err error
	for i := 0; err == nil; i++ {
		b, buildErr := batch.FromProfile(simple(map[string]int64{"main;f": 1}), batch.Options{ID: fmt.Sprint("a-", i), Now: testNow})
		if buildErr != nil {
			t.Fatal(buildErr)
		}
		if _, err = s.Append(t.Context(), b); err == nil {
			taken++
		}
	}
	if !errors.Is(err, ErrBusy) || taken == 0 {
		t.Fatalf("%d taken, then %v", taken, err)
	}
	kept.set(false)
	flush(t, s)
	if got := total(t, s, lastDay()); got != taken {
		t.Errorf("%d of %d are there", got, taken)
	}
}

// What a crash left in the journal can be asked for when Recovered returns, which waits for no
// other batches.
func TestRecovered(t *testing.T) {
	dir := t.TempDir()
	kept := &unsteady{Engine: memory.New(), away: true}
	s := openStore(t, dir, kept, quick(Options{}))
	appendProfile(t, s, simple(map[string]int64{"main;f": 7}), batch.Options{ID: "a-0"})
	closeStore(t, s)

	held := &unsteady{Engine: memory.New()}
	held.mu.Lock() // it takes its time
	s = openStore(t, dir, held, quick(Options{}))
	defer closeStore(t, s)
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	if err := s.Recovered(gone); err == nil {
		t.Error("recovered while nothing can be asked for")
	}
	held.mu.Unlock()
	if err := s.Recovered(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := total(t, s, lastDay()); got != 7 {
		t.Errorf("%d samples, want 7", got)
	}
	held.set(true)
	appendProfile(t, s, simple(map[string]int64{"main;f": 1}), batch.Options{ID: "a-1"})
	if err := s.Recovered(t.Context()); err != nil { // would wait for ever
		t.Error(err)
	}
	held.set(false)
}

// A store is never empty by accident: not either where the engine opens, with less than
// it had.
func TestEngineThatLostItsRows(t *testing.T) {
	dir := t.TempDir()
	s := openStore(t, dir, memory.New(), quick(Options{}))
	appendProfile(t, s, simple(map[string]int64{"main;f": 1}), batch.Options{})
	flush(t, s)
	closeStore(t, s)
	lost := (*journal.LostError)(nil)
	_, err := Open(t.Context(), dir, func(context.Context, string) (engine.Engine, error) { return memory.New(), nil }, quick(Options{}))
	if !errors.As(err, &lost) || !strings.Contains(err.Error(), "bring back a copy") {
		t.Fatalf("opened: %v", err)
	}
	other := memory.New()
	if err := renew(dir, other); err != nil {
		t.Fatal(err)
	}
	closeStore(t, openStore(t, dir, other, quick(Options{})))
}

// What is not kept is told of: in the tree, and in the basis of each answer.
func TestBounds(t *testing.T) {
	s := openStore(t, t.TempDir(), memory.New(), quick(Options{Limits: dict.Limits{Nodes: 4, Series: 4}}))
	defer closeStore(t, s)
	appendProfile(t, s, simple(map[string]int64{"a;b": 1}), batch.Options{})
	appendProfile(t, s, simple(map[string]int64{"c;d;e": 2}), batch.Options{})
	for i := range 20 {
		appendProfile(t, s, simple(map[string]int64{"a;b": 1}), batch.Options{Labels: batch.Labels{Service: "web", Host: fmt.Sprint("host", i)}})
	}
	deep := make([]string, 10_000)
	for i := range deep {
		deep[i] = fmt.Sprint("f", i)
	}
	appendProfile(t, s, simple(map[string]int64{strings.Join(deep, ";"): 4}), batch.Options{})
	flush(t, s)
	top, err := s.Top(t.Context(), lastDay(), TopOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if top.Basis.Count != 1+2+20+4 || top.Basis.Cut != 6e7 || top.Basis.Merged < 12e7 {
		t.Errorf("%+v", top.Basis)
	}
	hosts, err := s.Labels(t.Context(), lastDay(), ByHost)
	if err != nil {
		t.Fatal(err)
	}
	// Up to twice as many as there is room for are told apart between two times that room is made.
	if len(hosts) > 9 || !slices.ContainsFunc(hosts, func(l LabelValue) bool { return l.Value == dict.Merged && l.Count > 10 }) {
		t.Errorf("hosts: %v", hosts)
	}
}

func TestSelections(t *testing.T) {
	s := openStore(t, t.TempDir(), memory.New(), quick(Options{}))
	defer closeStore(t, s)
	put := func(n int64, back time.Duration, l batch.Labels) {
		p := simple(map[string]int64{"main;" + l.Service: n})
		p.Meta.Start = testNow.Add(-back)
		appendProfile(t, s, p, batch.Options{Labels: l})
	}
	put(1, 30*time.Minute, batch.Labels{Service: "web", Version: "1", Host: "a", Container: "x"})
	put(10, 3*time.Hour, batch.Labels{Service: "web", Version: "2", Host: "b", Container: "y"})
	put(100, 3*time.Hour, batch.Labels{Service: "db", Host: "a", Container: "z"})
	put(1000, 30*time.Hour, batch.Labels{Service: "db", Host: "c"})
	flush(t, s)
	for _, c := range []struct {
		want int64
		sel  Selection
		back time.Duration
	}{
		{1111, Selection{}, 31 * time.Hour},
		{111, Selection{}, 24 * time.Hour},
		{1, Selection{}, time.Hour},
		{11, Selection{Service: []string{"web"}}, 31 * time.Hour},
		{10, Selection{Version: []string{"2"}}, 31 * time.Hour},
		{101, Selection{Host: []string{"a"}}, 31 * time.Hour},
		{1001, Selection{Host: []string{"a", "c"}, Container: []string{"", "x"}}, 31 * time.Hour},
		{100, Selection{Host: []string{"a"}, Service: []string{"db"}}, 31 * time.Hour},
		{0, Selection{Service: []string{"nothing"}}, 31 * time.Hour},
		{0, Selection{Host: []string{"a"}, Version: []string{"2"}}, 31 * time.Hour},
	} {
		c.sel.From, c.sel.To = testNow.Add(-c.back), testNow
		if got := total(t, s, c.sel); got != c.want {
			t.Errorf("%+v of %s: %d, want %d", c.sel, c.back, got, c.want)
		}
		p, basis, err := s.Profile(t.Context(), c.sel)
		if err != nil || p.Count() != c.want || basis.Count != c.want {
			t.Errorf("%+v: a profile of %d events, %v", c.sel, p.Count(), err)
		}
	}
	// What was recorded lasted as many minutes as have samples, not as long as was asked for,
	// nor from the first of them to the last.
	p, _, err := s.Profile(t.Context(), Selection{From: testNow.Add(-4 * time.Hour), To: testNow})
	if err != nil || p.Meta.Duration != 2*time.Minute {
		t.Errorf("it lasted %s, %v", p.Meta.Duration, err)
	}
	if _, err := s.Top(t.Context(), Selection{From: testNow, To: testNow}, TopOptions{}); err == nil {
		t.Error("an empty range of time was answered")
	}
	day := Selection{From: testNow.Add(-31 * time.Hour), To: testNow}
	services, err := s.Labels(t.Context(), day, ByService)
	if err != nil || len(services) != 2 || services[0].Value != "db" || services[0].Count != 1100 || services[1].Count != 11 {
		t.Errorf("services: %+v, %v", services, err)
	}
	for _, step := range []time.Duration{time.Minute, time.Hour, 24 * time.Hour} {
		line, err := s.Timeline(t.Context(), day, ByHost, step, 2)
		if err != nil {
			t.Fatal(err)
		}
		var sum int64
		for _, l := range line.Lines {
			for _, w := range l.Weight {
				sum += w
			}
		}
		if len(line.Lines) != 3 || line.Others != 1 || line.Lines[0].Value != "c" || sum != 1111e7 || line.Basis.Value != sum {
			t.Errorf("by %s: %d lines, sum %d, %+v", step, len(line.Lines), sum, line.Basis)
		}
	}
}

// A level of the ladder gives about the shares of all samples, and says that it is one.
func TestLadder(t *testing.T) {
	s := openStore(t, t.TempDir(), memory.New(), quick(Options{}))
	defer closeStore(t, s)
	appendProfile(t, s, simple(map[string]int64{"main;a": 18_000_000, "main;b": 9_000_000, "main;c": 3_000_000}), batch.Options{})
	flush(t, s)
	top, err := s.Top(t.Context(), lastDay(), TopOptions{})
	if err != nil {
		t.Fatal(err)
	}
	b := top.Basis
	if b.Level != 3 || b.Read >= 500_000 || b.ShareError <= 0 || b.ShareError > 0.003 {
		t.Errorf("basis %+v", b)
	}
	for i, want := range []float64{0.6, 0.3, 0.1} {
		if share := float64(top.Rows[i].Self) / float64(b.Value); share < want-0.01 || share > want+0.01 {
			t.Errorf("%s has a share of %.3f, not %.1f", top.Rows[i].Function.Name, share, want)
		}
	}
	sel := lastDay()
	sel.Exact = true
	if top, err = s.Top(t.Context(), sel, TopOptions{}); err != nil || top.Basis.Level != 0 || top.Rows[0].Self != 18e13 {
		t.Errorf("exact: %+v, %v", top.Basis, err)
	}
}

func TestDocuments(t *testing.T) {
	dir, e := t.TempDir(), memory.New()
	clock := testNow
	o := quick(Options{Now: func() time.Time { clock = clock.Add(time.Second); return clock }})
	s := openStore(t, dir, e, o)
	for _, d := range [][2]string{{"a", "1"}, {"b", "2"}, {"a", "3"}, {"b", ""}} {
		if err := s.PutDocument(t.Context(), "finding", d[0], []byte(d[1])); err != nil {
			t.Fatal(err)
		}
	}
	for range 2 {
		docs := s.Documents("finding")
		if len(docs) != 1 || docs[0].Key != "a" || string(docs[0].Body) != "3" {
			t.Errorf("documents: %+v", docs)
		}
		closeStore(t, s)
		s = openStore(t, dir, e, o)
	}
	flush(t, s)
	closeStore(t, s)
}

func TestOld(t *testing.T) {
	s := openStore(t, t.TempDir(), memory.New(), quick(Options{}))
	defer closeStore(t, s)
	p := simple(map[string]int64{"main": 5})
	p.Meta.Start = testNow.Add(-400 * 24 * time.Hour)
	if r := appendProfile(t, s, p, batch.Options{}); r.Samples != 0 || len(r.Warnings) != 1 {
		t.Errorf("receipt %+v", r)
	}
	p = simple(map[string]int64{"main": 5})
	p.Meta.Start = testNow.Add(400 * 24 * time.Hour)
	if r := appendProfile(t, s, p, batch.Options{}); r.Samples != 0 || len(r.Warnings) != 1 ||
		r.Warnings[0] != "5 samples are of more than 10m0s after the server's time, and were dropped: set the clock of the machine that recorded them" {
		t.Errorf("receipt of the future: %+v", r)
	}
	flush(t, s)
	if got := total(t, s, lastDay()); got != 0 {
		t.Errorf("%d samples", got)
	}
	if st, err := s.Stats(t.Context()); err != nil || st.DroppedSamples != 10 {
		t.Errorf("%d samples were dropped, %v", st.DroppedSamples, err)
	}
}

func TestRefusals(t *testing.T) {
	dir := t.TempDir()
	s := openStore(t, dir, memory.New(), quick(Options{}))
	open := func(context.Context, string) (engine.Engine, error) { return memory.New(), nil }
	if _, err := Open(t.Context(), dir, open, quick(Options{})); !errors.Is(err, engine.ErrInUse) {
		t.Errorf("opened twice: %v", err)
	}
	appendProfile(t, s, simple(map[string]int64{"main": 5}), batch.Options{ID: "a-1"})
	appendProfile(t, s, simple(map[string]int64{"main": 5}), batch.Options{ID: "a-2"})
	closeStore(t, s)
	// An engine that does not open, and gives a nil pointer with its error.
	broken := func(context.Context, string) (engine.Engine, error) { return (*unsteady)(nil), engine.ErrDamaged }
	if _, err := Open(t.Context(), t.TempDir(), broken, quick(Options{})); !errors.Is(err, engine.ErrDamaged) {
		t.Errorf("a damaged engine: %v", err)
	}
	// A journal with a damaged record, of which the sender was told that it is there.
	dir = t.TempDir()
	away := &unsteady{Engine: memory.New(), away: true}
	s = openStore(t, dir, away, Options{Names: NameOptions{Off: true}, Now: func() time.Time { return testNow }, Journal: journal.Options{SegmentAge: time.Hour}})
	appendProfile(t, s, simple(map[string]int64{"main": 5}), batch.Options{ID: "a-1"})
	appendProfile(t, s, simple(map[string]int64{"main": 5}), batch.Options{ID: "a-2"})
	closeStore(t, s)
	files, err := filepath.Glob(filepath.Join(dir, journalDir, "*"))
	if err != nil || len(files) != 1 {
		t.Fatal(files, err)
	}
	data, err := os.ReadFile(files[0])
	if err != nil {
		t.Fatal(err)
	}
	data[20] ^= 1
	if err := os.WriteFile(files[0], data, 0o600); err != nil {
		t.Fatal(err)
	}
	damage := (*journal.DamageError)(nil)
	if _, err := Open(t.Context(), dir, open, quick(Options{})); !errors.As(err, &damage) || !strings.Contains(err.Error(), "move it away") {
		t.Errorf("a damaged journal: %v", err)
	}
}

// A sender that makes up a new value of a label for each sample gets as far as the bound:
// all samples count, the oldest of what is beyond it is one series, and the answers say so.
func TestMoreHostsThanAreTold(t *testing.T) {
	s := openStore(t, t.TempDir(), memory.New(), quick(Options{Journal: journal.Options{MaxBytes: 1 << 30}}))
	defer closeStore(t, s)
	const hosts, each = 600_000, 50_000
	for from := 0; from < hosts; from += each {
		b, err := batch.FromProfile(simple(map[string]int64{"main;f": 1}), batch.Options{Labels: batch.Labels{Service: "web"}, Now: testNow})
		if err != nil {
			t.Fatal(err)
		}
		row := b.Rows[0]
		b.Labels, b.Rows = nil, nil
		for i := range uint32(each) {
			b.Labels = append(b.Labels, batch.Labels{Service: "web", Host: fmt.Sprint("host-", from+int(i))})
			row.Labels = i
			b.Rows = append(b.Rows, row)
		}
		if _, err := s.Append(t.Context(), b); err != nil {
			t.Fatal(err)
		}
	}
	flush(t, s)
	top, err := s.Top(t.Context(), lastDay(), TopOptions{})
	if err != nil {
		t.Fatal(err)
	}
	// The latest are told apart, whatever came before.
	beyond := int64(hosts-400_000) * 1e7
	if top.Basis.Count != hosts || top.Basis.Merged < beyond || top.Basis.Merged > int64(hosts-150_000)*1e7 {
		t.Errorf("%+v", top.Basis)
	}
	values, err := s.Labels(t.Context(), lastDay(), ByHost)
	if err != nil {
		t.Fatal(err)
	}
	if len(values) > 400_001 || values[0].Value != dict.Merged || !slices.ContainsFunc(values, func(v LabelValue) bool { return v.Value == fmt.Sprint("host-", hosts-1) }) {
		t.Errorf("%d hosts, the first is %+v", len(values), values[0])
	}
	stats, err := s.Stats(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if stats.Series > 400_001 || stats.Memory > 400<<20 {
		t.Errorf("%d series, %d bytes", stats.Series, stats.Memory)
	}
}

// Of two agents one's clock is two hours late and the other's two hours early: what is late is
// kept at its time, what is of the future is dropped with a warning.
func TestClocksThatAreWrong(t *testing.T) {
	s := openStore(t, t.TempDir(), memory.New(), quick(Options{}))
	defer closeStore(t, s)
	for _, c := range []struct {
		host  string
		off   time.Duration
		takes int64
		warns int
	}{{"late", -2 * time.Hour, 5, 0}, {"early", 2 * time.Hour, 0, 1}, {"nearly", 5 * time.Minute, 5, 0}} {
		p := simple(map[string]int64{"main": 5})
		p.Meta.Start = testNow.Add(c.off)
		if r := appendProfile(t, s, p, batch.Options{Labels: batch.Labels{Service: "web", Host: c.host}}); r.Samples != c.takes || len(r.Warnings) != c.warns {
			t.Errorf("%s: %+v", c.host, r)
		}
	}
	flush(t, s)
	for _, c := range []struct {
		from, to time.Duration
		want     int64
	}{{-125 * time.Minute, -115 * time.Minute, 5}, {-time.Minute, time.Minute, 0}, {4 * time.Minute, 7 * time.Minute, 5}, {7 * time.Minute, 24 * time.Hour, 0}, {-24 * time.Hour, 24 * time.Hour, 10}} {
		if got := total(t, s, Selection{From: testNow.Add(c.from), To: testNow.Add(c.to)}); got != c.want {
			t.Errorf("from %s to %s: %d samples, not %d", c.from, c.to, got, c.want)
		}
	}
}
