package weigh

import (
	"cmp"
	"slices"
)

// Options choose the shape of a tree.
type Options struct {
	// Focus keeps the stacks with this function, from its innermost call down to the
	// leaf, or (FromLeaf) from its outermost call up to the root.
	Focus    uint32
	HasFocus bool
	FromLeaf bool
	// Path is a way down from the root of the tree that these options give: what is
	// below it is the tree, its last function at the root.
	Path     []uint32
	Depth    int     // levels below the root; 0 for all
	MinShare float64 // of the root's total; lighter nodes are hidden
	MaxNodes int     // the heaviest; 0 for all
}

// Tree is in preorder; children come by falling total, then by function.
type Tree struct {
	Function    []uint32
	Parent      []int32
	Self, Total []int64
	Hidden      []int32 // children that were left out
	// At is each node's number in the view; 0 where it stands for several, as in a tree
	// that is inverted or has a focus.
	At []uint32
}

// node is one of the tree while it is made.
type node struct {
	parent      int32
	function    uint32
	self, total int64
	hidden      int32
	depth       int32
	at          uint32 // of the view; 0 for several
}

// Tree gives the calling contexts. It is nil when there is nothing at the path.
func (w *Weights) Tree(o Options) *Tree {
	var nodes []node
	switch {
	case o.FromLeaf:
		nodes = w.reverse(o)
	case o.HasFocus:
		nodes = w.focused(o)
	default:
		nodes = w.plain(o)
	}
	if nodes == nil {
		return nil
	}
	return arrange(keepLargest(nodes, o.MaxNodes))
}

// threshold is the least total that a node must have to be shown.
func (o Options) threshold(root int64) int64 {
	return max(1, int64(o.MinShare*float64(root)))
}

// plain cuts the tree out of the view's own.
func (w *Weights) plain(o Options) []node {
	top := uint32(0)
	for _, f := range o.Path {
		next := uint32(0)
		// Children have larger numbers than their parent.
		for n := int(top) + 1; n < len(w.Total) && next == 0; n++ {
			if w.View.Parent[n] == top && w.View.Function[n] == f && w.Total[n] != 0 {
				next = uint32(n)
			}
		}
		if next == 0 {
			return nil
		}
		top = next
	}
	least := o.threshold(w.Total[top])
	nodes := []node{{parent: -1, function: w.View.Function[top], self: w.Self[top], total: w.Total[top], at: top}}
	number := make([]int32, len(w.Total)) // + 1
	number[top] = 1
	for n := int(top) + 1; n < len(w.Total); n++ {
		t := w.Total[n]
		if t == 0 {
			continue
		}
		up := number[w.View.Parent[n]] - 1
		if up < 0 {
			continue
		}
		if t < least || o.Depth > 0 && int(nodes[up].depth) >= o.Depth {
			nodes[up].hidden++
			continue
		}
		nodes = append(nodes, node{parent: up, function: w.View.Function[n], self: w.Self[n], total: t, depth: nodes[up].depth + 1, at: uint32(n)})
		number[n] = int32(len(nodes))
	}
	return nodes
}

// focused merges what is below the innermost calls of the function in focus.
func (w *Weights) focused(o Options) []node {
	m := merger{w: w, all: []node{{parent: -1}, {parent: 0, function: o.Focus, depth: 1}}, from: []source{{}, {}}}
	// at[n] is n's node in the new tree + 1; 0 for those that are not below the function.
	at := make([]int32, len(w.Total))
	for n := 1; n < len(w.Total); n++ {
		if w.Total[n] == 0 {
			continue
		}
		if w.View.Function[n] == o.Focus {
			at[n] = 2
		} else if up := at[w.View.Parent[n]]; up > 0 {
			at[n] = m.child(up-1, uint32(n)) + 1
		}
		if at[n] > 0 {
			m.all[at[n]-1].self += w.Self[n]
		}
	}
	all := m.all
	for i := range all {
		all[i].total = all[i].self
	}
	for i := len(all) - 1; i > 0; i-- {
		all[all[i].parent].total += all[i].total
	}
	return o.cut(all)
}

// merger puts nodes of a view together whose way from the function in focus is the same.
// Below a node that stands for one of the view nothing can be the same: only where there
// are several the children are looked up by their function.
type merger struct {
	w     *Weights
	all   []node
	from  []source // by node
	found map[call]int32
}

// source is what a merged node has its children from.
type source struct {
	node        uint32 // of the view; 0 before the first child
	many        bool   // children of several nodes of the view are below it
	first, next int32  // children and siblings, 0 for none
}

type call struct {
	parent   int32
	function uint32
}

// child finds or makes the node below parent for a node of the view.
func (m *merger) child(parent int32, n uint32) int32 {
	f, above := m.w.View.Function[n], m.w.View.Parent[n]
	p := &m.from[parent]
	if p.node == 0 {
		p.node = above
	}
	if p.node != above && !p.many {
		p.many = true
		if m.found == nil {
			m.found = map[call]int32{}
		}
		for c := p.first; c > 0; c = m.from[c].next {
			m.found[call{parent, m.all[c].function}] = c
		}
	}
	if p.many {
		if c, ok := m.found[call{parent, f}]; ok {
			return c
		}
	}
	c := int32(len(m.all))
	m.all = append(m.all, node{parent: parent, function: f, depth: m.all[parent].depth + 1})
	next := p.first
	p.first = c
	if p.many {
		m.found[call{parent, f}] = c
	}
	m.from = append(m.from, source{next: next})
	return c
}

// cut applies path, depth and threshold to a tree whose parents go before their
// children.
func (o Options) cut(all []node) []node {
	top := int32(0)
	for _, f := range o.Path {
		next := int32(-1)
		for i := range all {
			if all[i].parent == top && all[i].function == f && all[i].total != 0 {
				next = int32(i)
			}
		}
		if next < 0 {
			return nil
		}
		top = next
	}
	least := o.threshold(all[top].total)
	number := make([]int32, len(all)) // + 1
	root := all[top]
	base := root.depth
	root.parent, root.depth = -1, 0
	out := []node{root}
	number[top] = 1
	for i := int(top) + 1; i < len(all); i++ {
		n := all[i]
		if n.total == 0 || number[n.parent] == 0 {
			continue
		}
		up := number[n.parent] - 1
		if n.total < least || o.Depth > 0 && int(n.depth-base) > o.Depth {
			out[up].hidden++
			continue
		}
		n.parent, n.depth = up, n.depth-base
		number[i] = int32(len(out)) + 1
		out = append(out, n)
	}
	return out
}

// walk is a stack on its way from the leaf to the root.
type walk struct {
	at    uint32 // node of the view whose function comes next; 0 at the end
	value int64
}

// reverse turns stacks round. It goes level by level, and follows only the groups that
// are shown: those below the threshold are counted and left.
func (w *Weights) reverse(o Options) []node {
	var all []walk
	var sum int64
	if o.HasFocus {
		for n := 1; n < len(w.Total); n++ {
			if w.Total[n] != 0 && w.View.Function[n] == o.Focus && w.View.Outer[n] {
				all = append(all, walk{uint32(n), w.Total[n]})
				sum += w.Total[n]
			}
		}
	} else {
		for n := 1; n < len(w.Self); n++ {
			if w.Self[n] != 0 {
				all = append(all, walk{uint32(n), w.Self[n]})
				sum += w.Self[n]
			}
		}
	}
	nodes := []node{{parent: -1, total: sum}}
	for _, f := range o.Path {
		var kept []walk
		sum = 0
		for _, x := range all {
			if x.at > 0 && w.View.Function[x.at] == f {
				kept = append(kept, walk{w.View.Parent[x.at], x.value})
				sum += x.value
			}
		}
		if len(kept) == 0 {
			return nil
		}
		all, nodes[0] = kept, node{parent: -1, function: f, total: sum}
	}
	r := reverser{w: w, o: o, nodes: nodes, least: o.threshold(sum)}
	r.expand(0, all)
	return r.nodes
}

type reverser struct {
	w     *Weights
	o     Options
	nodes []node
	least int64
}

func (r *reverser) expand(at int32, walks []walk) {
	function := func(x walk) uint32 { return r.w.View.Function[x.at] }
	slices.SortFunc(walks, func(a, b walk) int {
		if a.at == 0 || b.at == 0 { // those that are at their end go first
			return cmp.Compare(min(a.at, 1), min(b.at, 1))
		}
		return cmp.Compare(function(a), function(b))
	})
	for len(walks) > 0 && walks[0].at == 0 {
		r.nodes[at].self += walks[0].value
		walks = walks[1:]
	}
	for len(walks) > 0 {
		n, sum := 0, int64(0)
		for n < len(walks) && function(walks[n]) == function(walks[0]) {
			sum += walks[n].value
			n++
		}
		group := walks[:n]
		walks = walks[n:]
		depth := r.nodes[at].depth + 1
		if sum < r.least || r.o.Depth > 0 && int(depth) > r.o.Depth {
			r.nodes[at].hidden++
			continue
		}
		child := int32(len(r.nodes))
		r.nodes = append(r.nodes, node{parent: at, function: function(group[0]), total: sum, depth: depth})
		for i := range group {
			group[i].at = r.w.View.Parent[group[i].at]
		}
		r.expand(child, merged(group))
	}
}

// merged adds up walks that have come to the same node.
func merged(walks []walk) []walk {
	slices.SortFunc(walks, func(a, b walk) int { return cmp.Compare(a.at, b.at) })
	out := walks[:0]
	for _, x := range walks {
		if n := len(out); n > 0 && out[n-1].at == x.at {
			out[n-1].value += x.value
			continue
		}
		out = append(out, x)
	}
	return out
}

// keepLargest leaves the heaviest nodes; with a node goes all that is below it, which
// weighs no more.
func keepLargest(nodes []node, most int) []node {
	if most <= 0 || len(nodes) <= most {
		return nodes
	}
	totals := make([]int64, len(nodes))
	for i := range nodes {
		totals[i] = nodes[i].total
	}
	slices.Sort(totals)
	least := totals[len(totals)-most] + 1 // of equal ones all go: none is better than another
	number := make([]int32, len(nodes))   // + 1
	out := []node{nodes[0]}
	number[0] = 1
	for i := 1; i < len(nodes); i++ {
		n := nodes[i]
		up := number[n.parent]
		switch {
		case up == 0:
		case n.total < least:
			out[up-1].hidden++
		default:
			n.parent = up - 1
			number[i] = int32(len(out)) + 1
			out = append(out, n)
		}
	}
	return out
}

// arrange puts nodes in preorder, children by falling total.
func arrange(nodes []node) *Tree {
	// The children of node i are below[first[i]:first[i+1]].
	first, below := make([]int32, len(nodes)+2), make([]int32, len(nodes))
	for _, n := range nodes[1:] {
		first[n.parent+2]++
	}
	for i := 2; i < len(first); i++ {
		first[i] += first[i-1]
	}
	for i, n := range nodes[1:] {
		below[first[n.parent+1]] = int32(i + 1)
		first[n.parent+1]++
	}
	t := &Tree{
		Function: make([]uint32, len(nodes)), Parent: make([]int32, len(nodes)),
		Self: make([]int64, len(nodes)), Total: make([]int64, len(nodes)), Hidden: make([]int32, len(nodes)), At: make([]uint32, len(nodes)),
	}
	type open struct {
		node, parent int32
	}
	stack := []open{{0, -1}}
	for at := int32(0); len(stack) > 0; at++ {
		x := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		n := nodes[x.node]
		t.Function[at], t.Parent[at], t.Self[at], t.Total[at], t.Hidden[at], t.At[at] = n.function, x.parent, n.self, n.total, n.hidden, n.at
		children := below[first[x.node]:first[x.node+1]]
		slices.SortFunc(children, func(a, b int32) int {
			return cmp.Or(cmp.Compare(nodes[a].total, nodes[b].total), cmp.Compare(nodes[b].function, nodes[a].function))
		})
		for _, c := range children { // the last one is taken off the stack first
			stack = append(stack, open{c, at})
		}
	}
	return t
}
