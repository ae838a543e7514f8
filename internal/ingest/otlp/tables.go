package otlp

import (
	"fmt"
	"math"
	"path"
	"strings"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/pprofile"

	"whyhot/internal/profile"
	"whyhot/internal/profile/codename"
)

// tables is the dictionary of one request, converted as samples ask for it.
type tables struct {
	d         *decoder
	dict      pprofile.ProfilesDictionary
	programs  map[string]string // see programsOf
	mappings  map[int32]place
	locations map[int32]profile.LocationID
	stacks    map[int32]profile.StackID
	texts     map[int32]string // of attributes that are neither text nor whole numbers
	scratch   []profile.LocationID
}

// place is where a mapping of the request went.
type place struct {
	path, buildID string
	start, limit  uint64
	offset        uint64
}

func newTables(d *decoder, pd pprofile.Profiles) *tables {
	return &tables{
		d: d, dict: pd.Dictionary(), programs: programsOf(pd), mappings: map[int32]place{}, locations: map[int32]profile.LocationID{}, stacks: map[int32]profile.StackID{},
		texts: map[int32]string{},
	}
}

// programsOf are the paths of the processes' executables by their names. The
// OpenTelemetry profiler gives the binaries of mappings by name alone. A name that
// stands for two paths is "".
func programsOf(pd pprofile.Profiles) map[string]string {
	out := map[string]string{}
	for _, rp := range pd.ResourceProfiles().All() {
		value, ok := rp.Resource().Attributes().Get(attrPath)
		if !ok || value.Type() != pcommon.ValueTypeStr {
			continue
		}
		file := value.Str()
		name := path.Base(file)
		if known, ok := out[name]; ok && known != file {
			file = ""
		}
		out[name] = file
	}
	return out
}

// within checks an index before it is followed.
func within(table string, i int32, n int) error {
	if i < 0 || int(i) >= n {
		return fmt.Errorf("index %d into %s, which has %d rows", i, table, n)
	}
	return nil
}

// text is a string of the table. Index 0 is "" even where the table is empty.
func (t *tables) text(i int32) (string, error) {
	if i == 0 {
		return "", nil
	}
	if err := within("string_table", i, t.dict.StringTable().Len()); err != nil {
		return "", err
	}
	return t.dict.StringTable().At(int(i)), nil
}

func (t *tables) attribute(i int32) (key string, value pcommon.Value, err error) {
	if err := within("attribute_table", i, t.dict.AttributeTable().Len()); err != nil {
		return "", value, err
	}
	a := t.dict.AttributeTable().At(int(i))
	key, err = t.text(a.KeyStrindex())
	return key, a.Value(), err
}

// stack converts one stack. Index 0 is the empty one.
func (t *tables) stack(i int32) (profile.StackID, error) {
	if id, ok := t.stacks[i]; ok {
		return id, nil
	}
	locs := t.scratch[:0]
	if i != 0 || t.dict.StackTable().Len() > 0 {
		if err := within("stack_table", i, t.dict.StackTable().Len()); err != nil {
			return 0, err
		}
		for _, l := range t.dict.StackTable().At(int(i)).LocationIndices().All() {
			id, err := t.location(l)
			if err != nil {
				return 0, fmt.Errorf("stack_table[%d]: %w", i, err)
			}
			locs = append(locs, id)
		}
	}
	t.scratch = locs
	id := t.d.b.Stack(locs)
	t.stacks[i] = id
	return id, nil
}

func (t *tables) location(i int32) (profile.LocationID, error) {
	if id, ok := t.locations[i]; ok {
		return id, nil
	}
	if err := within("location_table", i, t.dict.LocationTable().Len()); err != nil {
		return 0, err
	}
	id, err := t.newLocation(t.dict.LocationTable().At(int(i)))
	if err != nil {
		return 0, fmt.Errorf("location_table[%d]: %w", i, err)
	}
	t.locations[i] = id
	return id, nil
}

func (t *tables) newLocation(l pprofile.Location) (profile.LocationID, error) {
	kind, told, err := t.kind(l.AttributeIndices())
	if err != nil {
		return 0, err
	}
	at, err := t.mapping(l.MappingIndex())
	if err != nil {
		return 0, err
	}
	at = at.ofKind(kind)
	if !told {
		kind = codename.OfMapping(at.path)
	} else if kind == profile.KindNative && at.path == vdsoPath {
		kind = profile.KindVDSO
	}
	address := l.Address()
	if told && interpreted(kind) && l.MappingIndex() == 0 && l.Lines().Len() > 0 {
		// The OpenTelemetry profiler puts a position of the interpreter there, which is no address.
		address = 0
	}
	m, address := t.d.put(at, address)
	lines := make([]profile.Line, 0, l.Lines().Len())
	for _, line := range l.Lines().All() {
		fn, err := t.function(line.FunctionIndex(), m, at.path, kind, told)
		if err != nil {
			return 0, err
		}
		lines = append(lines, profile.Line{Function: fn, Line: clamp(line.Line())})
	}
	return t.d.b.Location(m, address, kind, lines...), nil
}

// interpreted tells whether frames of the kind have no machine address.
func interpreted(k profile.Kind) bool {
	switch k { //nolint:exhaustive // the others are machine code
	case profile.KindPython, profile.KindRuby, profile.KindPHP, profile.KindPerl, profile.KindJava, profile.KindJS, profile.KindDotNet, profile.KindLua, profile.KindR:
		return true
	}
	return false
}

func clamp(n int64) int32 { return int32(max(0, min(n, math.MaxInt32))) }

// kind reads the frame type; told is false where there is none.
func (t *tables) kind(attributes pcommon.Int32Slice) (kind profile.Kind, told bool, err error) {
	for _, i := range attributes.All() {
		key, value, err := t.attribute(i)
		if err != nil {
			return 0, false, err
		}
		if key == attrFrame && value.Type() == pcommon.ValueTypeStr {
			kind, told = kindByFrame[value.Str()]
			told = told || value.Str() == unknownFrame
		}
	}
	return kind, told, nil
}

// mapping reads a row of the mapping table. Index 0 is the unknown one.
func (t *tables) mapping(i int32) (place, error) {
	if i == 0 {
		return place{}, nil
	}
	if p, ok := t.mappings[i]; ok {
		return p, nil
	}
	if err := within("mapping_table", i, t.dict.MappingTable().Len()); err != nil {
		return place{}, err
	}
	m := t.dict.MappingTable().At(int(i))
	p := place{start: m.MemoryStart(), limit: m.MemoryLimit(), offset: m.FileOffset()}
	var err error
	if p.path, err = t.text(m.FilenameStrindex()); err != nil {
		return place{}, fmt.Errorf("mapping_table[%d]: %w", i, err)
	}
	if p.path == vdsoFile {
		p.path = vdsoPath
	}
	for _, a := range m.AttributeIndices().All() {
		key, value, err := t.attribute(a)
		if err != nil {
			return place{}, fmt.Errorf("mapping_table[%d]: %w", i, err)
		}
		switch {
		case key == attrBuildGNU:
			p.buildID = strings.ToLower(value.AsString())
		case key == attrBuildGo && p.buildID == "":
			p.buildID = value.AsString()
		}
	}
	// Without a build ID nobody could tell another file of that path apart.
	if full := t.programs[p.path]; full != "" && p.buildID != "" {
		p.path = full
	}
	t.mappings[i] = p
	return p, nil
}

// ofKind names the kernel and its modules as every reader does.
func (p place) ofKind(k profile.Kind) place {
	switch {
	case k != profile.KindKernel || strings.HasPrefix(p.path, "["):
	case p.path == "" || p.path == kernelFile:
		p.path = kernelPath
	default:
		p.path = "[" + p.path + "]"
	}
	return p
}

// put gives the model's mapping and address for an address in a place. The same
// piece of a binary at another base is moved to where it was first seen.
func (d *decoder) put(p place, address uint64) (profile.MappingID, uint64) {
	if p == (place{}) {
		return 0, address
	}
	piece := movedKey{p.path, p.buildID, p.offset}
	first, ok := d.moved[piece]
	if !ok {
		first = p.start
		d.moved[piece] = first
	}
	address += first - p.start
	start, limit := first, p.limit+(first-p.start)
	if limit <= start { // not told
		start, limit = address, address
	}
	key := segmentKey{p.path, p.buildID, first - p.offset}
	s := d.segments[key]
	if s == nil {
		s = &segment{start: start, limit: limit}
		// The row is made right by profile; until then it only has to be its own.
		s.id = d.b.Mapping(profile.Mapping{Path: p.path, BuildID: p.buildID, Offset: key.bias, Limit: math.MaxUint64})
		d.segments[key] = s
	}
	s.start, s.limit = min(s.start, start), max(s.limit, limit)
	if address != 0 {
		s.start, s.limit = min(s.start, address), max(s.limit, address+1)
	}
	return s.id, address
}

func (t *tables) function(i int32, m profile.MappingID, binary string, kind profile.Kind, told bool) (profile.FunctionID, error) {
	if i == 0 {
		return t.d.b.Unnamed(m, kind), nil
	}
	if err := within("function_table", i, t.dict.FunctionTable().Len()); err != nil {
		return 0, err
	}
	f := t.dict.FunctionTable().At(int(i))
	fn := profile.Function{Mapping: m, Kind: kind, StartLine: clamp(f.StartLine())}
	for _, s := range []struct {
		to    *string
		index int32
	}{{&fn.Name, f.NameStrindex()}, {&fn.SystemName, f.SystemNameStrindex()}, {&fn.File, f.FilenameStrindex()}} {
		text, err := t.text(s.index)
		if err != nil {
			return 0, fmt.Errorf("function_table[%d]: %w", i, err)
		}
		*s.to = text
	}
	if fn.SystemName == fn.Name {
		fn.SystemName = ""
	}
	if !told {
		fn.Kind = codename.Of(fn.Name, fn.File, binary)
	}
	return t.d.b.Function(fn), nil
}
