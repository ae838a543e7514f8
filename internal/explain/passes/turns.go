package passes

import (
	"cmp"
	"slices"

	"whyhot/internal/profile"
)

// leastTurns is how often a call has to begin anew, where the samples have times: a call that
// is made once, in a loop that ends early, is no waste.
const leastTurns = 10

// turns is how often some rows begin anew among those of their threads, at least; ok is false
// where most samples have no time.
func turns(p *profile.Profile, rows []int32) (n int, ok bool) {
	type thread struct {
		pid, tid int64
		name     string
	}
	type moment struct {
		at   int64
		mine bool
	}
	among := make(map[int32]bool, len(rows))
	for _, row := range rows {
		among[row] = true
	}
	all := map[thread][]moment{}
	timed := 0
	for i := range p.Samples() {
		s := &p.Samples()[i]
		if s.Time == 0 {
			continue
		}
		timed++
		pid, _ := p.Label(s.Labels, profile.LabelPID)
		tid, _ := p.Label(s.Labels, profile.LabelTID)
		name, _ := p.Label(s.Labels, profile.LabelThread)
		t := thread{pid.Num, tid.Num, name.Str}
		all[t] = append(all[t], moment{s.Time, among[int32(i)]}) //nolint:gosec // rows are numbered so
	}
	if 2*timed < len(p.Samples()) || timed == 0 {
		return 0, false
	}
	for _, moments := range all {
		slices.SortStableFunc(moments, func(a, b moment) int { return cmp.Compare(a.at, b.at) })
		was := false
		for _, m := range moments {
			if m.mine && !was {
				n++
			}
			was = m.mine
		}
	}
	return n, true
}

const (
	parts10   = 10 // into which a run is divided
	leastOf10 = 8  // in which something goes on throughout
)

// isThroughout says whether some rows are in most parts of the time in which the profile has samples;
// also where samples have no time.
func isThroughout(p *profile.Profile, rows []int32) bool {
	var first, last int64
	for i := range p.Samples() {
		if t := p.Samples()[i].Time; t != 0 {
			if first == 0 || t < first {
				first = t
			}
			last = max(last, t)
		}
	}
	if last <= first {
		return true
	}
	var in [parts10 + 1]bool
	for _, row := range rows {
		if t := p.Samples()[row].Time; t != 0 {
			in[(t-first)*parts10/(last-first)] = true
		}
	}
	n := 0
	for _, is := range in[:parts10] {
		if is {
			n++
		}
	}
	return n >= leastOf10
}
