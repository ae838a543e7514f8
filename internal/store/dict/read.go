package dict

import (
	"whyhot/internal/profile"
)

// View is the tree of functions as it is now.
func (d *Dict) View() View {
	d.mu.RLock()
	defer d.mu.RUnlock()
	v := d.view.View
	v.stack = d.stacks
	return v
}

// Snapshot is all of the tables as they are now. Rows are never changed, only added.
type Snapshot struct {
	Mappings  []Mapping
	Functions []Function
	Same      []uint32 // by function: the first that a reader cannot tell from it
	Locations []Location
	Parent    []uint32 // by node
	Location  []uint32 // by node
	Stacks    []uint32 // node, by stack
	Groups    []Group
	Series    []Series
	spans     []span
	lines     []Line
}

// Lines are the frames of a location, innermost first.
func (s *Snapshot) Lines(location uint32) []Line {
	return s.spans[location].of(s.lines)
}

// Snapshot gives the tables.
func (d *Dict) Snapshot() Snapshot {
	d.mu.RLock()
	defer d.mu.RUnlock()
	return Snapshot{
		Mappings: d.mappings, Functions: d.functions, Same: d.same, Locations: d.locations, Parent: d.parent, Location: d.location, Stacks: d.stacks,
		Groups: d.groups, Series: d.series, spans: d.spans, lines: d.lines,
	}
}

// Address is one that has no name yet.
type Address struct {
	Location uint32
	Address  uint64 // offset in the mapping's file
	Kind     profile.Kind
}

// Waiting gives the addresses that were not looked up, by mapping.
func (d *Dict) Waiting() map[Mapping][]Address {
	d.mu.RLock()
	defer d.mu.RUnlock()
	out := map[Mapping][]Address{}
	if d.waiting == 0 {
		return out
	}
	for i, done := range d.resolved {
		if !done {
			d.put(out, uint32(i))
		}
	}
	return out
}

// Nameless gives the addresses of a binary that were looked up and have no name, or
// none with a line, of the binaries that wanted is true for.
func (d *Dict) Nameless(wanted func(Mapping) bool) map[Mapping][]Address {
	d.mu.RLock()
	defer d.mu.RUnlock()
	again := make([]bool, len(d.mappings))
	for i, m := range d.mappings {
		again[i] = wanted(m)
	}
	out := map[Mapping][]Address{}
	for i := range d.locations {
		l := &d.locations[i]
		if l.Named || !again[l.Mapping] || !d.resolved[i] {
			continue
		}
		if lines := d.linesOf(uint32(i)); lines[0].Line == 0 {
			d.put(out, uint32(i))
		}
	}
	return out
}

func (d *Dict) put(out map[Mapping][]Address, location uint32) {
	l := &d.locations[location]
	m := d.mappings[l.Mapping]
	out[m] = append(out[m], Address{Location: location, Address: l.Address, Kind: profile.Kind(l.Kind)})
}

// Sizes are how much there is.
type Sizes struct {
	Mappings, Functions, Locations, Nodes, ViewNodes, Stacks, Groups, Series int
	Waiting                                                                  int   // addresses that were not looked up
	Memory                                                                   int64 // about, in bytes
	CutStacks, MergedSeries                                                  int64 // rows since the start
}

// Sizes counts.
func (d *Dict) Sizes() Sizes {
	d.mu.RLock()
	defer d.mu.RUnlock()
	s := Sizes{
		Mappings: len(d.mappings) - 1, Functions: len(d.functions) - 1, Locations: len(d.locations) - 1, Nodes: len(d.parent) - 1,
		ViewNodes: d.view.Nodes() - 1, Stacks: len(d.stacks) - 1, Groups: len(d.groups) - 1, Series: len(d.series) - 1,
		Waiting: d.waiting, CutStacks: d.cutStacks, MergedSeries: d.mergedSeries,
	}
	s.Memory = int64(cap(d.parent))*4 + int64(cap(d.location))*4 + int64(cap(d.stackOf))*4 + int64(len(d.nodeTable.slots))*4 +
		int64(cap(d.view.node))*4 + int64(cap(d.view.Parent))*9 + int64(len(d.view.table.slots))*4 + int64(cap(d.stacks))*4 +
		int64(len(d.locations))*(24+60) + int64(cap(d.lines))*8 + int64(cap(d.spans))*8 + int64(len(d.functions))*(64+90+200)
	return s
}
