package store

import (
	"math"
	"math/rand/v2"

	"whyhot/internal/store/dict"
	"whyhot/internal/store/engine"
)

// The ladder. A level keeps an event of the one below with probability 1/ladderBase;
// level 1 would save too little, and is not kept.
const (
	ladderBase  = 5
	firstLevel  = 2
	lastLevel   = 8
	minutesHour = 60
)

// derive makes the rows of all tables with time from those of a commit. The commit's
// number is the seed of what is drawn: made again after a crash, they are the same.
func derive(rows []dict.Row, commit uint64, out dict.Blocks) {
	if len(rows) == 0 {
		return
	}
	samples(rows, out)
	hourly(rows, out)
	activity(rows, out)
	thinned(rows, commit, out)
}

func samples(rows []dict.Row, out dict.Blocks) {
	n := len(rows)
	minutes, groups, series, stacks := make([]uint32, n), make([]uint32, n), make([]uint32, n), make([]uint32, n)
	periods, counts := make([]int64, n), make([]uint32, n)
	for i := range rows {
		r := &rows[i]
		minutes[i], groups[i], series[i], stacks[i], periods[i], counts[i] = r.Minute, r.Group, r.Series, r.Stack, r.Period, r.Count
	}
	out[engine.Samples] = &engine.Block{Table: engine.Samples, Columns: []any{minutes, groups, series, stacks, periods, counts}}
}

type sumKey struct {
	minute, group, other uint32
	period               int64
}

// hourly adds up by the hour, without series.
func hourly(rows []dict.Row, out dict.Blocks) {
	b := summed(rows, engine.Hourly, func(r *dict.Row) uint32 { return r.Stack })
	out[engine.Hourly] = b
}

// activity adds up by the hour, without stacks.
func activity(rows []dict.Row, out dict.Blocks) {
	out[engine.Activity] = summed(rows, engine.Activity, func(r *dict.Row) uint32 { return r.Series })
}

// summed adds rows up by hour, group, one more column, and period. A count that is full
// goes on in another row.
func summed(rows []dict.Row, t *engine.Table, other func(*dict.Row) uint32) *engine.Block {
	at := make(map[sumKey]int, len(rows)/2)
	var keys []sumKey
	var counts []uint32
	for i := range rows {
		r := &rows[i]
		k := sumKey{r.Minute - r.Minute%minutesHour, r.Group, other(r), r.Period}
		j, ok := at[k]
		if !ok || counts[j] > math.MaxUint32-r.Count {
			j = len(keys)
			at[k] = j
			keys, counts = append(keys, k), append(counts, 0)
		}
		counts[j] += r.Count
	}
	n := len(keys)
	minutes, groups, others, periods := make([]uint32, n), make([]uint32, n), make([]uint32, n), make([]int64, n)
	for i, k := range keys {
		minutes[i], groups[i], others[i], periods[i] = k.minute, k.group, k.other, k.period
	}
	return &engine.Block{Table: t, Columns: []any{minutes, groups, others, periods, counts}}
}

// thinned draws the levels of the ladder, each from the one below.
func thinned(rows []dict.Row, commit uint64, out dict.Blocks) {
	random := rand.New(rand.NewPCG(commit, 0x77686f74)) //nolint:gosec // a draw for an estimate: nobody gains by foreseeing it
	b := engine.NewBlock(engine.Thinned, len(rows)/15)
	first := math.Pow(ladderBase, -firstLevel)
	for i := range rows {
		r := &rows[i]
		left := binomial(random, r.Count, first)
		for level := firstLevel; left > 0; level++ {
			b.Append(uint8(level), r.Minute, r.Group, r.Series, r.Stack, r.Period, left)
			if level == lastLevel {
				break
			}
			left = binomial(random, left, 1.0/ladderBase)
		}
	}
	if b.Len() > 0 {
		out[engine.Thinned] = b
	}
}

// binomial draws how many of n events are kept. It goes from one kept event to the next
// by geometric steps (Devroye, Non-Uniform Random Variate Generation, 1986, X.4), which
// takes time in proportion to what is kept.
func binomial(random *rand.Rand, n uint32, p float64) (kept uint32) {
	scale := math.Log1p(-p)
	for at := uint64(0); ; kept++ {
		at += 1 + uint64(math.Min(math.Log(1-random.Float64())/scale, math.MaxUint32+1))
		if at > uint64(n) {
			return kept
		}
	}
}
