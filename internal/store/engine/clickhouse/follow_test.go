package clickhouse_test

import (
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"whyhot/internal/store/engine"
	"whyhot/internal/store/engine/clickhouse"
)

// words is what a commit adds to the dictionary: functions, and stacks of one frame each.
func words(first, n uint32) []*engine.Block {
	functions, locations := engine.NewBlock(engine.Functions, 0), engine.NewBlock(engine.Locations, 0)
	resolved, nodes := engine.NewBlock(engine.Resolved, 0), engine.NewBlock(engine.Nodes, 0)
	stacks, samples := engine.NewBlock(engine.Stacks, 0), engine.NewBlock(engine.Samples, 0)
	for id := first; id < first+n; id++ {
		functions.Append(id, fmt.Sprint("f", id), "", "", uint32(0), uint32(0), uint8(0))
		locations.Append(id, uint32(0), uint64(id), uint8(0), uint32(0), uint32(0))
		resolved.Append(id, first, uint32(0), id, uint32(7))
		nodes.Append(id, uint32(0), id)
		stacks.Append(id, id)
		samples.Append(uint32(1000), uint32(1), uint32(1), id, int64(10), uint32(1))
	}
	return []*engine.Block{functions, locations, resolved, nodes, stacks, samples}
}

// collected are the first column of the rows that were added, by table, in their order.
type collected map[string][]uint32

func (c collected) take(b *engine.Block) error {
	column := "id"
	if b.Table == engine.Resolved {
		column = "location"
	}
	if b.Table == engine.Documents {
		return nil
	}
	c[b.Table.Name] = append(c[b.Table.Name], b.Uint32s(column)...)
	return nil
}

func (c collected) want(t *testing.T, n uint32, tables ...*engine.Table) {
	t.Helper()
	var want []uint32
	for id := uint32(1); id <= n; id++ {
		want = append(want, id)
	}
	for _, table := range tables {
		if got := c[table.Name]; !slices.Equal(got, want) {
			t.Errorf("%s: %d rows, want %d: not each row once and in order", table.Name, len(got), n)
		}
	}
}

// who reads a database of before there is one is told that it is away.
func TestReaderOfNothing(t *testing.T) {
	o := shared(t, database(t))
	if _, err := clickhouse.OpenReader(t.Context(), o); !errors.Is(err, engine.ErrAway) {
		t.Error(err)
	}
}

// A reader gets each row once, commit by commit, while another process writes, and as much of
// a commit that was not finished as its sums refer to.
func TestReaderFollowsCommits(t *testing.T) {
	name := database(t)
	dropAtEnd(t, name)
	o := shared(t, name)
	e := opened(t, o)
	r, err := clickhouse.OpenReader(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	tables := []*engine.Table{engine.Functions, engine.Locations, engine.Nodes, engine.Stacks, engine.Resolved}
	got, mark := collected{}, engine.Mark{}
	for n := range uint32(4) {
		if err := e.Commit(t.Context(), uint64(n+1), words(100*n+1, 100)); err != nil {
			t.Fatal(err)
		}
		for range 2 { // the second time there is nothing
			if mark, err = r.Added(t.Context(), mark, got.take); err != nil {
				t.Fatal(err)
			}
		}
		got.want(t, 100*(n+1), tables...)
		if mark.Commit != uint64(n+1) {
			t.Errorf("the mark is at commit %d", mark.Commit)
		}
	}
	// One that was begun, as by a process that was killed before it said that it is whole.
	if err := e.Commit(t.Context(), 5, words(401, 100)); err != nil {
		t.Fatal(err)
	}
	run(t, shards[0], fmt.Sprintf("DROP TABLE %s.store_commits", name))
	run(t, shards[0], fmt.Sprintf("CREATE TABLE %s.store_commits (number UInt64) ENGINE = MergeTree ORDER BY number", name))
	run(t, shards[0], fmt.Sprintf("INSERT INTO %s.store_commits SELECT 4", name))
	if mark, err = r.Added(t.Context(), mark, got.take); err != nil {
		t.Fatal(err)
	}
	got.want(t, 500, tables[:4]...)
	got.want(t, 400, engine.Resolved)
	run(t, shards[0], fmt.Sprintf("INSERT INTO %s.store_commits SELECT 5", name))
	if mark, err = r.Added(t.Context(), mark, got.take); err != nil {
		t.Fatal(err)
	}
	got.want(t, 500, tables...)
	if sums, err := r.Sum(t.Context(), engine.Query{Table: engine.Samples, To: 2000, By: []string{engine.ColStack}}); err != nil || sums.Len() != 500 {
		t.Errorf("%v, %v", sums, err)
	}
	// A dictionary in the place of it.
	var fresh []*engine.Block
	for _, b := range words(1, 50) {
		if !b.Table.Timed {
			fresh = append(fresh, b)
		}
	}
	if err := e.Replace(t.Context(), fresh); err != nil {
		t.Fatal(err)
	}
	if _, err = r.Added(t.Context(), mark, got.take); !errors.Is(err, engine.ErrRewritten) {
		t.Errorf("a dictionary that was rewritten: %v", err)
	}
	got = collected{}
	if mark, err = r.Added(t.Context(), engine.Mark{}, got.take); err != nil {
		t.Fatal(err)
	}
	got.want(t, 50, tables...)
	if err := e.Commit(t.Context(), 6, words(51, 10)); err != nil {
		t.Fatal(err)
	}
	// Whoever has the database reads on from the mark of a reader.
	if _, err = e.Added(t.Context(), mark, got.take); err != nil {
		t.Fatal(err)
	}
	got.want(t, 60, tables...)
}

// Rows that are read while a process writes refer to nothing that is not there yet.
func TestReaderBesideAWriter(t *testing.T) {
	name := database(t)
	dropAtEnd(t, name)
	o := shared(t, name)
	e := opened(t, o)
	r, err := clickhouse.OpenReader(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	const commits, each = 30, 20
	ended := make(chan error, 1)
	go func() {
		var err error
		for n := uint32(0); n < commits && err == nil; n++ {
			err = e.Commit(t.Context(), uint64(n+1), words(each*n+1, each))
		}
		ended <- err
	}()
	got, mark, writing := collected{}, engine.Mark{}, true
	for end := time.Now().Add(time.Minute); writing || len(got[engine.Resolved.Name]) < commits*each; {
		if time.Now().After(end) {
			t.Fatal("not all of it comes")
		}
		select {
		case err := <-ended:
			if err != nil {
				t.Fatal(err)
			}
			writing = false
		default:
		}
		if mark, err = r.Added(t.Context(), mark, got.take); err != nil {
			t.Fatal(err)
		}
		rows := func(t *engine.Table) int { return len(got[t.Name]) }
		if rows(engine.Stacks) > rows(engine.Nodes) || rows(engine.Nodes) > rows(engine.Locations) || rows(engine.Locations) > rows(engine.Functions) {
			t.Fatalf("%d functions, %d locations, %d nodes, %d stacks", rows(engine.Functions), rows(engine.Locations), rows(engine.Nodes), rows(engine.Stacks))
		}
	}
	got.want(t, commits*each, engine.Functions, engine.Locations, engine.Resolved, engine.Nodes, engine.Stacks)
}
