package dict

import "slices"

// View is the tree of functions: what the stacks look like to a reader, inlined
// frames included. Node 0 is the root; parents have smaller numbers than children. A
// View does not change; a later one may have more nodes, or others.
type View struct {
	Parent   []uint32
	Function []uint32 // the first of those that a reader cannot tell apart; see view.Identity
	// Outer says that no node above is of the same function.
	Outer []bool
	node  []uint32 // of the view, by node of the tree of addresses
	stack []uint32 // node of the tree of addresses, by stack
}

// Nodes is their number.
func (v *View) Nodes() int { return len(v.Parent) }

// Stacks is their number, stack 0 included.
func (v *View) Stacks() int { return len(v.stack) }

// Leaf is the node at which a stack ends.
func (v *View) Leaf(stack uint32) uint32 { return v.node[v.stack[stack]] }

// Only is the view with some functions alone. Nodes of others are left out, and what is below
// one is where it was; nodes of one function that thereby come together are one. A stack of
// which nothing is left ends at the unknown function.
//
// Nodes without a weight are left out, too, so that nobody is asked about their functions:
// weights are those of the view's nodes, with what is below them.
//
// Example. main → lib → work 3, main → lib 1, lib 2; with main and work alone: main 4 (1 of it
// its own) → work 3, unknown 2.
func (v *View) Only(weights []int64, keep func(function uint32) bool) View {
	b := newViewBuilder()
	none := b.node[0]
	kept := make(map[uint32]bool)
	to := make([]uint32, len(v.Parent))
	for n := 1; n < len(to); n++ {
		if weights[n] == 0 {
			continue
		}
		f := v.Function[n]
		keeps, asked := kept[f]
		if !asked {
			keeps = f != 0 && keep(f)
			kept[f] = keeps
		}
		to[n] = to[v.Parent[n]]
		if keeps {
			to[n] = b.child(to[n], f)
		}
	}
	out := b.View
	out.stack, out.node = v.stack, make([]uint32, len(v.node))
	for i, n := range v.node {
		if out.node[i] = to[n]; out.node[i] == 0 {
			out.node[i] = none
		}
	}
	return out
}

// viewBuilder is the View that grows.
type viewBuilder struct {
	View

	table pairs
}

func newViewBuilder() *viewBuilder {
	v := &viewBuilder{View: View{Parent: []uint32{0}, Function: []uint32{0}, Outer: []bool{false}}}
	// The root of the tree of addresses is a stack without frames: an unknown function,
	// so that its samples have a place in every view.
	v.node = []uint32{v.child(0, 0)}
	return v
}

// child finds or makes the node of a function below another node.
func (v *viewBuilder) child(parent, function uint32) uint32 {
	n, slot := v.table.find(parent, function, func(n uint32) bool { return v.Parent[n] == parent && v.Function[n] == function })
	if n > 0 {
		return n
	}
	n = uint32(len(v.Parent))
	v.Parent = append(v.Parent, parent)
	v.Function = append(v.Function, function)
	outer := true
	for up := parent; up > 0 && outer; up = v.Parent[up] {
		outer = v.Function[up] != function
	}
	v.Outer = append(v.Outer, outer)
	v.table.add(n, slot, func(n uint32) (uint32, uint32) { return v.Parent[n], v.Function[n] })
	return n
}

// add appends the next node of the tree of addresses.
func (v *viewBuilder) add(parent uint32, frames []Line, same []uint32) {
	v.node = append(v.node, v.place(parent, frames, same))
}

// place finds or makes the node of frames, innermost first, below the node of a parent in
// the tree of addresses.
func (v *viewBuilder) place(parent uint32, frames []Line, same []uint32) uint32 {
	at := uint32(0)
	if parent > 0 {
		at = v.node[parent]
	}
	for _, f := range slices.Backward(frames) {
		at = v.child(at, same[f.Function])
	}
	return at
}
