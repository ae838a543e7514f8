// Package enginetest holds what every engine of the store must do, as tests.
//
// It owns the conformance suite: Run puts an engine through it. What an engine cannot
// be brought to do in a test (be damaged, be newer) is left out where its Backend
// gives no way. It must never know one engine from another.
package enginetest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"whyhot/internal/store/engine"
)

// Backend is a place where an engine keeps one project, empty at first.
type Backend struct {
	// Open opens it; it was closed, or never opened, before.
	Open func() (engine.Engine, error)
	// Newer makes a version of the schema out of it that does not exist yet, Damage
	// spoils it. It is closed. Nil where that cannot be done.
	Newer, Damage func(t *testing.T)
	// Shared says that one can open it while another one has it.
	Shared bool
	// Piecemeal says that a reader can see a part of a commit that is under way.
	Piecemeal bool
}

// Run tests an engine. The function makes a place of its own for each test.
func Run(t *testing.T, place func(t *testing.T) Backend) {
	for _, c := range []struct {
		name string
		test func(t *testing.T, b Backend)
	}{
		{"Golden", golden},
		{"OpenedAgain", openedAgain},
		{"CommitsOnce", commitsOnce},
		{"CommitsAllOrNone", commitsAllOrNone},
		{"CommitWithCancelledContext", commitCancelled},
		{"EmptyStore", emptyStore},
		{"EmptyCommits", emptyCommits},
		{"DictionaryInOrder", dictionaryInOrder},
		{"DictionaryReplaced", dictionaryReplaced},
		{"CountsAlone", countsAlone},
		{"Texts", texts},
		{"Extremes", extremes},
		{"CountsBeyond32Bits", countsBeyond32Bits},
		{"Overflow", overflow},
		{"LongLists", longLists},
		{"WrongQueries", wrongQueries},
		{"ScanOfMinutes", scanOfMinutes},
		{"ScanEnds", scanEnds},
		{"Drop", drop},
		{"Compact", compact},
		{"SumsStayDuringCompact", sumsStay},
		{"WholeCommitsAreSeen", wholeCommits},
		{"SumIsCancelled", sumCancelled},
		{"Stats", stats},
		{"Newer", newer},
		{"Damaged", damaged},
		{"InUse", inUse},
		{"AsInMemory", asInMemory},
	} {
		t.Run(c.name, func(t *testing.T) { c.test(t, place(t)) })
	}
}

// Open opens a backend and closes it when the test ends.
func open(t *testing.T, b Backend) engine.Engine {
	t.Helper()
	e, err := b.Open()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { must(t, e.Close()) })
	return e
}

// tester is a test, or a check of one of its properties.
type tester interface {
	Helper()
	Context() context.Context
	Fatal(args ...any)
}

func must(t tester, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// commit makes the next commit.
func commit(t *testing.T, e engine.Engine, blocks ...*engine.Block) {
	t.Helper()
	must(t, e.Commit(t.Context(), e.Committed()+1, blocks))
}

// block makes one of rows.
func block(table *engine.Table, rows ...[]any) *engine.Block {
	b := engine.NewBlock(table, len(rows))
	for _, r := range rows {
		b.Append(r...)
	}
	return b
}

// row is one of Samples.
func row(minute, group, series, stack uint32, period int64, count uint32) []any {
	return []any{minute, group, series, stack, period, count}
}

func samples(rows ...[]any) *engine.Block { return block(engine.Samples, rows...) }

// scanned are the rows of a table as text, one each.
func scanned(t *testing.T, e engine.Engine, table *engine.Table, from, to uint32) []string {
	t.Helper()
	var out []string
	must(t, e.Scan(t.Context(), table, from, to, func(b *engine.Block) error {
		if b.Table != table || b.Len() == 0 {
			t.Errorf("Scan of %s gives a block of %s with %d rows", table.Name, b.Table.Name, b.Len())
		}
		for i := range b.Len() {
			out = append(out, rowText(b, i))
		}
		return nil
	}))
	return out
}

func rowText(b *engine.Block, i int) string {
	var cells []string
	for _, column := range b.Columns {
		switch c := column.(type) {
		case []uint8:
			cells = append(cells, strconv.FormatUint(uint64(c[i]), 10))
		case []uint32:
			cells = append(cells, strconv.FormatUint(uint64(c[i]), 10))
		case []uint64:
			cells = append(cells, strconv.FormatUint(c[i], 10))
		case []int64:
			cells = append(cells, strconv.FormatInt(c[i], 10))
		case []string:
			cells = append(cells, strconv.Quote(c[i]))
		}
	}
	return strings.Join(cells, " ")
}

// Text is an answer, sorted: a line for each row, its keys, count and value.
func Text(s *engine.Sums) string {
	lines := make([]string, s.Len())
	for i := range lines {
		var b strings.Builder
		for _, keys := range s.Keys {
			fmt.Fprintf(&b, "%d ", keys[i])
		}
		fmt.Fprintf(&b, "%d %d", s.Counts[i], s.Values[i])
		lines[i] = b.String()
	}
	slices.Sort(lines)
	return strings.Join(lines, "\n")
}

// sum is the text of an answer, or of its error where it is one that engines share.
func sum(t tester, e engine.Engine, q engine.Query) string {
	t.Helper()
	s, err := e.Sum(t.Context(), q)
	if errors.Is(err, engine.ErrOverflow) {
		return engine.ErrOverflow.Error()
	}
	must(t, err)
	if len(s.Keys) != len(q.By) || len(s.Values) != s.Len() {
		t.Fatal(fmt.Sprintf("%d keys, %d values of %d rows", len(s.Keys), len(s.Values), s.Len()))
	}
	return Text(s)
}
