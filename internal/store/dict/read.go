package dict

import (
	"slices"

	"whyhot/internal/profile"
	"whyhot/internal/store/engine"
)

// View is the tree of functions as it is now.
func (d *Dict) View() View {
	d.mu.RLock()
	defer d.mu.RUnlock()
	return d.viewNow()
}

func (d *Dict) viewNow() View {
	v := d.view.View
	v.stack = d.stacks
	return v
}

// Snapshot is all of the tables as they are now. Rows are never changed, only added; stacks,
// groups and series that are not in use may be any.
type Snapshot struct {
	// Epoch counts how often numbers got another meaning: those of two snapshots are about
	// the same things where their epochs are the same.
	Epoch     uint64
	View      View
	Mappings  []Mapping
	Functions []Function
	Same      []uint32 // by function: the first that a reader cannot tell from it
	IDs       []uint32 // by function: what others know it by
	Locations []Location
	Parent    []uint32 // by node
	Location  []uint32 // by node
	Stacks    []uint32 // node, by stack
	Groups    []Group
	Series    []Series
	// GroupNumbers and SeriesNumbers are those that stand for something, in no order.
	GroupNumbers, SeriesNumbers []uint32

	spans []span
	lines []Line
}

// Lines are the frames of a location, innermost first.
func (s *Snapshot) Lines(location uint32) []Line {
	return s.spans[location].of(s.lines)
}

// Numbered gives the function that others know by a number.
func (s *Snapshot) Numbered(id uint32) (function uint32, ok bool) {
	i := slices.Index(s.IDs, id) // few are asked for, and the list is short against the tree
	return uint32(max(i, 0)), i >= 0
}

// Snapshot gives the tables.
func (d *Dict) Snapshot() Snapshot {
	d.mu.RLock()
	defer d.mu.RUnlock()
	return Snapshot{
		Epoch: d.epoch, View: d.viewNow(), GroupNumbers: d.groupNumbers.live, SeriesNumbers: d.seriesNumber.live,
		Mappings: d.mappings, Functions: d.functions, Same: d.same, IDs: d.ids, Locations: d.locations, Parent: d.parent, Location: d.location, Stacks: d.stacks,
		Groups: d.groups, Series: d.series, spans: d.spans, lines: d.lines,
	}
}

// Knows says whether all numbers of a column of sums stand for something.
func (d *Dict) Knows(column string, ids []uint32) bool {
	d.mu.RLock()
	defer d.mu.RUnlock()
	known := func(uint32) bool { return true }
	switch column {
	case engine.ColStack:
		known = func(id uint32) bool { return int(id) < len(d.stacks) && d.stacks[id] > 0 }
	case engine.ColGroup:
		known = func(id uint32) bool { return int(id) < len(d.groups) && d.groups[id] != Group{} }
	case engine.ColSeries:
		known = func(id uint32) bool { return int(id) < len(d.series) && d.series[id] != Series{} }
	}
	return !slices.ContainsFunc(ids, func(id uint32) bool { return id > 0 && !known(id) })
}

// HasBinary says whether there are frames of the binary of a build ID.
func (d *Dict) HasBinary(buildID string) bool {
	d.mu.RLock()
	defer d.mu.RUnlock()
	return slices.ContainsFunc(d.mappings, func(m Mapping) bool { return m.BuildID == buildID })
}

// Address is one that has no name yet.
type Address struct {
	Address uint64 // offset in the mapping's file
	Kind    profile.Kind
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
	out[m] = append(out[m], Address{Address: l.Address, Kind: profile.Kind(l.Kind)})
}

// Sizes are how much there is.
type Sizes struct {
	Mappings, Functions, Locations, Nodes, ViewNodes, Stacks, Groups, Series int
	Waiting                                                                  int   // addresses that were not looked up
	Memory                                                                   int64 // about, in bytes
	CutStacks, MergedSeries                                                  int64 // rows since the start
	Limits                                                                   Limits
}

// Sizes counts.
func (d *Dict) Sizes() Sizes {
	d.mu.RLock()
	defer d.mu.RUnlock()
	s := d.sizes()
	s.CutStacks, s.MergedSeries, s.Limits = d.cutStacks, d.mergedSeries, d.limits
	return s
}

func (d *tables) sizes() Sizes {
	return Sizes{
		Mappings: len(d.mappings) - 1, Functions: len(d.functions) - 1, Locations: len(d.locations) - 1, Nodes: len(d.parent) - 1,
		ViewNodes: d.view.Nodes() - 1, Stacks: len(d.stacks) - 1 - len(d.stackNumbers.free), Groups: len(d.groupOf), Series: len(d.seriesOf),
		Waiting: d.waiting, Memory: d.memory(),
	}
}

// Bytes of memory, about, with the tables by which numbers are found.
const (
	bytesOfNode     = 44
	bytesOfLocation = 100
	bytesOfFunction = 260 // and its names
	bytesOfSeries   = 200
)

func (d *tables) memory() int64 {
	return int64(len(d.parent))*bytesOfNode + int64(cap(d.view.Parent)-min(cap(d.view.Parent), len(d.parent)))*9 +
		int64(len(d.stacks))*8 + int64(len(d.locations))*bytesOfLocation + int64(cap(d.lines)-min(cap(d.lines), len(d.locations)))*8 +
		int64(len(d.functions))*bytesOfFunction + d.text + int64(len(d.series)+len(d.groups))*bytesOfSeries
}
