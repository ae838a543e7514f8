package rule

import "whyhot/internal/profile"

// group is the samples of one stack in one program: they count for the same entries.
type group struct {
	profile.Sample // of the first, with the sums of all

	program int32
	first   int32 // index of the first of its samples
}

// groups puts the samples together, in the order in which each is first met. next is the
// sample of the same group that follows each, none where it is the last.
func groups(p *profile.Profile, programOf []int32) (all []group, next []int32) {
	samples := p.Samples()
	next = make([]int32, len(samples))
	ofStack := make([]int32, p.NumStacks()) // the last group of each stack
	for i := range ofStack {
		ofStack[i] = none
	}
	var before, tail []int32 // per group: the one before it of the same stack, its last sample
	for i := range samples {
		sm := &samples[i]
		next[i] = none
		at := ofStack[sm.Stack]
		for at != none && all[at].program != programOf[i] {
			at = before[at]
		}
		if at == none {
			before, tail = append(before, ofStack[sm.Stack]), append(tail, int32(i))
			ofStack[sm.Stack] = int32(len(all))
			all = append(all, group{*sm, programOf[i], int32(i)})
			continue
		}
		all[at].Value += sm.Value
		all[at].Count += sm.Count
		next[tail[at]], tail[at] = int32(i), int32(i)
	}
	return all, next
}

// none ends a chain.
const none = -1
