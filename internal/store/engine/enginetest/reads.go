package enginetest

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"whyhot/internal/store/engine"
)

func wrongQueries(t *testing.T, b Backend) {
	t.Helper()
	e := open(t, b)
	commit(t, e, some(1)...)
	for name, q := range map[string]engine.Query{
		"no table":                           {},
		"a table without counts":             {Table: engine.Batches},
		"a table without time":               {Table: engine.Nodes},
		"series of a table that has none":    {Table: engine.Hourly, Series: []uint32{1}},
		"by series of a table that has none": {Table: engine.Hourly, By: []string{engine.ColSeries}},
		"by stack of a table that has none":  {Table: engine.Activity, By: []string{engine.ColStack}},
		"a level of a table that has none":   {Table: engine.Samples, Level: 2},
		"by what is no key":                  {Table: engine.Samples, By: []string{engine.ColPeriod}},
		"by SQL":                             {Table: engine.Samples, By: []string{"grp; DROP TABLE samples"}},
		"by the same twice":                  {Table: engine.Samples, By: []string{engine.ColGroup, engine.ColGroup}},
		"ids out of order":                   {Table: engine.Samples, Groups: []uint32{2, 1}},
	} {
		if _, err := e.Sum(t.Context(), q); err == nil {
			t.Errorf("%s: answered", name)
		}
	}
}

func scanOfMinutes(t *testing.T, b Backend) {
	t.Helper()
	e := open(t, b)
	commit(t, e, samples(
		row(day-1, 1, 1, 1, 1, 1), row(day, 1, 1, 1, 1, 1), row(day+5, 1, 1, 1, 1, 1), row(day+1439, 1, 1, 1, 1, 1), row(day+1440, 1, 1, 1, 1, 1),
	))
	for range 2 {
		for _, c := range []struct {
			from, to uint32
			want     []uint32
		}{
			{0, math.MaxUint32, []uint32{day - 1, day, day + 5, day + 1439, day + 1440}},
			{day, day + 1440, []uint32{day, day + 5, day + 1439}},
			{day + 1, day + 5, nil},
			{day + 5, day + 6, []uint32{day + 5}},
			{day + 6, day + 5, nil},
		} {
			var want []string
			for _, m := range c.want {
				want = append(want, fmt.Sprintf("%d 1 1 1 1 1", m))
			}
			got := scanned(t, e, engine.Samples, c.from, c.to)
			if slices.Sort(got); !slices.Equal(got, want) {
				t.Errorf("[%d, %d): %s, not %s", c.from, c.to, got, want)
			}
		}
		must(t, e.Compact(t.Context(), true))
	}
}

// A scan ends with yield's error, and with its context.
func scanEnds(t *testing.T, b Backend) {
	t.Helper()
	e := open(t, b)
	for range 3 {
		rows := engine.NewBlock(engine.Nodes, 0)
		for i := range uint32(30_000) {
			rows.Append(i, i, i)
		}
		commit(t, e, rows)
	}
	enough, calls := errors.New("enough"), 0
	err := e.Scan(t.Context(), engine.Nodes, 0, 0, func(*engine.Block) error { calls++; return enough })
	if !errors.Is(err, enough) || calls != 1 {
		t.Errorf("%v after %d calls", err, calls)
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	if err = e.Scan(ctx, engine.Nodes, 0, 0, func(*engine.Block) error { cancel(); return nil }); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	// It can ask while it reads.
	must(t, e.Scan(t.Context(), engine.Nodes, 0, 0, func(*engine.Block) error {
		_, err := e.Sum(t.Context(), engine.Query{Table: engine.Samples})
		return err
	}))
}

func drop(t *testing.T, b Backend) {
	t.Helper()
	e, err := b.Open()
	must(t, err)
	for d := range uint32(4) {
		m := day + d*1440
		commit(t, e, samples(row(m, 1, 1, d, 1, 1), row(m+1439, 1, 1, d, 1, 1)),
			block(engine.Hourly, []any{m, uint32(1), d, int64(1), uint32(1)}))
	}
	all := engine.Query{Table: engine.Samples, To: math.MaxUint32, By: []string{engine.ColStack}}
	want := []string{"0 2 2\n1 2 2\n2 2 2\n3 2 2", "1 2 2\n2 2 2\n3 2 2", "3 2 2"}
	for i, before := range []uint32{day, day + 1440, day + 3*1440} {
		must(t, e.Drop(t.Context(), engine.Samples, before))
		if got := sum(t, e, all); got != want[i] {
			t.Errorf("%d days dropped: %q, not %q", (before-day)/1440, got, want[i])
		}
		if got := scanned(t, e, engine.Samples, 0, math.MaxUint32); len(got) != 2+2*strings.Count(want[i], "\n") {
			t.Errorf("%d days dropped: %d rows", (before-day)/1440, len(got))
		}
	}
	hourly := engine.Query{Table: engine.Hourly, To: math.MaxUint32}
	if got := sum(t, e, hourly); got != "4 4" {
		t.Errorf("another table: %s", got)
	}
	// A day that was dropped can be written again.
	commit(t, e, samples(row(day, 1, 1, 9, 1, 1)))
	must(t, e.Close())
	e = open(t, b)
	if got := sum(t, e, all); got != "3 2 2\n9 1 1" {
		t.Errorf("opened again: %q", got)
	}
	must(t, e.Drop(t.Context(), engine.Samples, math.MaxUint32/1440*1440))
	if got := sum(t, e, all); got != "" {
		t.Errorf("all dropped: %q", got)
	}
}

// compact checks that equal rows become one, in all states between.
func compact(t *testing.T, b Backend) {
	t.Helper()
	e, err := b.Open()
	must(t, err)
	const commits, n = 5, 2000
	for range commits {
		rows := engine.NewBlock(engine.Samples, 0)
		for i := range uint32(n) {
			rows.Append(row(day+i%3*1440+i%2, 1+i%5, 1+i%10, i, 10, 2)...)
		}
		commit(t, e, rows)
	}
	q := engine.Query{Table: engine.Samples, To: math.MaxUint32, By: []string{engine.ColStack, engine.ColGroup}}
	want, scan := sum(t, e, q), merged(t, e, engine.Samples)
	must(t, e.Compact(t.Context(), false))
	if sum(t, e, q) != want {
		t.Error("Compact changed the sums")
	}
	must(t, e.Compact(t.Context(), true))
	if sum(t, e, q) != want || !slices.Equal(scan, merged(t, e, engine.Samples)) {
		t.Error("Compact of all changed the sums")
	}
	must(t, e.Close())
	e = open(t, b)
	commit(t, e, samples(row(day, 9, 9, 9, 10, 1)))
	must(t, e.Compact(t.Context(), true))
	if got := sum(t, e, engine.Query{Table: engine.Samples, To: math.MaxUint32}); got != fmt.Sprint(commits*n*2+1, (commits*n*2+1)*10) {
		t.Errorf("with a row more: %s", got)
	}
}

// sumsStay asks while Compact works and rows come in.
func sumsStay(t *testing.T, b Backend) {
	t.Helper()
	e := open(t, b)
	stop := func() {}
	for i := range uint32(6) {
		rows := engine.NewBlock(engine.Samples, 0)
		for r := range uint32(100_000) {
			rows.Append(row(day+i*1440+r%1440, 1+r%30, 1+r%8000, r%5000, 1, 1)...)
		}
		commit(t, e, rows)
		if i == 0 {
			stop = ask(t, e, engine.Query{Table: engine.Samples, To: day + 1440}, func(s string) bool { return s == "100000 100000" })
		}
		must(t, e.Compact(t.Context(), i%2 == 0))
	}
	stop()
}

// wholeCommits asks while commits are made, each of 3 days.
func wholeCommits(t *testing.T, b Backend) {
	t.Helper()
	e := open(t, b)
	stop := ask(t, e, engine.Query{Table: engine.Samples, To: math.MaxUint32}, func(s string) bool {
		var count, value int64
		_, err := fmt.Sscan(s, &count, &value)
		return s == "" || err == nil && count == value && (b.Piecemeal || count%3000 == 0)
	})
	for range 10 {
		rows := engine.NewBlock(engine.Samples, 0)
		for r := range uint32(3000) {
			rows.Append(row(day+r%3*1440, 1, 1, r, 1, 1)...)
		}
		commit(t, e, rows)
	}
	stop()
	if got := sum(t, e, engine.Query{Table: engine.Samples, To: math.MaxUint32}); got != "30000 30000" {
		t.Errorf("at last: %s", got)
	}
}

// ask puts a question again and again from two goroutines, until it is stopped.
func ask(t *testing.T, e engine.Engine, q engine.Query, right func(string) bool) (stop func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context()) //nolint:contextcheck // a test's is the one there is
	var asking sync.WaitGroup
	for range 2 {
		asking.Go(func() {
			for ctx.Err() == nil {
				s, err := e.Sum(t.Context(), q)
				if err != nil {
					t.Error(err)
					return
				}
				if got := Text(s); !right(got) {
					t.Errorf("in between: %q", got)
					return
				}
			}
		})
	}
	return func() { cancel(); asking.Wait() }
}

// sumCancelled ends a question with a large answer.
func sumCancelled(t *testing.T, b Backend) {
	t.Helper()
	e := open(t, b)
	rows := engine.NewBlock(engine.Samples, 0)
	for i := range uint32(1_000_000) {
		rows.Append(row(day+i%1440, 1+i%30, 1+i%8000, i*2654435761, 10, 1)...)
	}
	commit(t, e, rows)
	q := engine.Query{Table: engine.Samples, To: math.MaxUint32, By: []string{engine.ColMinute, engine.ColSeries, engine.ColStack}}
	ended := 0
	for wait := time.Duration(0); wait < 20*time.Millisecond; wait += 4 * time.Millisecond {
		ctx, cancel := context.WithTimeout(t.Context(), wait)
		if _, err := e.Sum(ctx, q); errors.Is(err, context.DeadlineExceeded) {
			ended++
		} else if err != nil {
			t.Error(err)
		}
		cancel()
	}
	if ended < 2 {
		t.Errorf("%d of 5 questions were ended", ended)
	}
	if s, err := e.Sum(t.Context(), q); err != nil || s.Len() != 1_000_000 {
		t.Errorf("asked again: %v", err)
	}
}

func stats(t *testing.T, b Backend) {
	t.Helper()
	e := open(t, b)
	commit(t, e, some(1)...)
	commit(t, e, some(2)...)
	must(t, e.Compact(t.Context(), true))
	all, err := e.Stats(t.Context())
	must(t, err)
	got := map[string]engine.TableStats{}
	for _, s := range all {
		if s.Bytes < 0 {
			t.Errorf("%s: %d bytes", s.Table, s.Bytes)
		}
		got[s.Table] = s
	}
	if len(got) != len(engine.Tables()) || len(all) != len(got) {
		t.Errorf("%d tables, not %d", len(got), len(engine.Tables()))
	}
	for name, rows := range map[string]int64{"mappings": 2, "nodes": 4, "hourly": 2, "activity": 2, "documents": 2} {
		if got[name].Rows != rows {
			t.Errorf("%s: %d rows, not %d", name, got[name].Rows, rows)
		}
	}
	if s := got["samples"]; s.Rows < 4 || s.Rows > 6 || s.First != day+400 || s.Last != day+801 {
		t.Errorf("samples: %+v", s)
	}
}

func newer(t *testing.T, b Backend) {
	t.Helper()
	if b.Newer == nil {
		return
	}
	e, err := b.Open()
	must(t, err)
	commit(t, e, some(1)...)
	must(t, e.Close())
	b.Newer(t)
	if _, err := b.Open(); !errors.Is(err, engine.ErrNewer) {
		t.Errorf("opened a newer store: %v", err)
	}
}

func damaged(t *testing.T, b Backend) {
	t.Helper()
	if b.Damage == nil {
		return
	}
	e, err := b.Open()
	must(t, err)
	commit(t, e, some(1)...)
	must(t, e.Close())
	b.Damage(t)
	for range 2 { // the second time as well: nothing was made anew
		if _, err := b.Open(); !errors.Is(err, engine.ErrDamaged) {
			t.Errorf("opened a damaged store: %v", err)
		} else if !strings.Contains(err.Error(), "to recover") {
			t.Errorf("does not say how to recover: %v", err)
		}
	}
}

func inUse(t *testing.T, b Backend) {
	t.Helper()
	if b.Shared {
		return
	}
	e := open(t, b)
	second, err := b.Open()
	if err == nil {
		// A machine too busy to renew a lease: then the first one writes nothing.
		defer func() { must(t, second.Close()) }()
		if err := e.Commit(t.Context(), e.Committed()+1, some(1)); !errors.Is(err, engine.ErrInUse) {
			t.Errorf("opened twice, and the first one writes: %v", err)
		}
		return
	}
	if !errors.Is(err, engine.ErrInUse) {
		t.Errorf("opened twice: %v", err)
	}
	commit(t, e, some(1)...)
}
