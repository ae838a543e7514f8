package view

import (
	"cmp"
	"slices"
)

// grower turns paths into a tree without ever holding a node that is not kept:
// the paths below a node are partitioned by their next frame, the parts are
// ordered, and each is grown in turn, which gives preorder. A part below
// MinWeight is not looked at again, and a part of one path is a plain chain.
// Memory is that of the paths and of the tree that is returned.
type grower struct {
	*treeBuilder

	nodes  []Node
	order  []uint32 // path numbers; the paths below one node are neighbours
	moving []uint32 // scratch: a stretch of order that is being partitioned,
	next   []uint32 // and the frames that its paths go on with
	parts  []part   // of the nodes from the root to the one being grown
	partOf []uint32 // by frame number: its place in parts, valid where
	seen   []uint32 // this equals epoch
	epoch  uint32
	rank   []uint32 // of functions by name
}

// part is the paths below a node that go on with the same frame.
type part struct {
	frame uint32
	size  uint32
	next  uint32 // where in order the part's next path goes
	total int64
}

func (b *treeBuilder) grow() *Tree {
	frames := len(b.frames.function) + len(b.groups)
	g := grower{
		treeBuilder: b,
		nodes:       []Node{{Parent: -1}},
		order:       make([]uint32, len(b.paths)),
		moving:      make([]uint32, len(b.paths)),
		next:        make([]uint32, len(b.paths)),
		partOf:      make([]uint32, frames),
		seen:        make([]uint32, frames),
		rank:        nameRank(b.p),
	}
	for i := range b.paths {
		g.order[i] = uint32(i)
		g.nodes[0].Total += b.paths[i].value
	}
	g.below(0, 0, uint32(len(g.order)))
	return &Tree{Nodes: g.nodes}
}

// below grows the children of a node, whose paths are order[from:to].
func (g *grower) below(node int32, from, to uint32) {
	if to-from == 1 {
		g.chain(node, g.order[from])
		return
	}
	depth := g.nodes[node].Depth
	first := len(g.parts)
	g.nodes[node].Self = g.partition(depth, first, from, to)
	rest, folded := int64(0), false
	for i := first; i < len(g.parts); i++ {
		p := g.parts[i]
		if g.opt.MinWeight > 0 && p.total < g.opt.MinWeight && p.total > -g.opt.MinWeight {
			rest += p.total
			folded = true
			continue
		}
		child := int32(len(g.nodes))
		g.nodes = append(g.nodes, g.node(p.frame, node, depth+1, p.total))
		g.below(child, p.next-p.size, p.next)
	}
	g.parts = g.parts[:first]
	if folded && rest != 0 {
		g.nodes = append(g.nodes, Node{Parent: node, Depth: depth + 1, Self: rest, Total: rest, Label: OtherLabel})
	}
}

// partition orders order[from:to] by the frame that follows depth and appends
// the parts to g.parts, in printing order. It returns the value of the paths
// that end at depth.
func (g *grower) partition(depth int32, first int, from, to uint32) (self int64) {
	g.epoch++
	left := from // paths that go on, kept in g.moving and g.next
	for _, i := range g.order[from:to] {
		path := &g.paths[i]
		if path.depth == uint32(depth) {
			self += path.value
			continue
		}
		f := g.frameNumbers[path.start+uint64(depth)]
		g.moving[left], g.next[left] = i, f
		left++
		if g.seen[f] != g.epoch {
			g.seen[f] = g.epoch
			g.partOf[f] = uint32(len(g.parts))
			g.parts = append(g.parts, part{frame: f})
		}
		p := &g.parts[g.partOf[f]]
		p.size++
		p.total += path.value
	}
	parts := g.parts[first:]
	slices.SortFunc(parts, func(x, y part) int {
		return cmp.Or(-cmp.Compare(x.total, y.total), g.compare(x.frame, y.frame))
	})
	at := from
	for i := range parts {
		parts[i].next = at
		at += parts[i].size
		g.partOf[parts[i].frame] = uint32(first + i)
	}
	for i := from; i < left; i++ {
		p := &g.parts[g.partOf[g.next[i]]]
		g.order[p.next] = g.moving[i]
		p.next++
	}
	return self
}

// chain grows the nodes of a single path.
func (g *grower) chain(node int32, path uint32) {
	depth, p := g.nodes[node].Depth, g.paths[path]
	for _, f := range g.frameNumbers[p.start+uint64(depth) : p.start+uint64(p.depth)] {
		depth++
		g.nodes = append(g.nodes, g.node(f, node, depth, p.value))
		node = int32(len(g.nodes) - 1)
	}
	g.nodes[node].Self = p.value
}

func (g *grower) node(frame uint32, parent, depth int32, total int64) Node {
	n := Node{Parent: parent, Depth: depth, Total: total}
	if group := int(frame) - len(g.frames.function); group >= 0 {
		n.Label = g.groups[group]
		return n
	}
	n.Function, n.Line = g.frames.function[frame], g.frames.line[frame]
	return n
}

// compare orders siblings of equal weight.
func (g *grower) compare(x, y uint32) int {
	n := uint32(len(g.frames.function))
	if x >= n || y >= n {
		return cmp.Compare(x, y) // groups are numbered by name
	}
	return cmp.Or(
		cmp.Compare(g.rank[g.frames.function[x]], g.rank[g.frames.function[y]]),
		cmp.Compare(g.frames.line[x], g.frames.line[y]),
	)
}
