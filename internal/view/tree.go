package view

import (
	"cmp"
	"slices"

	"whyhot/internal/profile"
)

// Node is one frame in one calling context.
type Node struct {
	Function profile.FunctionID // 0 for the root, for unknown code and for labelled nodes
	Line     int32              // 0 when not known or not asked for
	Parent   int32              // index in Tree.Nodes, -1 for the root
	Depth    int32              // 0 for the root
	Self     int64              // value of the samples that end here
	Total    int64              // Self and that of all below
	// Label names a node that stands for no function: a process or thread, or
	// OtherLabel. It is "" for all others.
	Label string
}

// OtherLabel marks the node that gathers siblings below TreeOptions.MinWeight.
const OtherLabel = "(other)"

// Tree is a calling-context tree in preorder. Node 0 is the root and stands for
// all samples; children come by falling Total, ties by name, OtherLabel last.
type Tree struct {
	Nodes []Node
}

// TreeOptions choose the shape of a tree. The zero value gives the full tree
// from the outermost callers down.
type TreeOptions struct {
	// FromLeaf turns stacks round: the innermost frames are the children of
	// the root, and a node's children are its callers.
	FromLeaf bool
	// Focus keeps only the samples in which one of these functions occurs, and
	// of their stacks only the part from it on: down to the leaf, or with
	// FromLeaf out to the root. All of them become one node below the root.
	// Where the function recurs, callees are those of the innermost call and
	// callers those of the outermost one, so recursion folds into the node.
	Focus []profile.FunctionID
	// MaxDepth cuts deeper frames off; their samples count as the Self of the
	// frame at the cut. 0 means no limit. The root is at depth 0.
	MaxDepth int
	// Lines tells nodes apart by source line too.
	Lines bool
	// MinWeight folds the children below this Total into one node named
	// OtherLabel, 0 means all are kept.
	MinWeight int64
	// RootLabel puts a level below the root for each value of this label, for
	// example profile.LabelProcess.
	RootLabel string
}

// BuildTree gives the calling-context tree of p.
func BuildTree(p *profile.Profile, opt TreeOptions) *Tree {
	same := Identity(p)
	b := treeBuilder{
		p:      p,
		opt:    opt,
		frames: newFrames(p, same, opt.Lines),
		trie:   newTrie(),
	}
	b.focus(same)
	weights := stackWeights
	if opt.RootLabel != "" {
		weights = b.labelled
	}
	for _, w := range weights(p) {
		b.add(w)
	}
	return b.finish()
}

type treeBuilder struct {
	p       *profile.Profile
	opt     TreeOptions
	frames  *frames
	trie    *trie
	groups  []string // texts of the root label; group i is frame firstGroup+i
	inFocus []bool   // by frame number, nil without a focus
	focused uint32   // the frame number that stands for the functions in focus
	stack   []uint32 // scratch, leaf first
	path    []uint32 // scratch, root of the tree first
}

// focus marks the frames of the functions in focus and chooses the one that
// stands for them all.
func (b *treeBuilder) focus(same []profile.FunctionID) {
	if len(b.opt.Focus) == 0 {
		return
	}
	wanted := make([]bool, len(same))
	for _, id := range b.opt.Focus {
		wanted[same[id]] = true
	}
	b.inFocus = make([]bool, len(b.frames.function))
	for i, id := range b.frames.function {
		b.inFocus[i] = wanted[id]
	}
	b.focused = uint32(len(b.frames.function))
	b.frames.function = append(b.frames.function, same[b.opt.Focus[0]])
	b.frames.line = append(b.frames.line, 0)
}

func (b *treeBuilder) labelled(p *profile.Profile) []weight {
	var groupOf []uint32
	b.groups, groupOf = labelGroups(p, b.opt.RootLabel)
	return groupedWeights(p, groupOf)
}

func (b *treeBuilder) add(w weight) {
	b.stack = b.frames.appendStack(b.stack[:0], b.p.Stack(w.stack))
	part, ok := b.stack, true
	if b.inFocus != nil {
		if part, ok = b.cut(b.stack); !ok {
			return
		}
	}
	path := b.path[:0]
	if b.opt.RootLabel != "" {
		path = append(path, uint32(len(b.frames.function))+w.group)
	}
	path = append(path, part...)
	if !b.opt.FromLeaf {
		slices.Reverse(path[len(path)-len(part):])
	}
	b.path = path
	if b.opt.MaxDepth > 0 && len(path) > b.opt.MaxDepth {
		path = path[:b.opt.MaxDepth]
	}
	b.trie.add(path, w.value)
}

// cut returns the part of a stack (leaf first) that a focused tree shows.
func (b *treeBuilder) cut(stack []uint32) ([]uint32, bool) {
	hit := func(f uint32) bool { return b.inFocus[f] }
	inner := slices.IndexFunc(stack, hit)
	if inner < 0 {
		return nil, false
	}
	if !b.opt.FromLeaf {
		stack[inner] = b.focused
		return stack[:inner+1], true
	}
	outer := len(stack) - 1
	for !hit(stack[outer]) {
		outer--
	}
	stack[outer] = b.focused
	return stack[outer:], true
}

// finish orders the trie into preorder.
func (b *treeBuilder) finish() *Tree {
	t := b.trie
	total := t.totals()
	children, end := b.children(total)
	tree := &Tree{Nodes: make([]Node, 0, len(children)+1)}
	type pending struct{ trie, parent, depth int32 }
	todo := []pending{{0, -1, 0}}
	for len(todo) > 0 {
		at := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if at.trie < 0 { // the folded children of the node ^at.trie
			tree.Nodes = append(tree.Nodes, b.other(^at.trie, at.parent, at.depth, total, childRange(children, end, ^at.trie)))
			continue
		}
		me := int32(len(tree.Nodes))
		tree.Nodes = append(tree.Nodes, b.node(at.trie, at.parent, at.depth, total))
		kept := childRange(children, end, at.trie)
		if b.folds(at.trie, total, kept) {
			todo = append(todo, pending{^at.trie, me, at.depth + 1})
		}
		for _, c := range slices.Backward(kept) {
			todo = append(todo, pending{c, me, at.depth + 1})
		}
	}
	return tree
}

func (b *treeBuilder) node(n, parent, depth int32, total []int64) Node {
	t := b.trie
	node := Node{Parent: parent, Depth: depth, Self: t.self[n], Total: total[n]}
	switch f := int(t.frame[n]); {
	case n == 0:
	case f >= len(b.frames.function):
		node.Label = b.groups[f-len(b.frames.function)]
	default:
		node.Function, node.Line = b.frames.function[f], b.frames.line[f]
	}
	return node
}

// folded is what the children of n that are not kept weigh together.
func (b *treeBuilder) folded(n int32, total []int64, kept []int32) int64 {
	rest := total[n] - b.trie.self[n]
	for _, c := range kept {
		rest -= total[c]
	}
	return rest
}

func (b *treeBuilder) folds(n int32, total []int64, kept []int32) bool {
	return b.opt.MinWeight > 0 && b.folded(n, total, kept) != 0
}

func (b *treeBuilder) other(n, parent, depth int32, total []int64, kept []int32) Node {
	rest := b.folded(n, total, kept)
	return Node{Parent: parent, Depth: depth, Self: rest, Total: rest, Label: OtherLabel}
}

func childRange(children []int32, end []uint32, n int32) []int32 {
	start := uint32(0)
	if n > 0 {
		start = end[n-1]
	}
	return children[start:end[n]]
}

// children lists the kept children of every node in printing order: those of
// node n end at end[n] and start where those of n-1 end.
func (b *treeBuilder) children(total []int64) (list []int32, end []uint32) {
	t := b.trie
	keep := func(n int) bool {
		return b.opt.MinWeight <= 0 || total[n] >= b.opt.MinWeight || total[n] <= -b.opt.MinWeight
	}
	end = make([]uint32, len(t.parent)+1)
	for n := 1; n < len(t.parent); n++ {
		if keep(n) {
			end[t.parent[n]+1]++
		}
	}
	for i := 1; i < len(end); i++ {
		end[i] += end[i-1]
	}
	list = make([]int32, end[len(end)-1])
	for n := 1; n < len(t.parent); n++ {
		if keep(n) {
			list[end[t.parent[n]]] = int32(n)
			end[t.parent[n]]++
		}
	}
	end = end[:len(t.parent)]
	rank := nameRank(b.p)
	for n := range end {
		slices.SortFunc(childRange(list, end, int32(n)), func(x, y int32) int {
			return cmp.Or(-cmp.Compare(total[x], total[y]), b.compare(rank, t.frame[x], t.frame[y]))
		})
	}
	return list, end
}

// compare orders siblings of equal weight.
func (b *treeBuilder) compare(rank []uint32, x, y uint32) int {
	n := uint32(len(b.frames.function))
	if x >= n || y >= n {
		return cmp.Compare(x, y) // groups are numbered by name
	}
	return cmp.Or(
		cmp.Compare(rank[b.frames.function[x]], rank[b.frames.function[y]]),
		cmp.Compare(b.frames.line[x], b.frames.line[y]),
	)
}
