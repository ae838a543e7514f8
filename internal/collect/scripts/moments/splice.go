package moments

import (
	"regexp"
	"slices"

	"whyhot/internal/profile"
	"whyhot/internal/profile/origin"
)

// Splice puts the frames of the marked samples' moments into their stacks.
func (ts *Tracks) Splice(p *profile.Profile) *profile.Profile {
	if len(ts.all) == 0 {
		return p
	}
	s := newSplicer(p)
	for _, wait := range p.Waits() {
		wait.Stack, wait.Labels = s.b.Stack(s.same(p.Stack(wait.Stack))), s.b.Labels(p.Labels(wait.Labels))
		s.b.Wait(wait)
	}
	for _, sample := range p.Samples() {
		before := p.Stack(sample.Stack)
		stack := s.same(before)
		labels := slices.Clone(p.Labels(sample.Labels))
		if at := slices.IndexFunc(labels, func(l profile.Label) bool { return l.Key == label }); at >= 0 {
			t, i := ts.moment(labels[at].Num)
			labels = slices.Delete(labels, at, at+1)
			if doing, known := s.doing(t, before); known {
				i = t.like(i, doing)
			}
			if cut := s.cut(before); cut > 0 {
				stack = slices.Concat(stack[:cut], s.frames(t, t.stacks[t.moments[i].stack]), stack[cut:])
			}
		}
		sample.Stack, sample.Labels = s.b.Stack(stack), s.b.Labels(labels)
		s.b.Sample(sample)
	}
	return s.b.Build(p.Meta)
}

// splicer makes a profile with more frames.
type splicer struct {
	p         *profile.Profile
	b         *profile.Builder
	runtime   []bool               // by mapping of p
	copies    []bool               // by function of p
	locations []profile.LocationID // by location of p
	known     map[framed]profile.LocationID
}

type framed struct {
	kind profile.Kind
	Frame
}

// copying is the code that moves memory.
var copying = regexp.MustCompile(`^(__)?(mem(cpy|move|pcpy)|wmem(cpy|move))(_\w+)?$|^luaV_concat$|^(__)?(asm_)?exc_page_fault$`)

func newSplicer(p *profile.Profile) *splicer {
	s := &splicer{p: p, b: profile.NewBuilder(), known: map[framed]profile.LocationID{}}
	var mappings []profile.MappingID
	for i := range p.NumMappings() {
		m := p.Mapping(profile.MappingID(i))
		mappings = append(mappings, s.b.Mapping(*m))
		s.runtime = append(s.runtime, origin.IsRuntime(m.Path))
	}
	var functions []profile.FunctionID
	for i := range p.NumFunctions() {
		f := *p.Function(profile.FunctionID(i))
		s.copies = append(s.copies, copying.MatchString(f.Name))
		f.Mapping = mappings[f.Mapping]
		functions = append(functions, s.b.Function(f))
	}
	for i := range p.NumLocations() {
		id := profile.LocationID(i)
		lines := slices.Clone(p.Lines(id))
		for j := range lines {
			lines[j].Function = functions[lines[j].Function]
		}
		l := p.Location(id)
		s.locations = append(s.locations, s.b.Location(mappings[l.Mapping], l.Address, profile.KindUnknown, lines...))
	}
	return s
}

// same is a stack as it was.
func (s *splicer) same(stack []profile.LocationID) []profile.LocationID {
	out := make([]profile.LocationID, 0, len(stack))
	for _, loc := range stack {
		out = append(out, s.locations[loc])
	}
	return out
}

// doing is which of the runtime's own functions a stack is in, "" for none. known is false
// where the track does not say where they are.
func (s *splicer) doing(t *Track, stack []profile.LocationID) (function string, known bool) {
	if len(t.Code) == 0 {
		return "", false
	}
	copies := false
	for _, loc := range stack {
		l := s.p.Location(loc)
		m := s.p.Mapping(l.Mapping)
		for _, line := range s.p.Lines(loc) {
			copies = copies || s.copies[line.Function]
		}
		if !s.runtime[l.Mapping] {
			continue
		}
		offset := l.Address - m.Start + m.Offset
		for _, c := range t.Code {
			if c.Low <= offset && offset < c.High && c.Path == m.Path {
				return c.Function, true
			}
		}
	}
	if copies {
		return t.Copying, true
	}
	return "", true
}

// cut is where in a stack the script's frames go: outside of the runtime's machine code,
// but inside of main, where that shows; 0 where there is no runtime.
func (s *splicer) cut(stack []profile.LocationID) int {
	is := func(i int) bool { return s.runtime[s.p.Location(stack[i]).Mapping] }
	end := len(stack)
	if end > 1 && is(end-1) && !is(end-2) {
		end-- // _start is in the program, and what it calls in the C library
	}
	for i := end - 1; i >= 0; i-- {
		if !is(i) {
			continue
		}
		if i > 0 && is(i-1) && i+1 < len(stack) && s.p.Mapping(s.p.Location(stack[i+1]).Mapping).Path != "" {
			return i // main, which the C library has called
		}
		return i + 1
	}
	return 0
}

func (s *splicer) frames(t *Track, stack []Frame) []profile.LocationID {
	out := make([]profile.LocationID, len(stack))
	for i, f := range stack {
		id, known := s.known[framed{t.Kind, f}]
		if !known {
			fn := s.b.Function(profile.Function{Name: f.Function, File: f.File, StartLine: f.Start, Kind: t.Kind})
			id = s.b.Location(0, 0, t.Kind, profile.Line{Function: fn, Line: f.Line})
			s.known[framed{t.Kind, f}] = id
		}
		out[i] = id
	}
	return out
}
