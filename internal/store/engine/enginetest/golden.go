package enginetest

import (
	"fmt"
	"math"
	"testing"

	"whyhot/internal/store/engine"
)

// day is the first minute of 2026-11-22, hour one after it.
const (
	day  = 20779 * engine.MinutesPerDay
	hour = day + 60
)

// Case is a question with its answer.
type Case struct {
	Name  string
	Query engine.Query
	// Want has a line for each row, sorted: keys, count, value.
	Want string
}

// Golden are commits with questions about them, worked out by hand.
//
//nolint:funlen,maintidx // a table
func Golden() ([][]*engine.Block, []Case) {
	const ms10 = 10_000_000
	commits := [][]*engine.Block{
		{samples(
			row(day-1, 1, 1, 100, ms10, 7), // the day before
			row(day, 1, 1, 100, ms10, 2),
			row(day, 1, 2, 100, ms10, 3),
			row(hour, 1, 1, 101, ms10, 5),
			row(hour, 2, 3, 100, 1, 11),
		), block(engine.Hourly,
			[]any{uint32(day), uint32(1), uint32(100), int64(ms10), uint32(5)},
			[]any{uint32(hour), uint32(1), uint32(101), int64(ms10), uint32(5)},
		), block(engine.Thinned,
			[]any{uint8(2), uint32(day), uint32(1), uint32(1), uint32(100), int64(ms10), uint32(4)},
			[]any{uint8(3), uint32(day), uint32(1), uint32(1), uint32(100), int64(ms10), uint32(1)},
		), block(engine.Activity,
			[]any{uint32(day), uint32(1), uint32(1), int64(ms10), uint32(2)},
			[]any{uint32(day), uint32(1), uint32(2), int64(ms10), uint32(3)},
		)},
		{samples(
			row(day, 1, 1, 100, ms10, 20),                         // more of a row of before
			row(day, 1, 1, 100, 1, 1),                             // another period
			row(day, 1, 1, 0, ms10, 1),                            // no stack
			row(day+engine.MinutesPerDay, 2, 3, 100, 0, 9),        // the day after, without weight
			row(hour+59, math.MaxUint32, math.MaxUint32, 5, 1, 1), // extremes
		)},
	}
	all := func(t *engine.Table, by ...string) engine.Query {
		return engine.Query{Table: t, From: 0, To: math.MaxUint32, By: by}
	}
	with := func(q engine.Query, change func(q *engine.Query)) engine.Query {
		change(&q)
		return q
	}
	today := func(q *engine.Query) { q.From, q.To = day, day+engine.MinutesPerDay }
	return commits, []Case{
		{"no key", all(engine.Samples), "60 380000013"},
		{"by stack", all(engine.Samples, engine.ColStack), "0 1 10000000\n100 53 320000012\n101 5 50000000\n5 1 1"},
		{"by stack, today", with(all(engine.Samples, engine.ColStack), today), "0 1 10000000\n100 37 250000012\n101 5 50000000\n5 1 1"},
		{"to ends before its minute", with(all(engine.Samples), func(q *engine.Query) { q.From, q.To = day, hour }), "27 260000001"},
		{"from is its minute", with(all(engine.Samples), func(q *engine.Query) { q.From, q.To = hour, hour+1 }), "16 50000011"},
		{"nothing in the range", with(all(engine.Samples, engine.ColStack), func(q *engine.Query) { q.From, q.To = day+1, hour }), ""},
		{"no key, nothing in the range", with(all(engine.Samples), func(q *engine.Query) { q.From, q.To = day+1, hour }), ""},
		{"an empty range", with(all(engine.Samples), func(q *engine.Query) { q.From, q.To = hour, hour }), ""},
		{"a range the wrong way round", with(all(engine.Samples), func(q *engine.Query) { q.From, q.To = hour, day }), ""},
		{"by group and series", with(all(engine.Samples, engine.ColGroup, engine.ColSeries), today), fmt.Sprintf("1 1 29 280000001\n1 2 3 30000000\n2 3 11 11\n%d %[1]d 1 1", uint32(math.MaxUint32))},
		{"keys in the order asked for", with(all(engine.Samples, engine.ColSeries, engine.ColGroup), today), fmt.Sprintf("1 1 29 280000001\n2 1 3 30000000\n3 2 11 11\n%d %[1]d 1 1", uint32(math.MaxUint32))},
		{"by minute", with(all(engine.Samples, engine.ColMinute), func(q *engine.Query) { q.Groups = []uint32{1} }), fmt.Sprintf("%d 7 70000000\n%d 27 260000001\n%d 5 50000000", day-1, day, hour)},
		{"by hour", with(all(engine.Samples, engine.ColMinute), func(q *engine.Query) { q.Step = 60 }), fmt.Sprintf("%d 7 70000000\n%d 27 260000001\n%d 17 50000012\n%d 9 0", day-60, day, hour, day+engine.MinutesPerDay)},
		{"by steps of 7 minutes", with(all(engine.Samples, engine.ColMinute, engine.ColStack), func(q *engine.Query) { q.Step, q.Groups = 7, []uint32{1} }), fmt.Sprintf("%d 0 1 10000000\n%[1]d 100 33 320000001\n%d 101 5 50000000", day/7*7, hour/7*7)},
		{"a step without minutes", with(all(engine.Samples), func(q *engine.Query) { q.Step = 60 }), "60 380000013"},
		{"two groups", with(all(engine.Samples), func(q *engine.Query) { q.Groups = []uint32{1, 2} }), "59 380000012"},
		{"an unknown group", with(all(engine.Samples), func(q *engine.Query) { q.Groups = []uint32{77} }), ""},
		{"no group", with(all(engine.Samples), func(q *engine.Query) { q.Groups = []uint32{} }), ""},
		{"series", with(all(engine.Samples, engine.ColStack), func(q *engine.Query) { q.Series = []uint32{2, 3} }), "100 23 30000011"},
		{"no series", with(all(engine.Samples, engine.ColStack), func(q *engine.Query) { q.Series = []uint32{} }), ""},
		{"group and series that exclude each other", with(all(engine.Samples), func(q *engine.Query) { q.Groups, q.Series = []uint32{1}, []uint32{3} }), ""},
		{"the largest group", with(all(engine.Samples, engine.ColGroup), func(q *engine.Query) { q.Groups = []uint32{math.MaxUint32} }), fmt.Sprintf("%d 1 1", uint32(math.MaxUint32))},
		{"hourly", all(engine.Hourly, engine.ColStack), "100 5 50000000\n101 5 50000000"},
		{"hourly, the second hour", with(all(engine.Hourly, engine.ColStack), func(q *engine.Query) { q.From = day + 1 }), "101 5 50000000"},
		{"level 2", with(all(engine.Thinned, engine.ColStack), func(q *engine.Query) { q.Level = 2 }), "100 4 40000000"},
		{"level 3", with(all(engine.Thinned, engine.ColStack), func(q *engine.Query) { q.Level = 3 }), "100 1 10000000"},
		{"level 4", with(all(engine.Thinned, engine.ColStack), func(q *engine.Query) { q.Level = 4 }), ""},
		{"level 0", all(engine.Thinned), ""},
		{"activity", all(engine.Activity, engine.ColMinute, engine.ColSeries), fmt.Sprintf("%d 1 2 20000000\n%[1]d 2 3 30000000", day)},
	}
}

func golden(t *testing.T, b Backend) {
	t.Helper()
	commits, cases := Golden()
	e := open(t, b)
	for _, c := range commits {
		commit(t, e, c...)
	}
	for _, state := range []string{"as committed", "compacted"} {
		for _, c := range cases {
			if got := sum(t, e, c.Query); got != c.Want {
				t.Errorf("%s, %s:\n%s\nwant\n%s", c.Name, state, got, c.Want)
			}
		}
		must(t, e.Compact(t.Context(), true))
	}
}
