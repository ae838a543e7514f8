package dwarf

import (
	"fmt"

	"whyhot/internal/symbol/interval"
)

// tree holds the functions and inlined calls of one unit, by address.
type tree struct {
	nodes []node
	index interval.Map
	err   error
}

// node is a function with code of its own, or one inlined call.
type node struct {
	origin    uint64 // the entry that names it: offset in .debug_info
	parent    int32  // the node that it is inlined into, -1 for a function
	callFile  uint32
	callLine  uint32
	inlined   bool
	originAlt bool // origin is in the shared file
}

const noNode = -1

// functions returns the unit's tree, reading it on first use.
func (u *unit) functions() *tree {
	u.treeOnce.Do(func() {
		b := treeBuilder{u: u}
		b.tree.err = b.build()
		b.tree.index = interval.Build(b.spans)
		u.tree = b.tree
	})
	return &u.tree
}

type treeBuilder struct {
	u     *unit
	tree  tree
	spans []interval.Span
}

// build reads all entries of the unit in one pass.
func (b *treeBuilder) build() error {
	u := b.u
	table, err := u.abbrevs()
	if err != nil {
		return err
	}
	c := u.cursor(u.first)
	var outer []int32
	current := int32(noNode)
	for c.pos < len(c.data) {
		start := c.pos
		code := c.uleb()
		if code == 0 {
			if len(outer) <= 1 {
				break // the end of the unit's own children; what follows is padding
			}
			current = outer[len(outer)-1]
			outer = outer[:len(outer)-1]
			continue
		}
		ab := table.get(code)
		if ab == nil {
			return fmt.Errorf("entry at %#x of .debug_info has the unknown abbreviation %d", start, code)
		}
		inside := current
		if ab.tag == tagSubprogram || ab.tag == tagInlined {
			inside = b.entry(&c, ab, uint64(start), current)
		} else {
			ab.skipEntry(&c, u.sizes)
		}
		if c.bad {
			return fmt.Errorf("entry at %#x of .debug_info reaches past the unit", start)
		}
		if ab.children {
			outer = append(outer, current)
			current = inside
		}
	}
	return nil
}

// entry reads a function or an inlined call and returns the node that its
// children are in.
func (b *treeBuilder) entry(c *cursor, ab *abbrev, off uint64, current int32) int32 {
	u := b.u
	n := node{origin: off, parent: noNode, inlined: ab.tag == tagInlined}
	if n.inlined {
		n.parent = current
	}
	var low, high, ranges value
	for i := range ab.attrs {
		a := &ab.attrs[i]
		switch a.name {
		case atLowPC:
			low = c.read(a.form, a.implicit, u.sizes, u.off)
		case atHighPC:
			high = c.read(a.form, a.implicit, u.sizes, u.off)
		case atRanges:
			ranges = c.read(a.form, a.implicit, u.sizes, u.off)
		case atCallFile:
			n.callFile = uint32(c.read(a.form, a.implicit, u.sizes, u.off).u)
		case atCallLine:
			n.callLine = uint32(c.read(a.form, a.implicit, u.sizes, u.off).u)
		case atAbstractOrigin:
			switch v := c.read(a.form, a.implicit, u.sizes, u.off); v.class {
			case classRef:
				n.origin = v.u
			case classRefAlt:
				n.origin, n.originAlt = v.u, true
			}
		default:
			kind, size := stepOf(a.form, u.sizes)
			c.step(kind, size, u.sizes)
		}
	}
	id := int32(len(b.tree.nodes))
	before := len(b.spans)
	u.eachRange(low, high, ranges, func(lo, hi uint64) {
		b.spans = append(b.spans, interval.Span{Low: lo, High: hi, ID: id})
	})
	if len(b.spans) > before {
		b.tree.nodes = append(b.tree.nodes, n)
		return id
	}
	if n.inlined {
		return current
	}
	return noNode
}
