package profile

import "slices"

// Frame is one symbolised source position, as a symboliser gives it.
type Frame struct {
	Function Function
	Line     int32
}

// Symbolized returns a profile in which every location for which resolve
// answers ok carries the frames it gave, innermost inlined callee first.
// Samples, stacks, labels and addresses stay as they are, so totals do too.
// Frame.Function.Mapping is overwritten with the mapping of the location.
func (p *Profile) Symbolized(resolve func(LocationID) ([]Frame, bool)) *Profile {
	q := *p
	interned := make(map[Function]FunctionID, len(p.functions))
	q.functions = append([]Function(nil), p.functions...)
	for i, f := range q.functions {
		interned[f] = FunctionID(i)
	}
	q.locations = append([]Location(nil), p.locations...)
	q.lines = make([]Line, 0, len(p.lines))
	for i := range q.locations {
		loc := &q.locations[i]
		first := uint32(len(q.lines))
		frames, ok := resolve(LocationID(i))
		if !ok || len(frames) == 0 {
			q.lines = append(q.lines, p.Lines(LocationID(i))...)
		} else {
			for _, fr := range frames {
				fr.Function.Mapping = loc.Mapping
				id, seen := interned[fr.Function]
				if !seen {
					id = FunctionID(len(q.functions))
					q.functions = append(q.functions, fr.Function)
					interned[fr.Function] = id
				}
				q.lines = append(q.lines, Line{Function: id, Line: fr.Line})
			}
		}
		loc.firstLine = first
		loc.numLines = uint32(len(q.lines)) - first
	}
	return &q
}

// Filtered returns a profile with only the samples and waits for which keep is true. The
// tables are shared with p.
func (p *Profile) Filtered(keep func(*Sample) bool) *Profile {
	q := *p
	q.samples = nil
	q.total, q.count = 0, 0
	for i := range p.samples {
		s := &p.samples[i]
		if !keep(s) {
			continue
		}
		q.samples = append(q.samples, *s)
		q.total += s.Value
		q.count += s.Count
	}
	q.waits = slices.DeleteFunc(slices.Clone(p.waits), func(s Sample) bool { return !keep(&s) })
	return &q
}

// Retold returns a profile whose samples have more labels, another time, or are left out,
// as tell says. Samples that are then the same become one row; stacks and names are shared
// with p.
func (p *Profile) Retold(tell func(*Sample) (more []Label, at int64, keep bool)) *Profile {
	q := *p
	b := Builder{p: &Profile{labelSets: slices.Clone(p.labelSets)}, labelSets: map[string]LabelSetID{}, hash: newHasher()}
	type extended struct {
		of   LabelSetID
		more Label
	}
	known := map[extended]LabelSetID{}
	for i := range p.samples {
		s := p.samples[i]
		more, at, keep := tell(&s)
		if !keep {
			continue
		}
		for _, l := range more {
			key := extended{s.Labels, l}
			id, there := known[key]
			if !there {
				id = b.Labels(append(slices.Clone(b.p.labelSets[s.Labels]), l))
				known[key] = id
			}
			s.Labels = id
		}
		s.Time = at
		b.Sample(s)
	}
	told := b.Build(p.Meta)
	q.labelSets, q.samples, q.total, q.count = told.labelSets, told.samples, told.total, told.count
	return &q
}

// OnlyFrames returns a profile whose stacks have only the frames of functions for which keep
// answers true: what another function did counts for its nearest caller that is kept. A stack
// of which nothing is left becomes one frame of the function rest. Samples that are then the
// same become one row; totals stay.
//
// Example. Of main, json.loads, scan with main alone kept, main has the samples of all three.
func (p *Profile) OnlyFrames(keep func(FunctionID) bool, rest Function) *Profile {
	q := *p
	q.functions = append(slices.Clone(p.functions), rest)
	outside := Line{Function: FunctionID(len(p.functions))}
	q.locations = slices.Clone(p.locations)
	q.lines = nil
	left := make([]bool, len(p.locations)) // by location: whether a frame of it is kept
	for i := range q.locations {
		first := uint32(len(q.lines))
		for _, line := range p.Lines(LocationID(i)) {
			if keep(line.Function) {
				q.lines = append(q.lines, line)
				left[i] = true
			}
		}
		if !left[i] {
			q.lines = append(q.lines, outside) // no stack has it, but a location without a line is none
		}
		q.locations[i].firstLine, q.locations[i].numLines = first, uint32(len(q.lines))-first
	}
	none := LocationID(len(q.locations))
	q.locations = append(q.locations, Location{Mapping: rest.Mapping, firstLine: uint32(len(q.lines)), numLines: 1})
	q.lines = append(q.lines, outside)

	b := Builder{p: &Profile{}, hash: newHasher()}
	to := make([]StackID, p.NumStacks())
	var kept []LocationID
	for i := range to {
		kept = kept[:0]
		for _, at := range p.Stack(StackID(i)) {
			if left[at] {
				kept = append(kept, at)
			}
		}
		if len(kept) == 0 {
			kept = append(kept, none)
		}
		to[i] = b.Stack(kept)
	}
	for i := range p.samples {
		s := p.samples[i]
		s.Stack = to[s.Stack]
		b.Sample(s)
	}
	for _, s := range p.waits {
		s.Stack = to[s.Stack]
		b.Wait(s)
	}
	told := b.Build(p.Meta)
	q.stackLocs, q.stackEnd, q.samples, q.waits = told.stackLocs, told.stackEnd, told.samples, told.waits
	return &q
}
