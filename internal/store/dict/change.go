package dict

import (
	"whyhot/internal/store/batch"
	"whyhot/internal/store/engine"
)

// Row is a row of the engine's table of samples.
type Row struct {
	Minute, Group, Series, Stack uint32
	Period                       int64
	Count                        uint32
}

// Apply puts the batch's numbers in terms of the dictionary. What is new goes to out,
// the rows to the end of rows. The commit is that which the rows will be in.
func (d *Dict) Apply(b *batch.Batch, commit uint64, out Blocks, rows []Row) []Row {
	d.mu.Lock()
	defer d.mu.Unlock()
	mappings := make([]uint32, len(b.Mappings))
	for i, m := range b.Mappings {
		mappings[i] = d.mapping(m, out)
	}
	functions := make([]uint32, len(b.Functions))
	for i, f := range b.Functions {
		f.Mapping = mappings[f.Mapping]
		functions[i] = d.function(f, out)
	}
	locations := make([]uint32, len(b.Locations))
	for i := range b.Locations {
		l := &b.Locations[i]
		key := locationKey{mapping: mappings[l.Mapping], address: l.Address, kind: l.Kind, line: l.Line, named: l.Named}
		if l.Named {
			key.address, key.function = 0, functions[l.Function]
		}
		locations[i] = d.locate(key, out)
	}
	nodes := make([]uint32, len(b.Nodes)+1)
	kept := make([]bool, len(nodes))
	kept[0] = true
	for i, n := range b.Nodes {
		if kept[n.Parent] {
			nodes[i+1], kept[i+1] = d.node(nodes[n.Parent], locations[n.Location], out)
		}
	}
	stacks := make([]uint32, len(nodes))
	known := make([]bool, len(nodes))
	series := make([]uint32, len(b.Labels))
	for i := range b.Labels {
		series[i] = d.seriesOfLabels(&b.Labels[i], out)
		d.seriesNumber.use(series[i], commit)
		d.groupNumbers.use(d.series[series[i]].Group, commit)
	}
	for i := range b.Rows {
		r := &b.Rows[i]
		if !known[r.Stack] {
			known[r.Stack] = true
			if kept[r.Stack] {
				stacks[r.Stack] = d.stack(nodes[r.Stack], out)
			} else {
				stacks[r.Stack] = d.marker(FullFrame, out)
			}
			d.stackNumbers.use(stacks[r.Stack], commit)
		}
		if !kept[r.Stack] {
			d.cutStacks++
		}
		s := series[r.Labels]
		rows = append(rows, Row{Minute: r.Minute, Group: d.series[s].Group, Series: s, Stack: stacks[r.Stack], Period: r.Period, Count: r.Count})
	}
	return rows
}

// marker is the stack of one frame that stands for those there was no room for.
func (d *Dict) marker(name string, out Blocks) uint32 { return d.stack(d.markerNode(name, out), out) }

func (d *Dict) markerNode(name string, out Blocks) uint32 {
	function := d.function(Function{Name: name}, out)
	location := d.locate(locationKey{function: function, named: true}, out)
	limit := d.limits.Nodes
	d.limits.Nodes = len(d.parent) + 1 // for this one there is room
	node, _ := d.node(0, location, out)
	d.limits.Nodes = limit
	return node
}

// Resolution is what was found for an address of a binary: its frames, innermost first; none
// when there is no name. Function.Mapping is ignored, that of the address holds.
type Resolution struct {
	Mapping Mapping
	Address uint64
	Kind    uint8
	Frames  []Frame
}

// Frame is a function and a line.
type Frame struct {
	Function Function
	Line     uint32
}

// At gives the address of a location, for what was written down by number.
func (d *Dict) At(location uint32) (r Resolution, ok bool) {
	if int(location) >= len(d.locations) || d.locations[location].Named {
		return r, false
	}
	l := &d.locations[location]
	return Resolution{Mapping: d.mappings[l.Mapping], Address: l.Address, Kind: l.Kind}, true
}

// Resolve gives addresses names; those that have gone meanwhile are passed over. Readers go
// on with the tree of functions as it was until all of it is done.
func (d *Dict) Resolve(found []Resolution, generation uint32, out Blocks) {
	d.mu.Lock()
	lines := map[uint32][]Line{}
	for _, r := range found {
		mapping, known := d.mappingOf[r.Mapping]
		location, there := d.locationOf[locationKey{mapping: mapping, address: r.Address, kind: r.Kind}]
		if !known || !there {
			continue
		}
		named := make([]Line, 0, max(1, len(r.Frames)))
		for i, f := range r.Frames {
			f.Function.Mapping = mapping
			line := Line{d.function(f.Function, out), f.Line}
			named = append(named, line)
			out.Of(engine.Resolved).Append(location, generation, uint32(i), line.Function, line.Line)
		}
		if len(named) == 0 {
			out.Of(engine.Resolved).Append(location, generation, uint32(0), uint32(0), uint32(0))
			named = append(named, Line{Function: d.function(Function{Mapping: mapping, Kind: r.Kind}, out)})
		}
		lines[location] = named
		d.settle(location)
	}
	d.mu.Unlock()
	d.rename(lines)
}

func (d *tables) settle(location uint32) {
	if !d.resolved[location] {
		d.resolved[location] = true
		d.waiting--
	}
}
