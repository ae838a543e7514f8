package enginetest

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"whyhot/internal/store/engine"
)

// Other rows take the place of all that tables without time have; rows with time stay, later
// commits come after, and it can be done again. What cannot be taken changes nothing.
func dictionaryReplaced(t *testing.T, b Backend) {
	t.Helper()
	e, err := b.Open()
	must(t, err)
	nodes := func(from, n uint32) *engine.Block {
		out := engine.NewBlock(engine.Nodes, int(n))
		for i := range n {
			out.Append(from+i, 7*i, from)
		}
		return out
	}
	document := func(key string) *engine.Block { return block(engine.Documents, []any{"k", key, "{}", int64(1)}) }
	has := func(when string, documents string, want ...*engine.Block) {
		t.Helper()
		var rows []string
		for _, b := range want {
			for i := range b.Len() {
				rows = append(rows, fmt.Sprint(b.Uint32s("id")[i], b.Uint32s("parent")[i], b.Uint32s("location")[i]))
			}
		}
		if got := scanned(t, e, engine.Nodes, 0, 0); !slices.Equal(got, rows) {
			t.Errorf("%s: %d nodes, not the %d expected: %.100s", when, len(got), len(rows), fmt.Sprint(got))
		}
		if got := strings.Join(scanned(t, e, engine.Documents, 0, 0), ","); got != documents {
			t.Errorf("%s: documents %s, not %s", when, got, documents)
		}
		if got := sum(t, e, engine.Query{Table: engine.Samples, To: math.MaxUint32}); got != "3 30" {
			t.Errorf("%s: samples %s", when, got)
		}
	}
	const a, z = `"k" "a" "{}" 1`, `"k" "z" "{}" 1`
	commit(t, e, nodes(1, 5), document("a"), samples(row(day, 1, 1, 1, 10, 3)))
	for name, wrong := range map[string]*engine.Block{
		"rows with time":         samples(row(day, 1, 1, 1, 1, 1)),
		"text that is not UTF-8": block(engine.Groups, []any{uint32(1), "a\xff", "", ""}),
	} {
		if err := e.Replace(t.Context(), []*engine.Block{nodes(900, 3), wrong}); err == nil {
			t.Errorf("%s: taken", name)
		}
		has("after "+name, a, nodes(1, 5))
	}
	must(t, e.Replace(t.Context(), []*engine.Block{nodes(100, 70_000), document("z")}))
	has("replaced", z, nodes(100, 70_000))
	commit(t, e, nodes(3, 4))
	has("after a commit", z, nodes(100, 70_000), nodes(3, 4))
	committed := e.Committed()
	must(t, e.Close())
	e, err = b.Open()
	must(t, err)
	if e.Committed() != committed {
		t.Errorf("opened again the last commit is %d, not %d", e.Committed(), committed)
	}
	has("opened again", z, nodes(100, 70_000), nodes(3, 4))
	must(t, e.Replace(t.Context(), []*engine.Block{nodes(8, 2)}))
	must(t, e.Compact(t.Context(), true))
	has("replaced again", "", nodes(8, 2))
	commit(t, e, nodes(1, 1), document("a"))
	must(t, e.Close())
	e = open(t, b)
	has("at the end", a, nodes(8, 2), nodes(1, 1))
}

// Counts have sums where weights have none.
func countsAlone(t *testing.T, b Backend) {
	t.Helper()
	e := open(t, b)
	commit(t, e, samples(row(day, 1, 1, 7, math.MaxInt64, 3), row(day, 1, 2, 7, math.MaxInt64, 1), row(day, 2, 2, 9, 5, 2), row(day+1440, 2, 2, 8, 5, 2)))
	q := engine.Query{Table: engine.Samples, To: day + 1440, Events: true, By: []string{engine.ColStack}}
	if got, want := sum(t, e, q), "7 4 0\n9 2 0"; got != want {
		t.Errorf("by stack:\n%s\nwant\n%s", got, want)
	}
	q.By = []string{engine.ColSeries}
	if got, want := sum(t, e, q), "1 3 0\n2 3 0"; got != want {
		t.Errorf("by series:\n%s\nwant\n%s", got, want)
	}
}
