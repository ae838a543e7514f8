package pyroscope

import (
	"cmp"
	"path"
	"slices"
	"strings"

	querierv1 "github.com/grafana/pyroscope/api/gen/proto/go/querier/v1"

	"whyhot/internal/store"
)

// sides are the two halves of a comparison; a single tree is on the first alone.
const sides = 2

// node is a calling context by name. The protocol has no other identity of functions, so
// those of one name below the same caller are one.
type node struct {
	name        string
	self, total [sides]int64
	children    map[string]*node
}

// rest is the name of what was too small to be sent, as flame graphs of the protocol have it.
const rest = "other"

func newNode(name string) *node { return &node{name: name, children: map[string]*node{}} }

func (n *node) child(name string) *node {
	c := n.children[name]
	if c == nil {
		c = newNode(name)
		n.children[name] = c
	}
	return c
}

// add puts a tree on one side of the node that stands for its root.
func (n *node) add(t *store.Tree, side int) {
	nodes := make([]*node, len(t.Function))
	below := make([]int64, len(t.Function)) // what children are sent of
	for i, parent := range t.Parent {
		if i == 0 {
			nodes[i] = n
		} else {
			f := t.Functions[t.Function[i]]
			nodes[i] = nodes[parent].child(functionName(&f))
			below[parent] += t.Total[i]
		}
		nodes[i].self[side] += t.Self[i]
		nodes[i].total[side] += t.Total[i]
	}
	for i := range nodes {
		if missing := t.Total[i] - t.Self[i] - below[i]; missing > 0 {
			c := nodes[i].child(rest)
			c.self[side] += missing
			c.total[side] += missing
		}
	}
}

// functionName is what is known of a function; an address without a name is that of its
// binary.
func functionName(f *store.Function) string {
	switch {
	case f.Name != "":
		return f.Name
	case f.Binary != "":
		return "[" + path.Base(f.Binary) + "]"
	}
	return "[unknown]"
}

// keepBelow leaves only the stacks that begin with the names, and says whether there are any.
func (n *node) keepBelow(names []string) {
	for at := n; len(names) > 0; names = names[1:] {
		next := at.children[names[0]]
		at.children = map[string]*node{}
		at.self = [sides]int64{}
		if next != nil {
			at.children[next.name] = next
			at = next
			continue
		}
		break
	}
	n.sum()
}

// sum works out the totals of a node again.
func (n *node) sum() {
	n.total = n.self
	for _, c := range n.children {
		c.sum()
		for side := range sides {
			n.total[side] += c.total[side]
		}
	}
}

func (n *node) largest() int64 { return max(n.total[0], n.total[1]) }

// prune puts all but the largest nodes into one child of their parents.
func (n *node) prune(most int64) {
	var sizes []int64
	n.each(func(n *node) { sizes = append(sizes, n.largest()) })
	if most <= 0 || int64(len(sizes)) <= most {
		return
	}
	slices.SortFunc(sizes, func(a, b int64) int { return cmp.Compare(b, a) })
	n.cut(sizes[most-1])
}

func (n *node) each(f func(*node)) {
	f(n)
	for _, c := range n.children {
		c.each(f)
	}
}

func (n *node) cut(least int64) {
	small := newNode(rest)
	for name, c := range n.children {
		if c.largest() >= least && name != rest {
			c.cut(least)
			continue
		}
		delete(n.children, name)
		for side := range sides {
			small.total[side] += c.total[side]
		}
	}
	if small.self = small.total; small.largest() > 0 {
		n.children[rest] = small
	}
}

// sorted are the children in an order that does not depend on their weight, so that the two
// sides of a comparison and the graphs of two times look alike.
func (n *node) sorted() []*node {
	out := make([]*node, 0, len(n.children))
	for _, c := range n.children {
		out = append(out, c)
	}
	slices.SortFunc(out, func(a, b *node) int { return strings.Compare(a.name, b.name) })
	return out
}

// graph is a tree by levels, in the form of the protocol: of each node its distance from the
// one before it in the level, total, self, for each side, and the position of its name.
// For example: main (10, self 4) that calls parse (6) gives
// [0 10 0 0], [0 10 4 1], [4 6 6 2] with names total, main, parse.
type graph struct {
	sides   int
	names   []string
	place   map[string]int64
	levels  [][]int64
	ends    [][sides]int64
	maxSelf int64
}

func graphOf(root *node, sides int) *graph {
	g := &graph{sides: sides, place: map[string]int64{}}
	root.name = "total"
	g.visit(root, 0, [2]int64{})
	return g
}

func (g *graph) visit(n *node, depth int, at [sides]int64) {
	if depth == len(g.levels) {
		g.levels = append(g.levels, nil)
		g.ends = append(g.ends, [sides]int64{})
	}
	for side := range g.sides {
		g.levels[depth] = append(g.levels[depth], at[side]-g.ends[depth][side], n.total[side], n.self[side])
		g.ends[depth][side] = at[side] + n.total[side]
		g.maxSelf = max(g.maxSelf, n.self[side])
		at[side] += n.self[side]
	}
	place, known := g.place[n.name]
	if !known {
		place = int64(len(g.names))
		g.place[n.name] = place
		g.names = append(g.names, n.name)
	}
	g.levels[depth] = append(g.levels[depth], place)
	for _, c := range n.sorted() {
		g.visit(c, depth+1, at)
		for side := range g.sides {
			at[side] += c.total[side]
		}
	}
}

func (g *graph) messages() []*querierv1.Level {
	out := make([]*querierv1.Level, len(g.levels))
	for i, l := range g.levels {
		out[i] = &querierv1.Level{Values: l}
	}
	return out
}

// flameGraph is a single one.
func flameGraph(root *node) *querierv1.FlameGraph {
	g := graphOf(root, 1)
	return &querierv1.FlameGraph{Names: g.names, Levels: g.messages(), Total: root.total[0], MaxSelf: g.maxSelf}
}

// flameGraphDiff compares the two sides.
func flameGraphDiff(root *node) *querierv1.FlameGraphDiff {
	g := graphOf(root, sides)
	return &querierv1.FlameGraphDiff{
		Names: g.names, Levels: g.messages(), Total: root.total[0] + root.total[1], MaxSelf: g.maxSelf,
		LeftTicks: root.total[0], RightTicks: root.total[1],
	}
}
