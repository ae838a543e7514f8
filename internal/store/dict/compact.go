package dict

import (
	"cmp"
	"slices"

	"whyhot/internal/store/engine"
)

// Kept says what of the dictionary rows of the engine refer to.
type Kept struct {
	// After is a commit: what later ones used is kept whatever the lists say.
	After uint64
	// By number, the last day since the epoch that has a row of it; 0 for none.
	Stacks, Groups, Series []uint32
}

// Compaction is a dictionary without what is not kept, which takes the place of another.
type Compaction struct {
	// Blocks are all rows of the dictionary's tables.
	Blocks Blocks
	// Before and After are the sizes. Evicted are stacks that rows refer to, and that had to
	// go because there are too many; Merged are groups and series that were put together.
	Before, After   Sizes
	Evicted, Merged int

	tables *tables
}

// Pays says whether a tenth of anything would go, or something had to.
func (c *Compaction) Pays() bool {
	for _, n := range [][2]int{
		{c.Before.Mappings, c.After.Mappings}, {c.Before.Functions, c.After.Functions}, {c.Before.Locations, c.After.Locations},
		{c.Before.Nodes, c.After.Nodes}, {c.Before.Stacks, c.After.Stacks}, {c.Before.Groups, c.After.Groups}, {c.Before.Series, c.After.Series},
	} {
		if gone := n[0] - n[1]; gone > 0 && 10*gone >= n[0] {
			return true
		}
	}
	return c.Evicted > 0 || c.Merged > 0
}

// Parts of the limits: where what is kept exceeds the first, the least recently used goes
// until the second is left, so that there is room for a while.
const (
	mostStacks, leaveStacks = 0.875, 0.5
	mostSeries, leaveSeries = 0.95, 0.85
)

// Full says that stacks, or else that groups or series, are at their limit. What is new is
// still taken, up to hard bounds.
func (d *Dict) Full() (stacks, series bool) {
	d.mu.RLock()
	defer d.mu.RUnlock()
	return len(d.parent) >= d.limits.Nodes || d.memory() >= d.limits.Bytes, max(len(d.groupOf), len(d.seriesOf)) >= d.limits.Series
}

// Compacted is the dictionary without what is not kept, within the limits. Nothing changes
// until Become; between the two the dictionary must not change.
//
// Method. Stacks mark their nodes up to the root, these their frames, these functions and
// binaries. Where that is too much only the stacks that were used last mark theirs, as far
// as there is room, and the others become one that says so. What is marked is numbered anew
// in the same order, so that parents still come before their children.
func (d *Dict) Compacted(k *Kept) *Compaction {
	c := &compactor{old: d.tables, limits: d.limits, kept: k}
	c.mark()
	c.next = &Dict{limits: d.limits, tables: newTables()}
	c.next.functionIDs.last = d.functionIDs.last
	c.names()
	c.stacks()
	c.labels()
	if d.functionIDs.taken != nil {
		c.next.functionIDs.again(c.next.ids[1:])
	}
	return &Compaction{
		Blocks: c.out, Before: d.tables.sizes(), After: c.next.sizes(), Evicted: c.evicted, Merged: c.merged, tables: c.next.tables,
	}
}

// Become puts a compaction in the place of the dictionary it was made of. Readers that have
// numbers of before see by Epoch that these mean something else now.
func (d *Dict) Become(c *Compaction) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.tables = c.tables
	d.epoch++
}

// Take puts what was loaded elsewhere in the place of the dictionary.
func (d *Dict) Take(loaded *Dict) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.tables = loaded.tables
	d.epoch++
}

type compactor struct {
	old    *tables
	limits Limits
	kept   *Kept
	next   *Dict
	out    Blocks

	// What is marked, by old number; new numbers once it has them.
	mappings, functions, locations, nodes []uint32
	marked                                int // nodes
	bytes                                 int64
	stack                                 []bool // that keeps its frames
	evicted, merged                       int
}

// rank orders what is kept by its last use: the higher the later. 0 is not kept, and what is
// certainly to stay is at least sure.
func rank(k *Kept, n *numbers, days []uint32, id uint32) uint64 {
	used := n.lastUse(id)
	switch {
	case uint64(used) > k.After:
		return sure | uint64(used)
	case int(id) >= len(days) || days[id] == 0:
		return 0
	case used > 0:
		return 1<<32 | uint64(used)
	}
	return uint64(days[id])
}

const sure = 1 << 33

// mark marks what is kept.
func (c *compactor) mark() {
	c.clear()
	type ranked struct {
		id   uint32
		rank uint64
	}
	var live []ranked
	for id := uint32(1); int(id) < len(c.old.stacks); id++ {
		if r := rank(c.kept, &c.old.stackNumbers, c.kept.Stacks, id); r > 0 && c.old.stacks[id] > 0 {
			live = append(live, ranked{id, r})
			c.keep(id)
		}
	}
	if !c.beyond(mostStacks) {
		return
	}
	slices.SortFunc(live, func(a, b ranked) int { return cmp.Or(cmp.Compare(b.rank, a.rank), cmp.Compare(b.id, a.id)) })
	c.clear()
	for _, s := range live {
		if s.rank < sure && c.beyond(leaveStacks) {
			break
		}
		c.keep(s.id)
	}
}

func (c *compactor) clear() {
	c.mappings, c.functions = make([]uint32, len(c.old.mappings)), make([]uint32, len(c.old.functions))
	c.locations, c.nodes = make([]uint32, len(c.old.locations)), make([]uint32, len(c.old.parent))
	c.stack, c.marked, c.bytes = make([]bool, len(c.old.stacks)), 0, 0
}

func (c *compactor) beyond(part float64) bool {
	return float64(c.marked) > part*float64(c.limits.Nodes) || float64(c.bytes) > part*float64(c.limits.Bytes)
}

const isMarked = 1

func (c *compactor) keep(stack uint32) {
	c.stack[stack] = true
	for n := c.old.stacks[stack]; n > 0 && c.nodes[n] == 0; n = c.old.parent[n] {
		c.nodes[n] = isMarked
		c.marked++
		c.bytes += bytesOfNode
		at := c.old.location[n]
		if c.locations[at] != 0 {
			continue
		}
		c.locations[at] = isMarked
		c.bytes += bytesOfLocation
		l := &c.old.locations[at]
		c.mappings[l.Mapping] = isMarked
		if !l.Named {
			c.function(c.old.functionOf[Function{Mapping: l.Mapping, Kind: l.Kind}])
		}
		for _, line := range c.old.linesOf(at) {
			c.function(line.Function)
			c.function(c.old.same[line.Function]) // readers know it by that one
		}
	}
}

func (c *compactor) function(id uint32) {
	if c.functions[id] != 0 {
		return
	}
	c.functions[id] = isMarked
	f := &c.old.functions[id]
	c.mappings[f.Mapping] = isMarked
	c.bytes += bytesOfFunction + int64(len(f.Name)+len(f.System)+len(f.File))
}

// names gives binaries, functions and frames their new numbers.
func (c *compactor) names() {
	c.out = Blocks{}
	for id := 1; id < len(c.mappings); id++ {
		if c.mappings[id] != 0 {
			c.mappings[id] = c.next.mapping(c.old.mappings[id], c.out)
		}
	}
	c.mappings[0], c.functions[0] = 0, 0
	functions := c.out.Of(engine.Functions)
	for id := 1; id < len(c.functions); id++ {
		if c.functions[id] == 0 {
			continue
		}
		f := c.old.functions[id]
		f.Mapping = c.mappings[f.Mapping]
		c.functions[id] = c.next.addFunction(f, c.old.ids[id])
		functions.Append(c.old.ids[id], f.Name, f.System, f.File, f.StartLine, f.Mapping, f.Kind)
	}
	for id := 1; id < len(c.locations); id++ {
		if c.locations[id] != 0 {
			c.locations[id] = c.frame(uint32(id))
		}
	}
}

// frame gives a location its new number, and the names that were found for it.
func (c *compactor) frame(id uint32) uint32 {
	l, lines := &c.old.locations[id], c.old.linesOf(id)
	key := locationKey{mapping: c.mappings[l.Mapping], address: l.Address, kind: l.Kind, named: l.Named}
	if l.Named {
		key.function, key.line = c.functions[lines[0].Function], lines[0].Line
		return c.next.locate(key, c.out)
	}
	to := c.next.locate(key, c.out)
	if !c.old.resolved[id] {
		return to
	}
	nameless := c.next.linesOf(to)[0].Function
	named := make([]Line, len(lines))
	for i, line := range lines {
		named[i] = Line{c.functions[line.Function], line.Line}
		written := named[i].Function
		if written == nameless {
			written = 0
		}
		c.out.Of(engine.Resolved).Append(to, uint32(0), uint32(i), written, line.Line)
	}
	next := c.next.tables
	next.settle(to)
	next.linesUsed += len(named) - 1
	next.spans[to] = span{uint32(len(next.lines)), uint32(len(named))}
	next.lines = append(next.lines, named...)
	return to
}

// stacks gives nodes their new numbers. Stacks have the old ones.
func (c *compactor) stacks() {
	next := c.next.tables
	next.reserve(c.marked + 2)
	nodes := c.out.Of(engine.Nodes)
	for id := 1; id < len(c.nodes); id++ {
		if c.nodes[id] == 0 {
			continue
		}
		parent, location := c.nodes[c.old.parent[id]], c.locations[c.old.location[id]]
		_, slot := next.nodeTable.find(parent, location, func(n uint32) bool { return next.parent[n] == parent && next.location[n] == location })
		c.nodes[id] = next.addNode(parent, location, slot)
		nodes.Append(c.nodes[id], parent, location)
	}
	rows := c.out.Of(engine.Stacks)
	next.stacks = make([]uint32, max(len(c.old.stacks), len(c.kept.Stacks)))
	gone := uint32(0) // the node that stands for what has gone
	for id := uint32(1); int(id) < len(next.stacks); id++ {
		switch {
		case int(id) < len(c.stack) && c.stack[id]:
			next.putStack(id, c.nodes[c.old.stacks[id]])
		case rank(c.kept, &c.old.stackNumbers, c.kept.Stacks, id) > 0:
			if gone == 0 {
				gone = c.next.markerNode(OldFrame, c.out)
			}
			c.evicted++
			next.putStack(id, gone)
		default:
			continue
		}
		rows.Append(id, next.stacks[id])
		if used := c.old.stackNumbers.lastUse(id); used > 0 {
			next.stackNumbers.use(id, uint64(used))
		}
	}
	next.stackNumbers.free = unused(len(next.stacks), func(id uint32) bool { return next.stacks[id] > 0 })
}

// labels are the groups and series. Those that were used last are told apart, as far as
// there is room.
func (c *compactor) labels() {
	next := c.next.tables
	rowsOfGroups, rowsOfSeries := c.out.Of(engine.Groups), c.out.Of(engine.Series)
	next.groups = make([]Group, max(len(c.old.groups), len(c.kept.Groups)))
	order, room := c.byUse(&c.old.groupNumbers, c.kept.Groups, len(next.groups))
	for i, id := range order {
		g := Group{Merged, Merged, Merged}
		if i < room && int(id) < len(c.old.groups) && c.old.groups[id] != (Group{}) {
			g = c.old.groups[id]
		} else {
			c.merged++
		}
		next.putGroup(id, g)
		rowsOfGroups.Append(id, g.Service, g.Version, g.Process)
		next.groupNumbers.use(id, uint64(c.old.groupNumbers.lastUse(id)))
	}
	next.groupNumbers.free = unused(len(next.groups), func(id uint32) bool { return next.groups[id] != Group{} })
	next.series = make([]Series, max(len(c.old.series), len(c.kept.Series)))
	order, room = c.byUse(&c.old.seriesNumber, c.kept.Series, len(next.series))
	for i, id := range order {
		s := Series{Host: Merged, Container: Merged}
		if int(id) < len(c.old.series) {
			s.Group = c.old.series[id].Group
			if i < room && s.Group > 0 && next.groups[s.Group].Service != Merged {
				s = c.old.series[id]
			}
		}
		if int(s.Group) >= len(next.groups) || next.groups[s.Group] == (Group{}) {
			s.Group = c.next.group(Group{Merged, Merged, Merged}, c.out)
		}
		if s.Host == Merged {
			c.merged++
		}
		next.putSeries(id, s)
		rowsOfSeries.Append(id, s.Group, s.Host, s.Container, string(s.Tags))
		next.seriesNumber.use(id, uint64(c.old.seriesNumber.lastUse(id)))
	}
	next.seriesNumber.free = unused(len(next.series), func(id uint32) bool { return next.series[id] != Series{} })
}

// byUse are the numbers that are kept, those that were used last first, and how many of
// them there is room for.
func (c *compactor) byUse(n *numbers, days []uint32, length int) (order []uint32, room int) {
	ranks := make([]uint64, length)
	for id := uint32(1); int(id) < length; id++ {
		if ranks[id] = rank(c.kept, n, days, id); ranks[id] > 0 {
			order = append(order, id)
		}
	}
	slices.SortFunc(order, func(a, b uint32) int { return cmp.Or(cmp.Compare(ranks[b], ranks[a]), cmp.Compare(b, a)) })
	if float64(len(order)) > mostSeries*float64(c.limits.Series) {
		return order, int(leaveSeries * float64(c.limits.Series))
	}
	return order, len(order)
}
