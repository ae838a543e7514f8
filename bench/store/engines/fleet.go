//go:build cgo

package main

import (
	"math"
	"math/rand/v2"

	"whyhot/internal/store/engine"
)

// The fleet: what store.md of the issue calls its shape.
const (
	groups     = 30
	hosts      = 2000
	containers = 4 // of a host, each a series
	allSeries  = hosts * containers
	allStacks  = 200_000
	days       = 7
	firstDay   = 20_773
	period     = 10_101_010
	deepest    = 8 // level of the ladder
)

const minutesOfAll = days * engine.MinutesPerDay

// fleet makes rows in the order of time, with a daily cycle, and of each group's
// stacks few often and most seldom (Zipf).
type fleet struct {
	random *rand.Rand
	ranks  [1 << 16]uint32   // of stacks within a group
	stacks [allStacks]uint32 // as they were numbered: groups meet
	until  []int             // rows up to the end of each minute
	hourly map[uint64]uint32 // group and stack, of the hour and commit
	active map[uint32]uint32 // series
	groups [allSeries]uint32 // of series
	row    int
	minute int
}

func newFleet(rows int) *fleet {
	f := &fleet{random: rand.New(rand.NewPCG(1, 2)), //nolint:gosec // the same rows each time
		hourly: map[uint64]uint32{}, active: map[uint32]uint32{}}
	for i, s := range f.random.Perm(allStacks) {
		f.stacks[i] = uint32(s) + 1
	}
	const each = allStacks / groups
	weights, total := make([]float64, each), 0.0
	for i := range weights {
		weights[i] = 1 / math.Pow(float64(i+3), 1.1)
		total += weights[i]
	}
	rank, sum := 0, weights[0]
	for i := range f.ranks {
		for sum < (float64(i)+0.5)/float64(len(f.ranks))*total && rank < each-1 {
			rank++
			sum += weights[rank]
		}
		f.ranks[i] = uint32(rank)
	}
	for i := range f.groups {
		f.groups[i] = uint32(i%groups) + 1
	}
	load, all := make([]float64, minutesOfAll), 0.0
	for m := range load {
		load[m] = 1 + 0.6*math.Sin(2*math.Pi*float64(m)/engine.MinutesPerDay)
		all += load[m]
	}
	sum = 0
	for _, l := range load {
		sum += l
		f.until = append(f.until, int(sum/all*float64(rows)))
	}
	return f
}

// commit makes the next rows: at most n of Samples with what follows from them, never
// of two hours.
func (f *fleet) commit(n int) []*engine.Block {
	samples, thinned := engine.NewBlock(engine.Samples, n), engine.NewBlock(engine.Thinned, n/8)
	minute, group, series, stack := make([]uint32, 0, n), make([]uint32, 0, n), make([]uint32, 0, n), make([]uint32, 0, n)
	periods, counts := make([]int64, 0, n), make([]uint32, 0, n)
	clear(f.hourly)
	clear(f.active)
	hour := -1
	for len(minute) < n && f.minute < minutesOfAll {
		if f.row >= f.until[f.minute] {
			f.minute++
			continue
		}
		if hour < 0 {
			hour = f.minute / 60
		}
		if f.minute/60 != hour {
			break
		}
		f.row++
		r := f.random.Uint64()
		at := uint32(firstDay*engine.MinutesPerDay + f.minute)
		s := uint32(r>>48) % allSeries
		g := f.groups[s]
		st := f.stacks[(g-1)*(allStacks/groups)+f.tail(uint16(r), uint32(r>>16))]
		count := uint32(1)
		if r>>32&3 == 0 {
			count = 1 + uint32(r>>34&1) + uint32(r>>35&1)
		}
		minute, group, series, stack = append(minute, at), append(group, g), append(series, s+1), append(stack, st)
		periods, counts = append(periods, period), append(counts, count)
		f.hourly[uint64(g)<<32|uint64(st)] += count
		f.active[s+1] += count
		for level, p := uint8(2), r>>40%25; p == 0 && level <= deepest; level++ {
			thinned.Append(level, at, g, s+1, st, int64(period), uint32(1))
			p = f.random.Uint64() % 5
			if p != 0 {
				break
			}
		}
	}
	samples.Columns = []any{minute, group, series, stack, periods, counts}
	if len(minute) == 0 {
		return nil
	}
	from := uint32(firstDay*engine.MinutesPerDay + hour*60)
	hourly, activity := engine.NewBlock(engine.Hourly, len(f.hourly)), engine.NewBlock(engine.Activity, len(f.active))
	for k, c := range f.hourly {
		hourly.Append(from, uint32(k>>32), uint32(k), int64(period), c)
	}
	for s, c := range f.active {
		activity.Append(from, f.groups[s-1], s, int64(period), c)
	}
	return []*engine.Block{samples, hourly, thinned, activity}
}

// tail is a stack's rank; among the rarest, which share a place in the table, by
// chance.
func (f *fleet) tail(r uint16, more uint32) uint32 {
	rank := f.ranks[r]
	if int(r)+1 < len(f.ranks) && f.ranks[r+1] > rank+1 {
		return rank + more%(f.ranks[r+1]-rank)
	}
	return rank
}
