package growth

import (
	"cmp"
	"slices"

	"whyhot/internal/profile"
)

// mostOthers bounds the list of what was fitted besides.
const mostOthers = 200

// others fits functions, with what they call and alone.
func (e *experiment) others(r *Result) {
	inclusive, self := map[int32]tally{}, map[int32]tally{}
	add := func(to map[int32]tally, fn int32, t tally) {
		if to[fn] == nil {
			to[fn] = make(tally, len(t))
		}
		to[fn].add(t)
	}
	for id, t := range e.stacks {
		for _, fn := range e.frames.all(id) {
			add(inclusive, fn, t)
		}
		if fn, ok := e.frames.leaf(id); ok {
			add(self, fn, t)
		}
	}
	e.list(r, inclusive, false)
	e.list(r, self, true)
	slices.SortStableFunc(r.Others, func(a, b Other) int { return cmp.Compare(b.Share, a.Share) })
	if len(r.Others) > mostOthers {
		r.Others = r.Others[:mostOthers]
	}
}

func (e *experiment) list(r *Result, tallies map[int32]tally, self bool) {
	last := len(e.sizes) - 1
	whole := r.Times10x * e.total[last] / float64(e.sizes[last].Runs)
	for _, fn := range sortedKeys(tallies) {
		t := tallies[fn]
		if !e.notable(t) {
			continue
		}
		if fit, ok := e.fit(t); ok {
			r.Others = append(r.Others, Other{Place: e.frames.place(step{fn, 0}), Cost: e.cost(t, fit, whole), Self: self})
		}
	}
}

// all are the functions of a stack, each once.
func (f *frames) all(id profile.StackID) []int32 {
	var out []int32
	for _, loc := range f.p.Stack(id) {
		for _, l := range f.p.Lines(loc) {
			if fn := f.of[l.Function]; f.functions[fn].name != "" && !slices.Contains(out, fn) {
				out = append(out, fn)
			}
		}
	}
	return out
}

// leaf is the function in which a stack's samples were taken.
func (f *frames) leaf(id profile.StackID) (int32, bool) {
	stack := f.p.Stack(id)
	if len(stack) == 0 {
		return 0, false
	}
	fn := f.of[f.p.Lines(stack[0])[0].Function]
	return fn, f.functions[fn].name != ""
}
