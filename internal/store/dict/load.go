package dict

import (
	"fmt"

	"whyhot/internal/store/engine"
)

// Load adds the rows of one of the dictionary's tables, as the engine gives them. The
// tables come in the order of engine.Tables; Loaded ends it.
func (d *Dict) Load(b *engine.Block) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	next := map[*engine.Table]int{
		engine.Mappings: len(d.mappings), engine.Functions: len(d.functions), engine.Locations: len(d.locations), engine.Nodes: len(d.parent),
		engine.Stacks: len(d.stacks), engine.Groups: len(d.groups), engine.Series: len(d.series),
	}[b.Table]
	for i, id := range b.Uint32s("id") {
		if int(id) != next+i {
			return fmt.Errorf("%w: row %d of %s has the id %d", engine.ErrDamaged, next+i, b.Table.Name, id)
		}
	}
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
			d.addFunction(Function{Name: names[i], System: systems[i], File: files[i], StartLine: starts[i], Mapping: mappings[i], Kind: kinds[i]})
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
			d.addStack(node)
		}
	case engine.Groups:
		services, versions, processes := b.Texts("service"), b.Texts("version"), b.Texts("process")
		for i := range services {
			d.addGroup(Group{services[i], versions[i], processes[i]})
		}
	case engine.Series:
		groups, hosts, containers := b.Uint32s("grp"), b.Texts("host"), b.Texts("container")
		for i := range groups {
			if int(groups[i]) >= len(d.groups) {
				return dangling(b, i)
			}
			d.addSeries(Series{Group: groups[i], Host: hosts[i], Container: containers[i]})
		}
	}
	return nil
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

// LoadResolved adds the rows of engine.Resolved, all of them. It comes after the other
// tables: rows of one generation follow each other.
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
		if len(have.lines) > 0 {
			lines[loc] = have.lines
		}
	}
	d.mu.Unlock()
	d.rename(lines)
	return nil
}
