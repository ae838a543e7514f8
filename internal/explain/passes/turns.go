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
