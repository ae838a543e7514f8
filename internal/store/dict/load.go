package dict

import (
	"fmt"
	"slices"

	"whyhot/internal/profile/label"
	"whyhot/internal/store/engine"
)

// Load adds the rows of one of the dictionary's tables, as the engine gives them. The
// tables come in the order of engine.Tables; LoadResolved and Loaded end it.
func (d *Dict) Load(b *engine.Block) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if err := d.checkNumbers(b); err != nil {
		return err
	}
	ids := b.Uint32s("id")
	switch b.Table {
	case engine.Mappings:
		paths, builds := b.Texts("path"), b.Texts("build_id")
		for i := range paths {
			d.addMapping(Mapping{Path: paths[i], BuildID: builds[i]})
		}
	case engine.Functions:
		names, systems, files := b.Texts("name"), b.Texts("system_name"), b.Texts("file")
		starts, mappings, kinds := b.Uint32s("start_line"), b.Uint32s("mapping"), b.Uint8s("kind")
		for i := range names {
			if int(mappings[i]) >= len(d.mappings) {
				return dangling(b, i)
			}
			d.functionIDs.load(ids[i], d.ids[1:])
			d.addFunction(Function{Name: names[i], System: systems[i], File: files[i], StartLine: starts[i], Mapping: mappings[i], Kind: kinds[i]}, ids[i])
		}
	case engine.Locations:
		return d.loadLocations(b)
	case engine.Nodes:
		parents, locations := b.Uint32s("parent"), b.Uint32s("location")
		for i := range parents {
			if int(parents[i]) >= len(d.parent) || int(locations[i]) >= len(d.locations) {
				return dangling(b, i)
			}
			_, slot := d.nodeTable.find(parents[i], locations[i], func(uint32) bool { return false })
			d.addNode(parents[i], locations[i], slot)
		}
	case engine.Stacks:
		for i, node := range b.Uint32s("node") {
			if int(node) >= len(d.parent) {
				return dangling(b, i)
			}
			d.putStack(ids[i], node)
		}
	case engine.Groups:
		services, versions, processes := b.Texts("service"), b.Texts("version"), b.Texts("process")
		for i := range services {
			d.putGroup(ids[i], Group{services[i], versions[i], processes[i]})
		}
	case engine.Series:
		groups, hosts, containers := b.Uint32s("grp"), b.Texts("host"), b.Texts("container")
		tags := b.Texts("labels")
		for i := range groups {
			if int(groups[i]) >= len(d.groups) {
				return dangling(b, i)
			}
			d.putSeries(ids[i], Series{Group: groups[i], Host: hosts[i], Container: containers[i], Tags: label.Set(tags[i])})
		}
	}
	return nil
}

// maxNumber is more than numbers of stacks, groups and series reach: a larger one is damage,
// and would take the memory.
const maxNumber = 1 << 28

// checkNumbers says whether rows have the numbers that they can have: by position, and of
// what the engine's rows refer to any, each once.
func (d *Dict) checkNumbers(b *engine.Block) error {
	next, any := map[*engine.Table]int{engine.Mappings: len(d.mappings), engine.Locations: len(d.locations), engine.Nodes: len(d.parent)}[b.Table], false
	taken := func(uint32) bool { return false }
	switch b.Table {
	case engine.Functions:
		any = true
	case engine.Stacks:
		any, taken = true, func(id uint32) bool { return int(id) < len(d.stacks) && d.stacks[id] > 0 }
	case engine.Groups:
		any, taken = true, func(id uint32) bool { return int(id) < len(d.groups) && d.groups[id] != Group{} }
	case engine.Series:
		any, taken = true, func(id uint32) bool { return int(id) < len(d.series) && d.series[id] != Series{} }
	}
	for i, id := range b.Uint32s("id") {
		wrong := int(id) != next+i
		if any {
			wrong = id == 0 || id > maxNumber && b.Table != engine.Functions || taken(id)
		}
		if wrong {
			return fmt.Errorf("%w: row %d of a block of %s has the id %d", engine.ErrDamaged, i, b.Table.Name, id)
		}
	}
	return nil
}

// Loaded ends the loading: what of the numbers is not in use may be given out.
func (d *Dict) Loaded() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.stackNumbers.free = unused(len(d.stacks), func(id uint32) bool { return d.stacks[id] > 0 })
	for _, n := range []struct {
		*numbers
		length int
	}{{&d.groupNumbers, len(d.groups)}, {&d.seriesNumber, len(d.series)}} {
		live := make([]bool, n.length)
		for _, id := range n.live {
			live[id] = true
		}
		n.free = unused(n.length, func(id uint32) bool { return live[id] })
	}
}

// unused are the numbers from 1 on that are not in use, the smallest last: they are given
// out first, and numbers stay dense.
func unused(length int, inUse func(id uint32) bool) (free []uint32) {
	for id := length - 1; id > 0; id-- {
		if !inUse(uint32(id)) {
			free = append(free, uint32(id))
		}
	}
	return free
}

func dangling(b *engine.Block, row int) error {
	return fmt.Errorf("%w: row %d of a block of %s leads nowhere", engine.ErrDamaged, row, b.Table.Name)
}

func (d *Dict) loadLocations(b *engine.Block) error {
	mappings, addresses, kinds := b.Uint32s("mapping"), b.Uint64s("address"), b.Uint8s("kind")
	functions, lines := b.Uint32s("function"), b.Uint32s("line")
	for i := range mappings {
		if int(mappings[i]) >= len(d.mappings) || int(functions[i]) >= len(d.functions) {
			return dangling(b, i)
		}
		key := locationKey{
			mapping: mappings[i], address: addresses[i], kind: kinds[i] &^ 0x80, function: functions[i], line: lines[i], named: kinds[i]&0x80 != 0,
		}
		line := Line{key.function, key.line}
		if !key.named {
			id, ok := d.functionOf[Function{Mapping: key.mapping, Kind: key.kind}]
			if !ok {
				return dangling(b, i)
			}
			line = Line{Function: id}
		}
		d.addLocation(key, line)
	}
	return nil
}

// LoadResolved adds rows of engine.Resolved: all of them, or those that were added since. They
// come after what they refer to, and rows of one generation follow each other.
func (d *Dict) LoadResolved(b *engine.Block) error {
	d.mu.Lock()
	type best struct {
		generation uint32
		lines      []Line
	}
	found := map[uint32]*best{}
	locations, generations, positions := b.Uint32s("location"), b.Uint32s("generation"), b.Uint32s("position")
	functions, lineNumbers := b.Uint32s("function"), b.Uint32s("line")
	for i, loc := range locations {
		if int(loc) >= len(d.locations) || int(functions[i]) >= len(d.functions) {
			d.mu.Unlock()
			return dangling(b, i)
		}
		have := found[loc]
		if have == nil || generations[i] > have.generation {
			have = &best{generation: generations[i]}
			found[loc] = have
		}
		if generations[i] == have.generation && int(positions[i]) == len(have.lines) && functions[i] > 0 {
			have.lines = append(have.lines, Line{functions[i], lineNumbers[i]})
		}
	}
	lines := map[uint32][]Line{}
	for loc, have := range found {
		d.settle(loc)
		if len(have.lines) == 0 { // no name, where there may have been one
			at := &d.locations[loc]
			have.lines = []Line{{Function: d.functionOf[Function{Mapping: at.Mapping, Kind: at.Kind}]}}
		}
		if !slices.Equal(have.lines, d.linesOf(loc)) {
			lines[loc] = have.lines
		}
	}
	d.mu.Unlock()
	d.rename(lines)
	return nil
}
