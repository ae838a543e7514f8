package store

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"time"

	"whyhot/internal/profile"
	"whyhot/internal/store/dict"
	"whyhot/internal/store/engine"
	"whyhot/internal/store/stage"
)

// Profile gives a selection as one profile: exact, with the names that are known,
// addresses and build IDs kept, and a label for each sample's service, version and
// process.
func (s *Store) Profile(ctx context.Context, sel Selection) (*profile.Profile, Basis, error) {
	return s.ProfileBy(ctx, sel, nil)
}

// ProfileBy is Profile with more labels, by which samples are told apart, too. Those of more
// than services, versions and processes are known of samples by the minute.
func (s *Store) ProfileBy(ctx context.Context, sel Selection, more []Dimension) (*profile.Profile, Basis, error) {
	for _, d := range more {
		if err := checkDimension(d); err != nil {
			return nil, Basis{}, err
		}
	}
	more = slices.DeleteFunc(slices.Clone(more), func(d Dimension) bool { return d.column() == engine.ColGroup }) // these are there
	sel.Exact = true
	type answer struct {
		p     *profile.Profile
		basis Basis
	}
	a, err := steady(func() (a answer, err error) {
		a.p, a.basis, err = s.profile(ctx, &sel, more)
		return a, err
	})
	return a.p, a.basis, err
}

func (s *Store) profile(ctx context.Context, sel *Selection, more []Dimension) (*profile.Profile, Basis, error) {
	tables := s.dict.Snapshot()
	c, err := s.choose(sel, &tables)
	if err != nil {
		return nil, Basis{}, err
	}
	column := engine.ColGroup
	if len(more) > 0 {
		c.bySeries, column = true, engine.ColSeries
	}
	w, err := s.collect(ctx, c, s.pieces(c), engine.ColStack, column)
	if err != nil {
		return nil, Basis{}, err
	}
	stage.Enter(ctx, "making a profile of the weights")
	rows := w.ordered()
	if len(rows) > s.opts.MaxStacks {
		return nil, Basis{}, fmt.Errorf("%w: %d stacks, and %d at most; choose a service or a shorter time", ErrTooLarge, len(rows), s.opts.MaxStacks)
	}
	basis := w.basis()
	basis.Covered = s.coveredIn(w.from, w.to)
	first, err := s.began(ctx, c)
	if err != nil {
		return nil, Basis{}, err
	}
	if basis.Merged, err = s.merged(ctx, c, &tables); err != nil {
		return nil, Basis{}, err
	}
	if tables, err = s.since(&tables); err != nil {
		return nil, Basis{}, err
	}
	b := &profileBuilder{b: profile.NewBuilder(), t: tables, more: more}
	b.mappings = make([]profile.MappingID, len(b.t.Mappings))
	b.functions = make([]uint32, len(b.t.Functions))
	b.locations = make([]uint32, len(b.t.Locations))
	b.stacks = make([]uint32, len(b.t.Stacks))
	b.sets = make([]uint32, max(len(b.t.Groups), len(b.t.Series)))
	b.limits = make([]uint64, len(b.t.Mappings))
	b.reach(rows)
	for i := range rows {
		b.add(&rows[i])
	}
	cpu := profile.ValueType{Type: "cpu", Unit: unit}
	meta := profile.Meta{
		Source: "whyhot server", ValueType: cpu, PeriodType: cpu, Start: first, Duration: basis.Covered,
		Range: profile.Range{From: basis.From, Until: basis.To},
	}
	if basis.Count > 0 && basis.Value%basis.Count == 0 {
		meta.Period = basis.Value / basis.Count
	}
	return b.b.Build(meta), basis, nil
}

// row is a stack of a group, or of a series where more is told apart.
type row struct {
	stack, of    uint32
	count, value int64
}

// ordered are the rows by stack and group: engines give them in any order, and the same
// selection is to be the same profile.
func (w *weights) ordered() (rows []row) {
	for _, p := range w.pieces {
		for i, stack := range p.Keys[0] {
			rows = append(rows, row{stack, p.Keys[1][i], p.Counts[i], p.Values[i]})
		}
	}
	slices.SortStableFunc(rows, func(a, b row) int {
		return cmp.Or(cmp.Compare(a.stack, b.stack), cmp.Compare(a.of, b.of))
	})
	return rows
}

// began is the time of the first sample of a selection, to the minute, or to the hour where
// the range is long.
func (s *Store) began(ctx context.Context, c *chosen) (time.Time, error) {
	sums, err := s.ask(ctx, c.overTime())
	if err != nil || sums.Len() == 0 {
		return at(c.from), err
	}
	return at(max(slices.Min(sums.Keys[0]), c.from)), nil
}

// profileBuilder makes the tables of a profile from those of the dictionary; numbers
// are + 1, 0 for what was not needed yet.
type profileBuilder struct {
	b         *profile.Builder
	t         dict.Snapshot
	mappings  []profile.MappingID
	limits    []uint64 // how far addresses of a mapping reach
	functions []uint32
	locations []uint32
	stacks    []uint32
	more      []Dimension
	sets      []uint32 // by group, or by series where more is told apart
	scratch   []profile.LocationID
}

// reach finds how far the addresses of each mapping go: a mapping must hold its
// addresses.
func (b *profileBuilder) reach(rows []row) {
	done := make([]bool, len(b.t.Parent))
	for i := range rows {
		for n := b.t.Stacks[rows[i].stack]; n > 0 && !done[n]; n = b.t.Parent[n] {
			done[n] = true
			l := &b.t.Locations[b.t.Location[n]]
			b.limits[l.Mapping] = max(b.limits[l.Mapping], min(l.Address, math.MaxUint64-1)+1)
		}
	}
}

func (b *profileBuilder) mapping(id uint32) profile.MappingID {
	if id > 0 && b.mappings[id] == 0 {
		m := &b.t.Mappings[id]
		b.mappings[id] = b.b.Mapping(profile.Mapping{Path: m.Path, BuildID: m.BuildID, Limit: b.limits[id]})
	}
	return b.mappings[id]
}

func (b *profileBuilder) function(id uint32) profile.FunctionID {
	if b.functions[id] == 0 {
		f := &b.t.Functions[id]
		b.functions[id] = 1 + uint32(b.b.Function(profile.Function{
			Name: f.Name, SystemName: f.System, File: f.File, StartLine: int32(min(f.StartLine, math.MaxInt32)),
			Mapping: b.mapping(f.Mapping), Kind: profile.Kind(f.Kind),
		}))
	}
	return profile.FunctionID(b.functions[id] - 1)
}

func (b *profileBuilder) location(id uint32) profile.LocationID {
	if b.locations[id] == 0 {
		l := &b.t.Locations[id]
		of := b.t.Lines(id)
		lines := make([]profile.Line, 0, len(of))
		for _, x := range of {
			lines = append(lines, profile.Line{Function: b.function(x.Function), Line: int32(min(x.Line, math.MaxInt32))})
		}
		b.locations[id] = 1 + uint32(b.b.Location(b.mapping(l.Mapping), l.Address, profile.Kind(l.Kind), lines...))
	}
	return profile.LocationID(b.locations[id] - 1)
}

func (b *profileBuilder) stack(id uint32) profile.StackID {
	if b.stacks[id] == 0 {
		b.scratch = b.scratch[:0]
		for n := b.t.Stacks[id]; n > 0; n = b.t.Parent[n] {
			b.scratch = append(b.scratch, b.location(b.t.Location[n]))
		}
		b.stacks[id] = 1 + uint32(b.b.Stack(b.scratch))
	}
	return profile.StackID(b.stacks[id] - 1)
}

func (b *profileBuilder) labels(of uint32) profile.LabelSetID {
	if b.sets[of] == 0 {
		group := of
		var labels []profile.Label
		if len(b.more) > 0 {
			group = b.t.Series[of].Group
			for _, d := range b.more {
				if value := dimension(&b.t, d, of); value != "" {
					labels = append(labels, profile.Label{Key: string(d), Str: value})
				}
			}
		}
		g := b.t.Groups[group]
		for _, l := range [][2]string{{"service.name", g.Service}, {"service.version", g.Version}, {profile.LabelProcess, g.Process}} {
			if l[1] != "" {
				labels = append(labels, profile.Label{Key: l[0], Str: l[1]})
			}
		}
		b.sets[of] = 1 + uint32(b.b.Labels(labels))
	}
	return profile.LabelSetID(b.sets[of] - 1)
}

func (b *profileBuilder) add(r *row) {
	b.b.Sample(profile.Sample{Stack: b.stack(r.stack), Labels: b.labels(r.of), Count: r.count, Value: r.value})
}
