package enginetest

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"whyhot/internal/store/engine"
	"whyhot/internal/store/engine/memory"
)

// counted are the tables of which there are sums.
var (
	counted = []*engine.Table{engine.Samples, engine.Hourly, engine.Thinned, engine.Activity}
	timed   = append(slices.Clone(counted), engine.Batches)
)

// asInMemory gives an engine and the one in memory the same to do, and asks both the
// same. Each round has ten days for itself and begins with the removal of those
// before: to make a store for each would take most of the time.
func asInMemory(t *testing.T, b Backend) {
	t.Helper()
	e, err := b.Open()
	must(t, err)
	defer func() { must(t, e.Close()) }()
	oracle := memory.New()
	round := uint32(0)
	rapid.Check(t, func(r *rapid.T) {
		round++
		first := round * 10 * engine.MinutesPerDay
		for _, table := range timed {
			must(r, e.Drop(r.Context(), table, first))
			must(r, oracle.Drop(r.Context(), table, first))
		}
		r.Repeat(map[string]func(*rapid.T){
			"commit": func(r *rapid.T) {
				blocks := rapid.SliceOfN(drawBlock(first), 0, 4).Draw(r, "blocks")
				number := oracle.Committed() + rapid.Uint64Range(0, 2).Draw(r, "ahead")
				must(r, e.Commit(r.Context(), number, blocks))
				must(r, oracle.Commit(r.Context(), number, blocks))
			},
			"compact": func(r *rapid.T) { must(r, e.Compact(r.Context(), rapid.Bool().Draw(r, "all"))) },
			"drop": func(r *rapid.T) {
				table := rapid.SampledFrom(timed).Draw(r, "table")
				before := first + rapid.Uint32Range(0, 3).Draw(r, "days")*engine.MinutesPerDay
				must(r, e.Drop(r.Context(), table, before))
				must(r, oracle.Drop(r.Context(), table, before))
			},
			"open": func(r *rapid.T) {
				if rapid.IntRange(0, 4).Draw(r, "seldom") > 0 {
					return
				}
				must(r, e.Close())
				e, err = b.Open()
				must(r, err)
			},
			"sum": func(r *rapid.T) {
				q := drawQuery(first).Draw(r, "query")
				if got, want := sum(r, e, q), sum(r, oracle, q); got != want {
					r.Fatalf("%+v of %s:\n%s\nin memory\n%s", q, q.Table.Name, got, want)
				}
			},
			"": func(r *rapid.T) {
				if e.Committed() != oracle.Committed() {
					r.Fatalf("the last commit is %d, in memory %d", e.Committed(), oracle.Committed())
				}
			},
		})
		for _, table := range counted {
			q := engine.Query{Table: table, From: 0, To: math.MaxUint32, By: []string{engine.ColMinute, engine.ColGroup}}
			if table == engine.Thinned {
				q.Level = 2
			}
			if got, want := sum(r, e, q), sum(r, oracle, q); got != want {
				r.Fatalf("all of %s:\n%s\nin memory\n%s", table.Name, got, want)
			}
		}
	})
	if got, want := scanned(t, e, engine.Documents, 0, 0), scanned(t, oracle, engine.Documents, 0, 0); !slices.Equal(got, want) {
		t.Errorf("documents:\n%s\nin memory\n%s", got, want)
	}
	for _, table := range timed {
		if got, want := merged(t, e, table), merged(t, oracle, table); !slices.Equal(got, want) {
			t.Errorf("%s:\n%s\nin memory\n%s", table.Name, got, want)
		}
	}
}

// ids are few, so that rows meet, and now and then an extreme.
func ids(least uint32) *rapid.Generator[uint32] {
	return rapid.OneOf(rapid.Uint32Range(least, least+3), rapid.Uint32Range(least, least+3), rapid.SampledFrom([]uint32{least, math.MaxUint32, math.MaxInt32 + 1}))
}

func minutes(first uint32) *rapid.Generator[uint32] {
	return rapid.Custom(func(r *rapid.T) uint32 {
		return first + rapid.Uint32Range(0, 3).Draw(r, "day")*engine.MinutesPerDay + rapid.SampledFrom([]uint32{0, 1, 59, 60, 61, 720, 1439}).Draw(r, "minute")
	})
}

func drawBlock(first uint32) *rapid.Generator[*engine.Block] {
	return rapid.Custom(func(r *rapid.T) *engine.Block {
		table := rapid.SampledFrom(slices.Concat(timed, []*engine.Table{engine.Documents})).Draw(r, "table")
		b := engine.NewBlock(table, 0)
		for range rapid.IntRange(0, 20).Draw(r, "rows") {
			values := make([]any, len(table.Columns))
			for i, c := range table.Columns {
				values[i] = drawValue(r, c, first)
			}
			b.Append(values...)
		}
		return b
	})
}

func drawValue(r *rapid.T, c engine.Column, first uint32) any {
	switch c.Name {
	case engine.ColMinute:
		return minutes(first).Draw(r, c.Name)
	case engine.ColGroup, engine.ColSeries:
		return ids(1).Draw(r, c.Name)
	case engine.ColStack:
		return ids(0).Draw(r, c.Name)
	case engine.ColLevel:
		return rapid.Uint8Range(2, 4).Draw(r, c.Name)
	case engine.ColCount:
		return rapid.OneOf(rapid.Uint32Range(1, 9), rapid.Uint32Range(1, 9), rapid.SampledFrom([]uint32{math.MaxUint32, 1 << 31})).Draw(r, c.Name)
	case engine.ColPeriod:
		return rapid.SampledFrom([]int64{0, 1, 10_101_010, 10_101_010, 1<<53 + 1, 1 << 61}).Draw(r, c.Name)
	}
	switch c.Type { //nolint:exhaustive // the others are drawn by name
	case engine.Text:
		return rapid.String().Draw(r, c.Name)
	case engine.Int64:
		return rapid.Int64().Draw(r, c.Name)
	case engine.Uint64:
		return rapid.Uint64().Draw(r, c.Name)
	}
	panic("nothing draws " + c.Name)
}

func drawQuery(first uint32) *rapid.Generator[engine.Query] {
	return rapid.Custom(func(r *rapid.T) engine.Query {
		q := engine.Query{Table: rapid.SampledFrom(counted).Draw(r, "table"), To: math.MaxUint32}
		if rapid.Bool().Draw(r, "range") {
			q.From, q.To = minutes(first).Draw(r, "from"), minutes(first).Draw(r, "to")
		}
		if q.Table == engine.Thinned {
			q.Level = rapid.Uint32Range(1, 4).Draw(r, "level")
		}
		list := func(name string) []uint32 {
			ids := rapid.SliceOfN(ids(1), 0, 5).Draw(r, name)
			slices.Sort(ids)
			return slices.Compact(ids)
		}
		if rapid.IntRange(0, 2).Draw(r, "some groups") == 0 {
			q.Groups = list("groups")
		}
		var keys []string
		for _, c := range q.Table.Columns {
			switch c.Name {
			case engine.ColSeries:
				if rapid.IntRange(0, 2).Draw(r, "some series") == 0 {
					q.Series = list("series")
				}
				keys = append(keys, c.Name)
			case engine.ColMinute, engine.ColGroup, engine.ColStack:
				keys = append(keys, c.Name)
			}
		}
		q.By = rapid.SliceOfNDistinct(rapid.SampledFrom(keys), 0, len(keys), rapid.ID[string]).Draw(r, "by")
		q.Step = rapid.SampledFrom([]uint32{0, 1, 7, 60, 1440}).Draw(r, "step")
		return q
	})
}
