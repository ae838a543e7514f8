// Package merge adds up profiles of the same thing, such as several runs of one command.
//
// It owns what is the same in two of them: a binary by its path and build ID, wherever it
// was loaded; a stack by its addresses in binaries. It takes profiles of one value type and
// gives one. It must never name anything or read a file.
package merge

import (
	"slices"

	"whyhot/internal/profile"
)

// All gives the sum of profiles. What is true of a recording as a whole is that of the
// first; durations, losses and warnings are of all.
func All(profiles []*profile.Profile) *profile.Profile {
	if len(profiles) == 1 {
		return profiles[0]
	}
	m := merger{b: profile.NewBuilder(), binaries: map[binary]profile.Mapping{}}
	for _, p := range profiles {
		m.reach(p)
	}
	meta := profiles[0].Meta
	meta.Duration, meta.Lost, meta.Warnings = 0, 0, nil
	meta.Coverage = profile.Coverage{}
	meta.Statements, meta.Branches = statements(profiles), branches(profiles)
	for _, p := range profiles {
		m.add(p, later(&meta, &p.Meta))
		meta.Duration += p.Meta.Duration
		meta.Lost += p.Meta.Lost
		meta.Coverage = meta.Coverage.With(p.Meta.Coverage)
		if p.Meta.Period != meta.Period {
			meta.Period = 0
		}
		if p.Meta.Range != meta.Range {
			meta.Range = profile.Range{}
		}
		for _, w := range p.Meta.Warnings {
			if !slices.Contains(meta.Warnings, w) {
				meta.Warnings = append(meta.Warnings, w)
			}
		}
	}
	return m.b.Build(meta)
}

type binary struct{ path, buildID string }

type merger struct {
	b        *profile.Builder
	binaries map[binary]profile.Mapping // as far as all pieces reach, where the first was loaded
}

// place is where a mapping is in the sum: by how much its addresses move.
func (m *merger) place(from *profile.Mapping) (to profile.Mapping, move uint64) {
	if from.Path == "" {
		return *from, 0
	}
	to, there := m.binaries[binary{from.Path, from.BuildID}]
	if !there {
		return *from, 0
	}
	return to, (to.Start - to.Offset) - (from.Start - from.Offset)
}

// reach notes how far the binaries of a profile reach.
func (m *merger) reach(p *profile.Profile) {
	for i := range p.NumMappings() {
		from := p.Mapping(profile.MappingID(i))
		if from.Path == "" {
			continue
		}
		key := binary{from.Path, from.BuildID}
		to, there := m.binaries[key]
		if !there {
			m.binaries[key] = *from
			continue
		}
		bias := to.Start - to.Offset
		_, move := m.place(from)
		to.Start, to.Limit = min(to.Start, from.Start+move), max(to.Limit, from.Limit+move)
		to.Offset = to.Start - bias
		m.binaries[key] = to
	}
}

// later is what to add to the times of samples of one profile in the sum, where they count
// from the start of the first.
func later(sum, of *profile.Meta) int64 {
	start := func(m *profile.Meta) int64 {
		if !m.Elapsed || m.Start.IsZero() {
			return 0
		}
		return m.Start.UnixNano()
	}
	return start(of) - start(sum)
}

func (m *merger) add(p *profile.Profile, later int64) {
	mappings, moves := make([]profile.MappingID, p.NumMappings()), make([]uint64, p.NumMappings())
	for i := range mappings {
		to, move := m.place(p.Mapping(profile.MappingID(i)))
		mappings[i], moves[i] = m.b.Mapping(to), move
	}
	functions := make([]profile.FunctionID, p.NumFunctions())
	for i := range functions {
		f := *p.Function(profile.FunctionID(i))
		f.Mapping = mappings[f.Mapping]
		functions[i] = m.b.Function(f)
	}
	locations := make([]profile.LocationID, p.NumLocations())
	for i := range locations {
		l := p.Location(profile.LocationID(i))
		lines := slices.Clone(p.Lines(profile.LocationID(i)))
		for j := range lines {
			lines[j].Function = functions[lines[j].Function]
		}
		address := l.Address
		if address != 0 {
			address += moves[l.Mapping]
		}
		locations[i] = m.b.Location(mappings[l.Mapping], address, profile.KindUnknown, lines...)
	}
	stacks := make([]profile.StackID, p.NumStacks())
	var stack []profile.LocationID
	for i := range stacks {
		stack = stack[:0]
		for _, l := range p.Stack(profile.StackID(i)) {
			stack = append(stack, locations[l])
		}
		stacks[i] = m.b.Stack(stack)
	}
	for _, s := range p.Samples() {
		if s.Time != 0 {
			s.Time += later
		}
		s.Stack, s.Labels = stacks[s.Stack], m.b.Labels(p.Labels(s.Labels))
		m.b.Sample(s)
	}
	for _, s := range p.Waits() {
		s.Stack, s.Labels = stacks[s.Stack], m.b.Labels(p.Labels(s.Labels))
		m.b.Wait(s)
	}
}
