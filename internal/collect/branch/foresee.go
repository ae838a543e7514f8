package branch

import "slices"

// Outcome is one execution of one of the jumps that are followed.
type Outcome struct {
	Site  int
	Taken bool
}

// Tally is what became of one jump.
type Tally struct {
	Seen, Taken uint64
	// Of the second half of the sequence, how many executions there were and how many of them
	// the predictor got wrong.
	Judged, Missed uint64
}

// histories are how many outcomes before it a jump is told apart by. Processors use
// geometric series up to several hundred.
var histories = []int{0, 1, 2, 4, 8, 12, 16, 24, 32, 64}

// tallied counts what became of jumps. Those that close a loop, which are the last ones, are
// counted alone, and are no history for the others.
func tallied(sequence []Outcome, sites []site) []Tally {
	var others []Outcome
	closed := make([]Tally, len(sites))
	first := len(sites)
	if at := slices.IndexFunc(sites, site.closes); at >= 0 {
		first = at
	}
	for _, o := range sequence {
		if o.Site < first {
			others = append(others, o)
			continue
		}
		t := &closed[o.Site]
		t.Seen++
		if o.Taken {
			t.Taken++
		}
	}
	return append(foresee(others, first), closed[first:]...)
}

// foresee gives a sequence of outcomes to a predictor like those of processors: for each length
// of history a table of two-bit counters, of which the longest that has been here before
// decides (TAGE; Seznec and Michaud, JILP 2006), without bounds on its tables. A long history
// helps where outcomes repeat and hurts where they are random, as too few have been seen; so
// each limit of the length is tried, and a jump is given the best. What is left as missed, no
// processor foresees.
//
// Example: of jumps that are taken at random every second time half are missed with any length;
// of those that are taken in turn none are, from the length 1 on.
func foresee(sequence []Outcome, sites int) []Tally {
	out := make([]Tally, sites)
	missed := make([][]uint64, sites) // by limit
	for i := range missed {
		missed[i] = make([]uint64, len(histories))
	}
	tables := make([]map[uint64]uint8, len(histories))
	for i := range tables {
		tables[i] = map[uint64]uint8{}
	}
	past := newPast()
	half := len(sequence) / 2 //nolint:mnd // the first half is for learning
	for n, o := range sequence {
		t := &out[o.Site]
		t.Seen++
		if o.Taken {
			t.Taken++
		}
		if n >= half {
			t.Judged++
		}
		guess := false
		for i := range histories {
			key := past.key(o.Site, i)
			counter, known := tables[i][key]
			if known {
				guess = counter >= taken
			}
			if n >= half && guess != o.Taken {
				missed[o.Site][i]++
			}
			tables[i][key] = moved(counter, known, o.Taken)
		}
		past.add(o)
	}
	for i := range out {
		out[i].Missed = out[i].Judged
		for _, m := range missed[i] {
			out[i].Missed = min(out[i].Missed, m)
		}
	}
	return out
}

// Counters go from 0 to 3; from taken on they say that the jump is taken.
const (
	taken     = 2
	strongest = 3
)

func moved(counter uint8, known, up bool) uint8 {
	switch {
	case !known && up:
		return taken
	case !known:
		return taken - 1
	case up:
		return min(counter+1, strongest)
	case counter > 0:
		return counter - 1
	}
	return 0
}

// past is the history of all jumps: a hash of the last outcomes for each length.
type past struct {
	last   []uint64 // outcomes, the newest at the end
	hashes []uint64 // by length
	powers []uint64
}

const multiplier = 0x9E3779B97F4A7C15

func newPast() *past {
	p := &past{hashes: make([]uint64, len(histories)), powers: make([]uint64, len(histories))}
	for i, length := range histories {
		p.powers[i] = 1
		for range length {
			p.powers[i] *= multiplier
		}
	}
	return p
}

// add moves each window on by one: a polynomial of the outcomes in it (Rabin and Karp).
func (p *past) add(o Outcome) {
	value := uint64(2*o.Site + 1) //nolint:gosec // small
	if o.Taken {
		value++
	}
	p.last = append(p.last, value)
	for i, length := range histories {
		if length == 0 {
			continue
		}
		p.hashes[i] = p.hashes[i]*multiplier + value
		if n := len(p.last); n > length {
			p.hashes[i] -= p.last[n-1-length] * p.powers[i]
		}
	}
}

// key is that of a jump with the history before it; the site is not lost in the hash, since it
// is multiplied apart.
func (p *past) key(site, history int) uint64 {
	return p.hashes[history] ^ uint64(site+1)*(multiplier>>1|1) //nolint:gosec // small
}
