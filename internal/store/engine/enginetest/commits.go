package enginetest

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"whyhot/internal/store/engine"
)

// some are rows of every table, different ones for each n.
func some(n int) []*engine.Block {
	u, d := uint32(n), uint32(day+n*400)
	return []*engine.Block{
		block(engine.Mappings, []any{u, "/usr/bin/x", "b1"}),
		block(engine.Functions, []any{u, "f", "_Z1f", "f.c", u, u, uint8(1)}),
		block(engine.Locations, []any{u, u, uint64(math.MaxUint64), uint8(2), u, u}),
		block(engine.Resolved, []any{u, u, u, u, u}),
		block(engine.Nodes, []any{u, u, u}, []any{u + 1, u, u}),
		block(engine.Stacks, []any{u, u}),
		block(engine.Groups, []any{u, "service", "v1", "process"}),
		block(engine.Series, []any{u, u, "host", "container", `{"a":"b"}`}),
		block(engine.Documents, []any{"finding", "k", "{}", int64(n)}),
		samples(row(d, u, u, u, 10, 1), row(d, u, u, u, 10, 2), row(d+1, u, u, u, 10, 2)),
		block(engine.Hourly, []any{d, u, u, int64(10), uint32(3)}),
		block(engine.Thinned, []any{uint8(2), d, u, u, u, int64(10), uint32(1)}),
		block(engine.Activity, []any{d, u, u, int64(10), uint32(3)}),
		block(engine.Batches, []any{d, "agent", uint64(n), uint64(n)}, []any{d, "agent", uint64(n), uint64(n)}, []any{d + 2000, "b", uint64(n), uint64(math.MaxUint64)}),
	}
}

// content is all that an engine holds, rows that differ in nothing but their count
// as one.
func content(t *testing.T, e engine.Engine) string {
	t.Helper()
	var out []string
	for _, table := range engine.Tables() {
		if !table.Timed {
			for _, r := range scanned(t, e, table, 0, math.MaxUint32) {
				out = append(out, table.Name+" "+r)
			}
			continue
		}
		out = append(out, merged(t, e, table)...)
	}
	return strings.Join(out, "\n")
}

// merged are the rows of a table with time, sorted, those that differ in nothing but
// their count as one.
func merged(t *testing.T, e engine.Engine, table *engine.Table) []string {
	t.Helper()
	counts := map[string]uint64{}
	must(t, e.Scan(t.Context(), table, 0, math.MaxUint32, func(b *engine.Block) error {
		for i := range b.Len() {
			text := rowText(b, i)
			if len(table.Summed) == 0 { // as often as it is there
				counts[text]++
				continue
			}
			counts[text[:strings.LastIndexByte(text, ' ')]] += uint64(b.Uint32s(engine.ColCount)[i])
		}
		return nil
	}))
	out := make([]string, 0, len(counts))
	for r, n := range counts {
		out = append(out, fmt.Sprintf("%s %s %d", table.Name, r, n))
	}
	slices.Sort(out)
	return out
}

func openedAgain(t *testing.T, b Backend) {
	t.Helper()
	e, err := b.Open()
	must(t, err)
	must(t, e.Commit(t.Context(), 1, some(1)))
	must(t, e.Commit(t.Context(), 7, some(2)))
	want := content(t, e)
	must(t, e.Close())
	e = open(t, b)
	if got := content(t, e); got != want || strings.Count(got, "\n") < 28 {
		t.Errorf("opened again:\n%s\nbefore:\n%s", got, want)
	}
	if e.Committed() != 7 {
		t.Errorf("the last commit is %d, not 7", e.Committed())
	}
	must(t, e.Commit(t.Context(), 8, some(3)))
}

func commitsOnce(t *testing.T, b Backend) {
	t.Helper()
	e, err := b.Open()
	must(t, err)
	must(t, e.Commit(t.Context(), 5, some(1)))
	want := content(t, e)
	for _, number := range []uint64{5, 4, 1} { // made, or before one that was made
		must(t, e.Commit(t.Context(), number, some(1)))
	}
	if got := content(t, e); got != want || e.Committed() != 5 {
		t.Errorf("after the same commit again:\n%s\nwant\n%s", got, want)
	}
	must(t, e.Close())
	e = open(t, b)
	must(t, e.Commit(t.Context(), 5, some(1)))
	if got := content(t, e); got != want || e.Committed() != 5 {
		t.Errorf("after the same commit again, opened again:\n%s\nwant\n%s", got, want)
	}
}

// A commit with a block that cannot be taken takes none.
func commitsAllOrNone(t *testing.T, b Backend) {
	t.Helper()
	e := open(t, b)
	must(t, e.Commit(t.Context(), 1, some(1)))
	want := content(t, e)
	ragged := samples(row(day, 1, 1, 1, 1, 1))
	ragged.Columns[2] = []uint32{}
	other := samples(row(day, 1, 1, 1, 1, 1))
	other.Columns[0] = []int64{1}
	for name, wrong := range map[string]*engine.Block{
		"columns of different lengths": ragged,
		"a column of another type":     other,
		"a group 0":                    samples(row(day, 0, 1, 1, 1, 1)),
		"a series 0":                   samples(row(day, 1, 0, 1, 1, 1)),
		"a count 0":                    samples(row(day, 1, 1, 1, 1, 0)),
		"a negative period":            samples(row(day, 1, 1, 1, -1, 1)),
		"text that is not UTF-8":       block(engine.Groups, []any{uint32(1), "a\xff", "", ""}),
		"an unknown table":             {Table: &engine.Table{Name: "nonsense"}},
	} {
		if err := e.Commit(t.Context(), 2, append(some(2), wrong)); err == nil {
			t.Errorf("%s: taken", name)
		}
		if got := content(t, e); got != want || e.Committed() != 1 {
			t.Fatalf("%s: refused, but the store holds\n%s\nwant\n%s", name, got, want)
		}
	}
	commit(t, e, some(2)...)
}

// A commit that is given up is whole when it is made again.
func commitCancelled(t *testing.T, b Backend) {
	t.Helper()
	e := open(t, b)
	big := engine.NewBlock(engine.Samples, 0)
	const n = 300_000
	for i := range uint32(n) {
		big.Append(row(day+i%5000, 1+i%7, 1+i, i, 10, 1)...)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := e.Commit(ctx, 1, []*engine.Block{big}); err == nil || e.Committed() != 0 {
		t.Errorf("with a context that has ended: error %v, last commit %d", err, e.Committed())
	}
	ctx, cancel = context.WithCancel(t.Context())
	done := make(chan error)
	go func() { done <- e.Commit(ctx, 1, []*engine.Block{big}) }()
	cancel()
	if err := <-done; err != nil && !errors.Is(err, context.Canceled) { // it was made, or not
		t.Error(err)
	}
	must(t, e.Commit(t.Context(), 1, []*engine.Block{big}))
	if got, want := sum(t, e, engine.Query{Table: engine.Samples, To: math.MaxUint32}), fmt.Sprint(n, n*10); got != want {
		t.Errorf("%s, not %s", got, want)
	}
}

func emptyStore(t *testing.T, b Backend) {
	t.Helper()
	e := open(t, b)
	if e.Committed() != 0 {
		t.Errorf("the last commit is %d", e.Committed())
	}
	if got := content(t, e); got != "" {
		t.Errorf("holds %s", got)
	}
	for _, table := range []*engine.Table{engine.Samples, engine.Hourly, engine.Thinned, engine.Activity} {
		if got := sum(t, e, engine.Query{Table: table, To: math.MaxUint32, By: []string{engine.ColGroup}}); got != "" {
			t.Errorf("%s: %s", table.Name, got)
		}
		must(t, e.Drop(t.Context(), table, day))
	}
	must(t, e.Compact(t.Context(), false))
	must(t, e.Compact(t.Context(), true))
}

func emptyCommits(t *testing.T, b Backend) {
	t.Helper()
	e, err := b.Open()
	must(t, err)
	must(t, e.Commit(t.Context(), 1, nil))
	must(t, e.Commit(t.Context(), 2, []*engine.Block{engine.NewBlock(engine.Samples, 0), engine.NewBlock(engine.Groups, 0)}))
	if e.Committed() != 2 || content(t, e) != "" {
		t.Errorf("commit %d, %q", e.Committed(), content(t, e))
	}
	must(t, e.Close())
	if e = open(t, b); e.Committed() != 2 {
		t.Errorf("opened again, the last commit is %d, not 2", e.Committed())
	}
}

func dictionaryInOrder(t *testing.T, b Backend) {
	t.Helper()
	e := open(t, b)
	var want []string
	next := func(n int, keep bool) *engine.Block {
		nodes := engine.NewBlock(engine.Nodes, n)
		for i := range n {
			// No order of the values is that of the rows.
			r := []any{uint32(i) * 2654435761, uint32(len(want)) * 40503, uint32(i % 3)}
			nodes.Append(r...)
			if keep {
				want = append(want, fmt.Sprint(r...))
			}
		}
		return nodes
	}
	for _, n := range []int{1, 70_000, 3, 5000} {
		commit(t, e, next(n, true), next(n, true))
	}
	must(t, e.Compact(t.Context(), true))
	commit(t, e, next(9, true))
	// The range of minutes means nothing to a table without time.
	if got := scanned(t, e, engine.Nodes, 5, 5); !slices.Equal(got, want) {
		t.Errorf("%d rows in another order than the %d written", len(got), len(want))
	}
}

func texts(t *testing.T, b Backend) {
	t.Helper()
	e, err := b.Open()
	must(t, err)
	strange := []string{
		"", "a", "\x00", "a\x00b\x00", `'"` + "`\\", "\n\r\t\v", "';--", "%s $1 ? {x}", "\\N", "\\x41", "NULL",
		"\u00e9", "\u65e5\u672c\u8a9e", "\U0001F525", "\uFEFFx", "\uFFFD", "exactly12byt", "thirteenbytes", strings.Repeat("x", 1<<20), strings.Repeat("\x00\u65e5", 1<<18),
	}
	documents := engine.NewBlock(engine.Documents, 0)
	for i, s := range strange {
		documents.Append(s, strange[len(strange)-1-i], s, int64(i))
	}
	commit(t, e, documents)
	must(t, e.Close())
	e = open(t, b)
	i := 0
	must(t, e.Scan(t.Context(), engine.Documents, 0, 0, func(b *engine.Block) error {
		for r := range b.Len() {
			if k, d := b.Texts("kind")[r], b.Texts("doc_key")[r]; k != strange[i] || d != strange[len(strange)-1-i] {
				t.Errorf("row %d is %.60q, %.60q, not %.60q, %.60q", i, k, d, strange[i], strange[len(strange)-1-i])
			}
			i++
		}
		return nil
	}))
	if i != len(strange) {
		t.Errorf("%d rows, not %d", i, len(strange))
	}
}

func extremes(t *testing.T, b Backend) {
	t.Helper()
	e := open(t, b)
	const u32, i64 = uint32(math.MaxUint32), int64(math.MaxInt64)
	commit(
		t, e,
		block(engine.Locations, []any{u32, u32, uint64(math.MaxUint64), uint8(255), u32, u32}, []any{uint32(0), uint32(0), uint64(0), uint8(0), uint32(0), uint32(0)}, []any{uint32(1), uint32(1), uint64(1 << 53), uint8(1), uint32(1), uint32(1)}, []any{uint32(1), uint32(1), uint64(1<<53 + 1), uint8(1), uint32(1), uint32(1)}),
		block(engine.Documents, []any{"", "", "", int64(math.MinInt64)}, []any{"", "", "", i64}),
		samples(row(0, 1, 1, 0, 0, 1), row(u32-1, u32, u32, u32, 1, u32), row(day, u32, 1, 1, 1<<53, 1), row(day, u32, 1, 1, 1, 1), row(day, 1, u32, 2, i64, 1)),
		block(engine.Thinned, []any{uint8(255), day + uint32(0), u32, u32, u32, int64(0), u32}),
	)
	for range 2 {
		if got := scanned(t, e, engine.Locations, 0, 0); strings.Join(got, ", ") != "4294967295 4294967295 18446744073709551615 255 4294967295 4294967295, 0 0 0 0 0 0, 1 1 9007199254740992 1 1 1, 1 1 9007199254740993 1 1 1" {
			t.Errorf("locations: %s", got)
		}
		if got := scanned(t, e, engine.Documents, 0, 0); strings.Join(got, ", ") != `"" "" "" -9223372036854775808, "" "" "" 9223372036854775807` {
			t.Errorf("documents: %s", got)
		}
		q := engine.Query{Table: engine.Samples, To: math.MaxUint32, By: []string{engine.ColStack}}
		if got, want := sum(t, e, q), "0 1 0\n1 2 9007199254740993\n2 1 9223372036854775807\n4294967295 4294967295 4294967295"; got != want {
			t.Errorf("by stack:\n%s\nwant\n%s", got, want)
		}
		q.By, q.Step, q.Groups = []string{engine.ColMinute}, 1<<31, []uint32{u32}
		if got, want := sum(t, e, q), "0 2 9007199254740993\n2147483648 4294967295 4294967295"; got != want {
			t.Errorf("by 2^31 minutes:\n%s\nwant\n%s", got, want)
		}
		if got := sum(t, e, engine.Query{Table: engine.Thinned, To: math.MaxUint32, Level: 255}); got != "4294967295 0" {
			t.Errorf("thinned: %s", got)
		}
		must(t, e.Compact(t.Context(), true))
	}
	if got := merged(t, e, engine.Samples); len(got) != 5 {
		t.Errorf("%d rows, not 5: %s", len(got), got)
	}
}

// Rows of which the counts do not fit one row are more of them.
func countsBeyond32Bits(t *testing.T, b Backend) {
	t.Helper()
	e := open(t, b)
	const most = math.MaxUint32
	for range 3 {
		commit(t, e, samples(row(day, 1, 1, 1, 2, most), row(day, 1, 1, 2, 2, 1)))
	}
	for range 2 {
		if got, want := sum(t, e, engine.Query{Table: engine.Samples, To: math.MaxUint32}), fmt.Sprint(3*most+3, 2*(3*most+3)); got != want {
			t.Errorf("%s, not %s", got, want)
		}
		if got, want := strings.Join(merged(t, e, engine.Samples), ","), fmt.Sprintf("samples %d 1 1 1 2 %d,samples %[1]d 1 1 2 2 3", day, 3*most); got != want {
			t.Errorf("%s, not %s", got, want)
		}
		must(t, e.Compact(t.Context(), true))
	}
}

// A sum beyond 64 bits is an error, and others are not hurt by it.
func overflow(t *testing.T, b Backend) {
	t.Helper()
	e := open(t, b)
	commit(t, e, samples(row(day, 1, 1, 1, math.MaxInt64, 1), row(day, 1, 1, 1, 1, 1), row(day, 2, 1, 2, math.MaxInt64, 2), row(day, 3, 1, 3, 1<<40, 1<<20)))
	for range 2 {
		for group, want := range []string{0: "", 1: engine.ErrOverflow.Error(), 2: engine.ErrOverflow.Error(), 3: "1048576 1152921504606846976"} {
			q := engine.Query{Table: engine.Samples, To: math.MaxUint32, Groups: []uint32{uint32(group)}}
			if got := sum(t, e, q); got != want {
				t.Errorf("group %d: %s, not %s", group, got, want)
			}
		}
		must(t, e.Compact(t.Context(), true))
	}
}

func longLists(t *testing.T, b Backend) {
	t.Helper()
	e := open(t, b)
	rows := engine.NewBlock(engine.Samples, 0)
	var series, groups []uint32
	var count, value int64
	for i := range uint32(20_000) {
		rows.Append(row(day+i%1440, 1+i%3000, 1+i*7, i%10, int64(i), 1)...)
		if i%4 == 1 {
			series = append(series, 1+i*7)
		}
		if i%4 == 1 && (1+i%3000)%2 == 0 {
			count, value = count+1, value+int64(i)
		}
	}
	for g := uint32(2); g < 9000; g += 2 {
		groups = append(groups, g)
	}
	commit(t, e, rows)
	for range 2 {
		q := engine.Query{Table: engine.Samples, To: math.MaxUint32, Series: series, Groups: groups}
		if got, want := sum(t, e, q), fmt.Sprint(count, value); got != want {
			t.Errorf("%d series and %d groups: %s, not %s", len(series), len(groups), got, want)
		}
		must(t, e.Compact(t.Context(), true))
	}
}
