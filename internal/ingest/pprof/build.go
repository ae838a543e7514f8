package pprof

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"whyhot/internal/profile"
	"whyhot/internal/profile/codename"
)

// build turns tables and samples into a profile.
type build struct {
	b    *profile.Builder
	t    *tables
	cols columns

	comments  []string
	kinds     map[uint64]profile.Kind // by function ID, from a comment of ours
	mappings  idTable                 // pprof ID → index of bases
	bases     []base
	functions idTable // pprof ID → index of tables.functions
	names     []names // by index of tables.functions
	locations idTable // pprof ID → LocationID
	goProgram bool

	locs      []profile.LocationID
	ids       []uint64
	values    []int64
	seen      []int64 // sum of the absolute values of every sample type
	labels    labelCache
	n         int // samples in the file
	most      int // different ones, 0 for any number
	kept      int // samples with a value
	danglingM int
	danglingF int
}

// base is where a mapping of the file lies in ours.
type base struct {
	id    profile.MappingID
	kind  profile.Kind
	shift uint64 // what is added to an address, modulo 2^64
}

// names are the resolved strings of a function, and what it became in the
// mapping in which it was last met: almost always the only one.
type names struct {
	fn   profile.Function // without mapping and kind
	in   profile.MappingID
	id   profile.FunctionID
	done bool
}

// idTable maps the IDs of a file, which are mostly small and dense, to indices.
type idTable struct {
	dense  []uint32 // index + 1
	sparse map[uint64]uint32
}

func newIDTable(n int) idTable {
	return idTable{dense: make([]uint32, n+n/4+16)}
}

// put returns false when the ID is there already.
func (t *idTable) put(id uint64, index uint32) bool {
	if _, ok := t.get(id); ok {
		return false
	}
	if id < uint64(len(t.dense)) {
		t.dense[id] = index + 1
		return true
	}
	if t.sparse == nil {
		t.sparse = map[uint64]uint32{}
	}
	t.sparse[id] = index
	return true
}

func (t *idTable) get(id uint64) (uint32, bool) {
	if id < uint64(len(t.dense)) {
		v := t.dense[id]
		return v - 1, v != 0
	}
	v, ok := t.sparse[id]
	return v, ok
}

func newBuild(t *tables, cols columns) (*build, error) {
	b := &build{b: profile.NewBuilder(), t: t, cols: cols, seen: make([]int64, len(cols.types))}
	b.labels.init(t)
	for i, c := range t.comments {
		s, err := t.str(c)
		if err != nil {
			return nil, fmt.Errorf("pprof: comment %d: %w", i, err)
		}
		b.comments = append(b.comments, s)
	}
	b.kinds = kindsOf(b.comments)
	for _, step := range [...]func() error{b.addMappings, b.addFunctions, b.addLocations} {
		if err := step(); err != nil {
			return nil, err
		}
	}
	return b, nil
}

// growAt is the share of the samples after which their number tells how many
// stacks will come in all; growFrom is how many samples make that worth while.
const (
	growAt   = 16
	growFrom = 1 << 12
)

// grow makes room for the rest when sample i of n is reached. What came so far
// tells how much: a profile with a time in every sample has few stacks, an
// aggregated one has nearly as many as samples.
func (b *build) grow(i, n int) {
	if n < growFrom || i != n/growAt {
		return
	}
	left := growAt - 1
	b.b.Grow(profile.Size{
		Stacks:  b.b.Size().Stacks * left,
		Frames:  b.b.Size().Frames * left * 17 / 16,
		Samples: b.b.Size().Samples * left,
	})
}

// addMappings interns the mappings. A binary that the file has at several
// addresses, as a profile of many processes does, becomes one.
func (b *build) addMappings() error {
	type place struct {
		path, buildID string
		offset        uint64
	}
	b.mappings = newIDTable(len(b.t.mappings))
	resolved := make([]profile.Mapping, len(b.t.mappings))
	first := map[place]int{}
	into := make([]int, len(resolved))
	for i := range b.t.mappings {
		m, err := b.mapping(i)
		if err != nil {
			return fmt.Errorf("pprof: mapping %d: %w", i, err)
		}
		resolved[i], into[i] = m, i
		if m.Path == "" || m.Limit <= m.Start || codename.OfMapping(m.Path) != profile.KindNative {
			continue
		}
		at := place{m.Path, m.BuildID, m.Offset}
		if j, ok := first[at]; ok {
			into[i] = j
			f := &resolved[j]
			f.Limit = max(f.Limit, f.Start+(m.Limit-m.Start))
		} else {
			first[at] = i
		}
	}
	for i := range resolved {
		to := resolved[into[i]]
		b.bases = append(b.bases, base{id: b.b.Mapping(to), kind: codename.OfMapping(to.Path), shift: to.Start - resolved[i].Start})
	}
	return nil
}

func (b *build) mapping(i int) (m profile.Mapping, err error) {
	r := &b.t.mappings[i]
	if r.id == 0 {
		return m, errReservedID
	}
	if !b.mappings.put(r.id, uint32(i)) {
		return m, fmt.Errorf("its ID %d is used twice", r.id)
	}
	m.Start, m.Limit, m.Offset = r.start, r.limit, r.offset
	if m.Path, err = b.t.str(r.file); err != nil {
		return m, fmt.Errorf("filename: %w", err)
	}
	if m.BuildID, err = b.t.str(r.buildID); err != nil {
		return m, fmt.Errorf("build_id: %w", err)
	}
	m.BuildID = lowerHex(m.BuildID)
	return m, nil
}

// lowerHex lower-cases a build ID; Go's own IDs are not hex and stay.
func lowerHex(id string) string {
	for _, c := range id {
		if (c < '0' || c > '9') && (c|0x20 < 'a' || c|0x20 > 'f') {
			return id
		}
	}
	return strings.ToLower(id)
}

var errReservedID = errors.New("its ID is 0, which means \"none\"")

func (b *build) addFunctions() error {
	b.functions = newIDTable(len(b.t.functions))
	b.names = make([]names, len(b.t.functions))
	for i := range b.t.functions {
		r := &b.t.functions[i]
		var err error
		switch {
		case r.id == 0:
			err = errReservedID
		case !b.functions.put(r.id, uint32(i)):
			err = fmt.Errorf("its ID %d is used twice", r.id)
		default:
			err = b.name(r, &b.names[i].fn)
		}
		if err != nil {
			return fmt.Errorf("pprof: function %d: %w", i, err)
		}
		fn := &b.names[i].fn
		b.goProgram = b.goProgram || strings.HasPrefix(fn.Name, "runtime.") && strings.HasSuffix(fn.File, ".go")
	}
	return nil
}

// name resolves and cleans the strings of a function.
func (b *build) name(r *rawFunction, fn *profile.Function) error {
	var system string
	for _, s := range [...]struct {
		index int64
		to    *string
		field string
	}{{r.name, &fn.Name, "name"}, {r.system, &system, "system_name"}, {r.file, &fn.File, "filename"}} {
		text, err := b.t.str(s.index)
		if err != nil {
			return fmt.Errorf("%s: %w", s.field, err)
		}
		*s.to = text
	}
	fn.StartLine = line32(r.line)
	raw := fn.Name
	if raw == "" {
		raw = system
	}
	fn.Name = codename.Display(raw)
	if fn.File == "" {
		if j, ok := codename.JIT(raw); ok {
			fn.Name, fn.File = j.Name, j.File
			fn.StartLine = max(fn.StartLine, j.Line)
		}
	}
	if system == "" {
		system = raw
	}
	if system != fn.Name {
		fn.SystemName = system
	}
	return nil
}

func (b *build) addLocations() error {
	b.locations = newIDTable(len(b.t.locations))
	var lines []profile.Line
	for i := range b.t.locations {
		r := &b.t.locations[i]
		if r.id == 0 {
			return fmt.Errorf("pprof: location %d: %w", i, errReservedID)
		}
		at := base{}
		if m, ok := b.mappings.get(r.mapping); ok {
			at = b.bases[m]
		} else if r.mapping != 0 {
			b.danglingM++
		}
		lines = lines[:0]
		for _, l := range b.t.lines[r.firstLine : r.firstLine+r.nLines] {
			if fn, ok := b.function(l.function, &at); ok {
				lines = append(lines, profile.Line{Function: fn, Line: line32(l.line)})
			}
		}
		addr := r.addr
		if addr != 0 {
			addr += at.shift
		}
		loc := b.b.Location(at.id, addr, at.kind, lines...)
		if !b.locations.put(r.id, uint32(loc)) {
			return fmt.Errorf("pprof: location %d: its ID %d is used twice", i, r.id)
		}
	}
	return nil
}

// function gives the function of one line in one mapping. ok is false when the
// line names none.
func (b *build) function(id uint64, at *base) (profile.FunctionID, bool) {
	i, ok := b.functions.get(id)
	if !ok {
		if id != 0 {
			b.danglingF++
		}
		return 0, false
	}
	n := &b.names[i]
	if n.done && n.in == at.id {
		return n.id, true
	}
	fn := n.fn
	fn.Mapping = at.id
	fn.Kind = codename.OfIn(fn.Name, fn.File, at.kind)
	if k, given := b.kinds[id]; given {
		fn.Kind = k
	} else if b.goProgram && fn.Kind == profile.KindNative && strings.HasSuffix(fn.File, ".s") {
		fn.Kind = profile.KindGo
	}
	n.in, n.id, n.done = at.id, b.b.Function(fn), true
	return n.id, true
}

// allZero is the error for a profile whose chosen value is 0 everywhere.
func (b *build) allZero() error {
	var others []string
	for i, sum := range b.seen {
		if sum != 0 {
			others = append(others, strconv.Quote(b.cols.types[i].Type))
		}
	}
	hint := "the profiler ran but saw no activity"
	if len(others) > 0 {
		hint = "choose another sample type: " + strings.Join(others, ", ")
	}
	return fmt.Errorf("pprof: %w: all values of %q are 0; %s", ErrEmpty, b.cols.types[b.cols.value].Type, hint)
}

func (b *build) warnings() []string {
	var w []string
	if b.danglingM > 0 {
		w = append(w, fmt.Sprintf("%d locations name a mapping that the profile does not have", b.danglingM))
	}
	if b.danglingF > 0 {
		w = append(w, fmt.Sprintf("%d lines name a function that the profile does not have", b.danglingF))
	}
	return w
}

func addAbs(sum, v int64) int64 {
	if v < 0 {
		v = -v
	}
	if v < 0 || sum > math.MaxInt64-v {
		return math.MaxInt64
	}
	return sum + v
}
