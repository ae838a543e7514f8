package dict

import (
	"slices"
	"sync"

	"whyhot/internal/profile"
	"whyhot/internal/profile/label"
	"whyhot/internal/store/batch"
	"whyhot/internal/store/engine"
)

// Mapping is a binary.
type Mapping = batch.Mapping

// Function is a named piece of code. Its numbers are the dictionary's.
type Function = batch.Function

// Line is a place in a function; 0 when not known.
type Line struct {
	Function, Line uint32
}

// Location is one frame of a stack: an address, or (Function) a place in a function.
type Location struct {
	Mapping uint32
	Address uint64 // offset in the mapping's file
	Kind    uint8
	Named   bool
}

// Group is a program in a version of a service.
type Group struct {
	Service, Version, Process string
}

// Series is where a group runs.
type Series struct {
	Group           uint32
	Host, Container string
	Tags            label.Set
}

// Limits bound the dictionary. Zero values are the defaults. Compacted keeps what was used
// last within them; what one change brings is beside them, up to hard bounds.
type Limits struct {
	Nodes  int   // frames of all stacks; 16 M
	Bytes  int64 // of memory, about; 768 MiB
	Series int   // 200,000
}

func (l Limits) withDefaults() Limits {
	if l.Nodes == 0 {
		l.Nodes = 16 << 20
	}
	if l.Bytes == 0 {
		l.Bytes = 768 << 20
	}
	if l.Series == 0 {
		l.Series = 200_000
	}
	return l
}

// Names of what stands for what is not kept.
const (
	FullFrame = "[stacks not kept: the dictionary is full]"
	OldFrame  = "[stacks not kept: others were used since, and the dictionary is full]"
	Merged    = "(merged: too many)"
)

// Dict is the dictionary.
type Dict struct {
	limits Limits

	mu sync.RWMutex
	*tables

	epoch                   uint64 // counts Become
	cutStacks, mergedSeries int64
}

// tables are all of it. Numbers of stacks, groups and series are in the engine's rows: they
// stay, and those that no row has any more are given out again. The others are of the
// dictionary alone, without gaps, and new after each Become.
type tables struct {
	mappings  []Mapping
	functions []Function
	same      []uint32 // by function: the first that a reader cannot tell from it
	ids       []uint32 // by function: what readers know it by
	locations []Location
	resolved  []bool   // by location: it has a name, or was looked up
	spans     []span   // by location: where its lines are
	lines     []Line   // only ever appended to
	linesUsed int      // how many of them are some location's
	parent    []uint32 // by node
	location  []uint32 // by node
	stacks    []uint32 // node, by stack
	groups    []Group
	series    []Series
	view      *viewBuilder
	waiting   int   // addresses that were not looked up yet
	text      int64 // bytes of names

	// For finding numbers; only who changes the dictionary reads them.
	mappingOf    map[Mapping]uint32
	functionOf   map[Function]uint32
	identityOf   map[identity]uint32
	locationOf   map[locationKey]uint32
	nodeTable    pairs
	stackOf      []uint32 // by node; 0 for none
	groupOf      map[Group]uint32
	seriesOf     map[Series]uint32
	functionIDs  given
	stackNumbers numbers
	groupNumbers numbers
	seriesNumber numbers
}

type locationKey struct {
	mapping  uint32
	address  uint64
	kind     uint8
	function uint32
	line     uint32
	named    bool
}

// identity is what tells functions apart for a reader; as in view.Identity.
type identity struct {
	name, file string
	mapping    uint32
	startLine  uint32
	kind       uint8
}

// New makes an empty dictionary.
func New(l Limits) *Dict { return &Dict{limits: l.withDefaults(), tables: newTables()} }

func newTables() *tables {
	return &tables{
		mappings: []Mapping{{}}, functions: []Function{{}}, same: []uint32{0}, ids: []uint32{0},
		locations: []Location{{Named: true}}, resolved: []bool{true}, lines: []Line{{}}, linesUsed: 1, spans: []span{{0, 1}},
		parent: []uint32{0}, location: []uint32{0}, stacks: []uint32{0}, stackOf: []uint32{0},
		groups: []Group{{}}, series: []Series{{}}, view: newViewBuilder(),
		mappingOf: map[Mapping]uint32{{}: 0}, functionOf: map[Function]uint32{{}: 0}, identityOf: map[identity]uint32{{}: 0},
		locationOf: map[locationKey]uint32{}, groupOf: map[Group]uint32{}, seriesOf: map[Series]uint32{},
	}
}

// Blocks are the rows that a change brings, by table.
type Blocks map[*engine.Table]*engine.Block

// Of gives the block of a table, making it.
func (b Blocks) Of(t *engine.Table) *engine.Block {
	block := b[t]
	if block == nil {
		block = engine.NewBlock(t, 0)
		b[t] = block
	}
	return block
}

// List gives the blocks in the order in which tables must be written.
func (b Blocks) List() []*engine.Block {
	var out []*engine.Block
	for _, t := range engine.Tables() {
		if block := b[t]; block != nil && block.Len() > 0 {
			out = append(out, block)
		}
	}
	return out
}

func (d *Dict) mapping(m Mapping, out Blocks) uint32 {
	id, ok := d.mappingOf[m]
	if !ok {
		id = d.addMapping(m)
		out.Of(engine.Mappings).Append(id, m.Path, m.BuildID)
	}
	return id
}

func (d *tables) addMapping(m Mapping) uint32 {
	id := uint32(len(d.mappings))
	d.mappings = append(d.mappings, m)
	d.mappingOf[m] = id
	return id
}

func (d *Dict) function(f Function, out Blocks) uint32 {
	id, ok := d.functionOf[f]
	if !ok {
		known := d.functionIDs.next(d.ids[1:])
		id = d.addFunction(f, known)
		out.Of(engine.Functions).Append(known, f.Name, f.System, f.File, f.StartLine, f.Mapping, f.Kind)
	}
	return id
}

func (d *tables) addFunction(f Function, known uint32) uint32 {
	id := uint32(len(d.functions))
	d.functions = append(d.functions, f)
	d.ids = append(d.ids, known)
	d.text += int64(len(f.Name) + len(f.System) + len(f.File))
	d.functionOf[f] = id
	key := identity{name: f.Name, file: f.File, mapping: f.Mapping, startLine: f.StartLine, kind: f.Kind}
	if namesTell(profile.Kind(f.Kind)) {
		key.startLine = 0
	}
	first, ok := d.identityOf[key]
	if !ok {
		first = id
		d.identityOf[key] = id
	}
	d.same = append(d.same, first)
	return id
}

// namesTell says that two functions of one name in one file are the same one; as in
// internal/profile/view.
func namesTell(k profile.Kind) bool {
	return k == profile.KindNative || k == profile.KindKernel || k == profile.KindVDSO || k == profile.KindGo
}

func (d *Dict) locate(key locationKey, out Blocks) uint32 {
	id, ok := d.locationOf[key]
	if ok {
		return id
	}
	line := Line{key.function, key.line}
	if !key.named {
		line = Line{Function: d.function(Function{Mapping: key.mapping, Kind: key.kind}, out)}
	}
	id = d.addLocation(key, line)
	// An address has function 0: its lines are in the table of resolved names.
	out.Of(engine.Locations).Append(id, key.mapping, key.address, key.kind|namedBit(key.named), key.function, key.line)
	return id
}

// namedBit marks named frames in the stored kind.
func namedBit(named bool) uint8 {
	if named {
		return 0x80
	}
	return 0
}

func (d *tables) addLocation(key locationKey, line Line) uint32 {
	id := uint32(len(d.locations))
	d.locations = append(d.locations, Location{Mapping: key.mapping, Address: key.address, Kind: key.kind, Named: key.named})
	d.resolved = append(d.resolved, key.named)
	d.spans = append(d.spans, span{uint32(len(d.lines)), 1})
	d.lines = append(d.lines, line)
	d.linesUsed++
	d.locationOf[key] = id
	if !key.named {
		d.waiting++
	}
	return id
}

func (d *tables) linesOf(location uint32) []Line {
	return d.spans[location].of(d.lines)
}

// span is a part of a list.
type span struct{ start, n uint32 }

func (s span) of(lines []Line) []Line { return lines[s.start : s.start+s.n] }

// hardNodes is the part of their limit that nodes may be beyond it until those that were not
// used for longest go.
const hardNodes = 4

// node finds or makes a node; ok is false when there is no room for it.
func (d *Dict) node(parent, location uint32, out Blocks) (id uint32, ok bool) {
	id, slot := d.nodeTable.find(parent, location, func(n uint32) bool { return d.parent[n] == parent && d.location[n] == location })
	if id > 0 {
		return id, true
	}
	if len(d.parent) >= d.limits.Nodes+d.limits.Nodes/hardNodes {
		return 0, false
	}
	id = d.addNode(parent, location, slot)
	out.Of(engine.Nodes).Append(id, parent, location)
	return id, true
}

func (d *tables) addNode(parent, location uint32, slot int) uint32 {
	id := uint32(len(d.parent))
	d.parent = append(d.parent, parent)
	d.location = append(d.location, location)
	d.stackOf = append(d.stackOf, 0)
	d.nodeTable.add(id, slot, func(n uint32) (uint32, uint32) { return d.parent[n], d.location[n] })
	d.view.add(parent, d.linesOf(location), d.same)
	return id
}

// reserve makes room for so many nodes in tables that have none.
func (d *tables) reserve(nodes int) {
	d.parent, d.location = slices.Grow(d.parent, nodes), slices.Grow(d.location, nodes)
	d.stackOf, d.view.node = slices.Grow(d.stackOf, nodes), slices.Grow(d.view.node, nodes)
	d.nodeTable.reserve(nodes)
}

// stack gives the number of the stack that ends at a node.
func (d *Dict) stack(node uint32, out Blocks) uint32 {
	if node == 0 {
		return 0
	}
	id := d.stackOf[node]
	if id == 0 {
		id = d.stackNumbers.take(len(d.stacks))
		d.putStack(id, node)
		out.Of(engine.Stacks).Append(id, node)
	}
	return id
}

func (d *tables) putStack(id, node uint32) {
	d.stacks = grown(d.stacks, id)
	d.stacks[id] = node
	d.stackOf[node] = id
}

func (d *Dict) group(g Group, out Blocks) uint32 {
	id, ok := d.groupOf[g]
	if !ok {
		id = d.groupNumbers.take(len(d.groups))
		d.putGroup(id, g)
		out.Of(engine.Groups).Append(id, g.Service, g.Version, g.Process)
	}
	return id
}

func (d *tables) putGroup(id uint32, g Group) {
	d.groups = grown(d.groups, id)
	d.groups[id] = g
	d.groupNumbers.live = append(d.groupNumbers.live, id)
	d.groupOf[g] = id
}

// hardSeries is how many times their limit groups and series may be between two times that
// the oldest of them are put together.
const hardSeries = 2

func (d *Dict) seriesOfLabels(l *batch.Labels, out Blocks) uint32 {
	// Groups are series, too: their number is bounded by the same limit, or a service
	// that writes a version into its name at every start would grow without end.
	g := Group{l.Service, l.Version, l.Process}
	if _, known := d.groupOf[g]; !known && d.tooMany(len(d.groupOf), len(d.groups)) {
		g = Group{Merged, Merged, Merged}
	}
	s := Series{Group: d.group(g, out), Host: l.Host, Container: l.Container, Tags: l.Tags}
	id, ok := d.seriesOf[s]
	if ok {
		return id
	}
	if d.tooMany(len(d.seriesOf), len(d.series)) {
		d.mergedSeries++
		s.Host, s.Container, s.Tags = Merged, Merged, ""
		if id, ok = d.seriesOf[s]; ok {
			return id
		}
	}
	id = d.seriesNumber.take(len(d.series))
	d.putSeries(id, s)
	out.Of(engine.Series).Append(id, s.Group, s.Host, s.Container, string(s.Tags))
	return id
}

// tooMany says that there is room for no other of so many that differ, with so many
// numbers: rows keep the numbers of those that were put together.
func (d *Dict) tooMany(differ, numbers int) bool {
	return differ >= hardSeries*d.limits.Series || numbers >= 4*hardSeries*d.limits.Series
}

func (d *tables) putSeries(id uint32, s Series) {
	d.series = grown(d.series, id)
	d.series[id] = s
	d.text += int64(len(s.Tags))
	d.seriesNumber.live = append(d.seriesNumber.live, id)
	d.seriesOf[s] = id
}
