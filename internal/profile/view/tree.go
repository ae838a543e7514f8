package view

import (
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
	b := treeBuilder{p: p, opt: opt, frames: newFrames(p, same, opt.Lines)}
	b.focus(same)
	var weights []weight
	if opt.RootLabel == "" {
		weights = stackWeights(p)
	} else {
		weights = b.labelled(p)
	}
	b.reserve(weights)
	for _, w := range weights {
		b.add(w)
	}
	return b.grow()
}

// treeBuilder lays the paths of all stacks end to end; grow makes the tree of
// them.
type treeBuilder struct {
	p       *profile.Profile
	opt     TreeOptions
	frames  *frames
	groups  []string // texts of the root label; group i is frame len(frames.function)+i
	inFocus []bool   // by frame number, nil without a focus
	focused uint32   // the frame number that stands for the functions in focus
	stack   []uint32 // scratch, leaf first

	frameNumbers []uint32 // of all paths, each from the root of the tree on
	paths        []treePath
}

// treePath is one stack as the tree shows it.
type treePath struct {
	start uint64 // in frameNumbers
	depth uint32
	value int64
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

// reserve makes room for the paths, so that they are not copied as they grow.
func (b *treeBuilder) reserve(weights []weight) {
	if b.inFocus != nil {
		return // most stacks may not be in the tree
	}
	frames := 0
	for _, w := range weights {
		n := 1 + len(b.p.Stack(w.stack))
		if b.opt.MaxDepth > 0 {
			n = min(n, b.opt.MaxDepth)
		}
		frames += n
	}
	b.paths = make([]treePath, 0, len(weights))
	b.frameNumbers = make([]uint32, 0, frames)
}

func (b *treeBuilder) add(w weight) {
	b.stack = b.frames.appendStack(b.stack[:0], b.p.Stack(w.stack))
	part := b.stack
	if b.inFocus != nil {
		var ok bool
		if part, ok = b.cut(b.stack); !ok {
			return
		}
	}
	room := len(part) + 1
	if b.opt.MaxDepth > 0 {
		room = b.opt.MaxDepth
	}
	start := len(b.frameNumbers)
	if b.opt.RootLabel != "" {
		b.frameNumbers = append(b.frameNumbers, uint32(len(b.frames.function))+w.group)
		room--
	}
	if b.opt.FromLeaf {
		b.frameNumbers = append(b.frameNumbers, part[:min(room, len(part))]...)
	} else {
		for i := len(part) - 1; i >= max(0, len(part)-room); i-- {
			b.frameNumbers = append(b.frameNumbers, part[i])
		}
	}
	b.paths = append(b.paths, treePath{uint64(start), uint32(len(b.frameNumbers) - start), w.value})
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
