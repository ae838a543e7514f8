// Package weigh works out tables and trees of functions from the weights of stacks.
//
// It takes a dict.View and the weight of each stack, and gives what
// internal/profile/view gives for a profile, by the same rules, without walking a
// stack: all of it comes from sweeps over the nodes of the tree, whose parents have
// smaller numbers than their children. It must never know a name.
//
// Method. A node's own weight is put where the stacks end; one sweep from the last
// node to the first adds each node's total to its parent. A function's total is that
// of its outermost nodes (View.Outer), so that recursion counts once.
//
// Example. Stacks main→a (3) and main→a→a (2): nodes main=5, a=5, a'=2. Self of a is
// 3+2, total of a is that of its outer node: 5.
package weigh

import (
	"cmp"
	"slices"
	"sync"

	"whyhot/internal/store/dict"
)

// Weights are those of a View's nodes.
type Weights struct {
	View  dict.View
	Self  []int64
	Total []int64
}

// buffers are reused: there are millions of nodes.
var buffers = sync.Pool{New: func() any { return new([]int64) }}

func buffer(n int) []int64 {
	p, _ := buffers.Get().(*[]int64)
	b := *p
	if cap(b) < n {
		return make([]int64, n, n+n/8)
	}
	b = b[:n]
	clear(b)
	return b
}

// Part is the weight of some stacks, Scale times Values. A stack may occur several times.
type Part struct {
	Stacks []uint32
	Values []int64
	Scale  int64
}

// New spreads the weights of stacks over the tree. Stacks that the view does
// not have yet are added to the unknown function; there are none where the view was taken
// after the sums.
func New(v dict.View, parts ...Part) *Weights {
	w := &Weights{View: v, Self: buffer(v.Nodes()), Total: buffer(v.Nodes())}
	for _, p := range parts {
		for i, s := range p.Stacks {
			leaf := uint32(1)
			if int(s) < v.Stacks() {
				leaf = v.Leaf(s)
			}
			w.Self[leaf] += p.Values[i] * p.Scale
		}
	}
	copy(w.Total, w.Self)
	for n := v.Nodes() - 1; n > 0; n-- {
		if t := w.Total[n]; t != 0 {
			w.Total[v.Parent[n]] += t
		}
	}
	return w
}

// Release gives the memory back. The weights must not be used afterwards.
func (w *Weights) Release() {
	self, total := w.Self, w.Total // what is given back is somebody else's at once
	w.Self, w.Total = nil, nil
	buffers.Put(&self)
	buffers.Put(&total)
}

// Row is a function with something to it.
type Row struct {
	Function    uint32
	Self, Total int64
}

// Top gives all functions that occur, by number.
func (w *Weights) Top(functions int) []Row {
	self, total := make([]int64, functions), make([]int64, functions)
	for n := 1; n < len(w.Total); n++ {
		t := w.Total[n]
		if t == 0 {
			continue
		}
		f := w.View.Function[n]
		self[f] += w.Self[n]
		if w.View.Outer[n] {
			total[f] += t
		}
	}
	var rows []Row
	for f := range total {
		if total[f] != 0 {
			rows = append(rows, Row{uint32(f), self[f], total[f]})
		}
	}
	return rows
}

// Holding is the weight of the stacks with one of the functions for which chosen is
// true.
func (w *Weights) Holding(chosen []bool) (sum int64) {
	holds := make([]bool, len(w.Total))
	for n := 1; n < len(w.Total); n++ {
		if w.Total[n] == 0 {
			continue
		}
		above := holds[w.View.Parent[n]]
		holds[n] = above || chosen[w.View.Function[n]]
		if holds[n] && !above {
			sum += w.Total[n]
		}
	}
	return sum
}

// Grouped gives what functions weigh together, by the number that of has for each of
// them. A stack with several functions of one number counts once in its total.
func (w *Weights) Grouped(of []int32, groups int) (self, total []int64) {
	self, total = make([]int64, groups), make([]int64, groups)
	// Where a number has one function alone, its outermost nodes are known.
	members := make([]int32, groups)
	for _, g := range of {
		if g >= 0 {
			members[g]++
		}
	}
	for n := 1; n < len(w.Total); n++ {
		t := w.Total[n]
		if t == 0 {
			continue
		}
		g := of[w.View.Function[n]]
		if g < 0 {
			continue
		}
		self[g] += w.Self[n]
		outer := w.View.Outer[n]
		for up := w.View.Parent[n]; outer && members[g] > 1 && up > 0; up = w.View.Parent[up] {
			outer = of[w.View.Function[up]] != g
		}
		if outer {
			total[g] += t
		}
	}
	return self, total
}

// Edge is a caller or callee.
type Edge struct {
	Function uint32
	Total    int64
}

// Callgraph is a function between callers and callees; see view.Sandwich.
type Callgraph struct {
	Self, Total, Recursive, Entry int64
	Callers, Callees              []Edge // by falling weight, then by number
}

// Callgraph gives what calls a function and what it calls. Callers are those of its
// outermost call in a stack, callees those of its innermost one.
func (w *Weights) Callgraph(function uint32) *Callgraph {
	g := &Callgraph{}
	callers, callees := map[uint32]int64{}, map[uint32]int64{}
	// below[n] is the node right below the innermost call of the function on the way to
	// n, 0 where there is none; often[n] how often the function is on that way, up to 2.
	below, often := make([]uint32, len(w.Total)), make([]uint8, len(w.Total))
	for n := 1; n < len(w.Total); n++ {
		if w.Total[n] == 0 {
			continue
		}
		up := w.View.Parent[n]
		often[n] = often[up]
		if w.View.Function[n] == function {
			g.Self += w.Self[n]
			often[n] = min(2, often[n]+1)
			if w.View.Outer[n] {
				g.Total += w.Total[n]
				if up == 0 {
					g.Entry += w.Total[n]
				} else {
					callers[w.View.Function[up]] += w.Total[n]
				}
			}
		} else {
			below[n] = below[up]
			if up > 0 && w.View.Function[up] == function {
				below[n] = uint32(n)
			}
			if below[n] > 0 && w.Self[n] != 0 {
				callees[w.View.Function[below[n]]] += w.Self[n]
			}
		}
		if often[n] == 2 {
			g.Recursive += w.Self[n]
		}
	}
	g.Callers, g.Callees = edges(callers), edges(callees)
	return g
}

func edges(of map[uint32]int64) []Edge {
	var out []Edge
	for f, t := range of {
		if t != 0 {
			out = append(out, Edge{f, t})
		}
	}
	slices.SortFunc(out, func(a, b Edge) int {
		return cmp.Or(cmp.Compare(b.Total, a.Total), cmp.Compare(a.Function, b.Function))
	})
	return out
}
