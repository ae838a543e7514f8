package growth

import (
	"cmp"
	"slices"

	"whyhot/internal/explain/growth/exponent"
)

// tally are samples by size.
type tally []float64

func (t tally) add(o tally) {
	for i := range t {
		t[i] += o[i]
	}
}

// node is a function below one way to it.
type node struct {
	tally tally
	lines map[int32]*lineNode
}

// lineNode is a line of it.
type lineNode struct {
	tally tally
	calls map[int32]*node // by function
}

// tree is all stacks of an experiment.
type tree struct {
	e    *experiment
	root *lineNode
}

func (e *experiment) newTree() *tree {
	t := &tree{e: e, root: e.newLine()}
	for id, counts := range e.stacks {
		at := t.root
		at.tally.add(counts)
		for _, s := range e.frames.path(id).steps {
			fn := at.calls[s.function]
			if fn == nil {
				fn = &node{tally: make(tally, len(e.sizes)), lines: map[int32]*lineNode{}}
				at.calls[s.function] = fn
			}
			fn.tally.add(counts)
			if at = fn.lines[s.line]; at == nil {
				at = e.newLine()
				fn.lines[s.line] = at
			}
			at.tally.add(counts)
		}
	}
	return t
}

func (e *experiment) newLine() *lineNode {
	return &lineNode{tally: make(tally, len(e.sizes)), calls: map[int32]*node{}}
}

// found is a line that pays, with the way to it.
type found struct {
	way    []step // the line last
	tally  tally
	others []found // lines of the same loop, whose samples are in tally
	whole  bool    // it is the function that grows; the line is the one with most of it
}

// dominant is the share of what grows below a line that one function must have for the
// search to go on into it.
const dominant = 0.8

// excess is what there is at the largest size beyond growth in proportion.
func (e *experiment) excess(t tally) float64 {
	last := len(t) - 1
	return max(0, t[last]-t[0]*e.sizes[last].N/e.sizes[0].N*float64(e.sizes[last].Runs)/float64(e.sizes[0].Runs))
}

// find follows what grows.
func (t *tree) find() []found { return t.below(t.root, nil) }

// below are the payers in what a line calls.
func (t *tree) below(l *lineNode, way []step) []found {
	var out []found
	for _, fn := range sortedKeys(l.calls) {
		out = append(out, t.in(l.calls[fn], fn, way)...)
	}
	return out
}

// in are the payers in a function: lines that grow on their own, or the function as a
// whole where no line has enough samples.
func (t *tree) in(n *node, fn int32, way []step) []found {
	var out []found
	for _, at := range sortedKeys(n.lines) {
		l := n.lines[at]
		if t.e.grows(l.tally, Threshold) {
			out = append(out, t.pursue(l, append(slices.Clip(way), step{fn, at}))...)
		} else if len(l.calls) > 0 && t.e.notable(l.tally) {
			// What is below may grow although the sum with what does not is told too badly.
			out = append(out, t.below(l, append(slices.Clip(way), step{fn, at}))...)
		}
	}
	if len(out) > 0 || !t.e.grows(n.tally, Threshold) {
		return out
	}
	line, most := int32(0), -1.0
	for _, at := range sortedKeys(n.lines) {
		if x := t.e.excess(n.lines[at].tally); x > most {
			line, most = at, x
		}
	}
	return []found{{way: append(slices.Clip(way), step{fn, line}), tally: n.tally, whole: true}}
}

// pursue goes on from a line that grows to the function below that has most of it.
func (t *tree) pursue(l *lineNode, way []step) []found {
	for _, fn := range sortedKeys(l.calls) {
		n := l.calls[fn]
		if t.e.excess(n.tally) < dominant*t.e.excess(l.tally) {
			continue
		}
		if inner := t.in(n, fn, way); len(inner) > 0 {
			return inner
		}
	}
	return []found{{way: slices.Clone(way), tally: l.tally}}
}

func sortedKeys[K cmp.Ordered, V any](m map[K]V) []K {
	keys := make([]K, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

// fewest samples at the largest size from which a cost is judged, and leastShare of the CPU
// time there. Many lines are judged: of little, one would seem to grow by chance.
const (
	fewest     = 100
	leastShare = 0.02
)

// begun is how many samples there must be at the size before the largest: what there is
// only at one size has begun there, and no power can be told.
const begun = 10

func (e *experiment) notable(t tally) bool {
	last := t[len(t)-1]
	return last >= fewest && last >= leastShare*e.total[len(t)-1]
}

// grows tells whether the lower end of a cost's exponent is above a threshold.
func (e *experiment) grows(t tally, least float64) bool {
	if !e.notable(t) || e.excess(t) <= 0 || t[len(t)-2] < begun {
		return false
	}
	fit, ok := e.fit(t)
	return ok && fit.Low > least
}

func (e *experiment) fit(t tally) (exponent.Fit, bool) {
	points := make([]exponent.Point, len(t))
	for i := range t {
		points[i] = exponent.Point{N: e.sizes[i].N, Runs: e.sizes[i].Runs, Count: t[i], Missing: e.missing[i]}
	}
	return exponent.Of(points, e.noise)
}
