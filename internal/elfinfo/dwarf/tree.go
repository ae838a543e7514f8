package dwarf

import (
	"fmt"

	"whyhot/internal/elfinfo/interval"
)

// tree holds the functions and inlined calls of one unit, by address, and the
// nesting of its entries as far as names need it.
type tree struct {
	nodes  []node
	index  interval.Map
	scopes scopes
	err    error
}

// node is a function with code of its own, or one inlined call.
type node struct {
	origin    uint64 // the entry that names it: offset in .debug_info
	parent    int32  // the node that it is inlined into, -1 for a function
	callFile  uint32
	callLine  uint32
	originAlt bool // origin is in the shared file
}

const noNode = -1

// place is where in the unit an entry stands: the function or inlined call whose
// code it is part of, and the scope whose name it carries.
type place struct{ node, scope int32 }

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
	var outer []place
	current := place{noNode, noScope}
	for c.Pos < len(c.Data) {
		start := c.Pos
		code := c.ULEB()
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
		switch ab.tag {
		case tagSubprogram:
			inside.node = b.entry(&c, ab, uint64(start), noNode)
			inside.scope = b.tree.scopes.function(uint64(start), current.scope)
		case tagInlined:
			inside.node = b.entry(&c, ab, uint64(start), current.node)
		default:
			if ab.children && isScope(ab.tag) {
				inside.scope = b.tree.scopes.open(uint64(start), current.scope)
			}
			ab.skipEntry(&c, u.sizes)
		}
		if c.Bad {
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
	n := node{origin: off, parent: current}
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
			switch v := c.read(a.form, a.implicit, u.sizes, u.off); v.class { //nolint:exhaustive // only references point anywhere
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
	return current
}
