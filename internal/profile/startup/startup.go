// Package startup tells the start of a program's runtime from what the program does: the
// imports, the compiling of source to byte code, the loading of classes and libraries, the
// warming up of a JIT compiler.
//
// It owns one table of the frames that only run then, by runtime, and the share of a
// profile that they and what they call take. It takes a profile and gives shares, or the
// profile without them. It goes by frames, as most profiles have no times; a frame that
// also runs the program itself (Node's require, Ruby's load) is not in the table, so what
// is told is a lower bound. It must never print, or judge whether a start is too long.
package startup

import (
	"cmp"
	"slices"
	"sync"

	"whyhot/internal/profile"
)

// Part is one kind of start-up and what it took.
type Part struct {
	Runtime string // "Python"
	What    string // "imports"
	Value   int64
}

// Of gives the parts, the greatest first.
func Of(p *profile.Profile) []Part {
	kinds := newKinds(p)
	values := map[*kind]int64{}
	for i := range p.Samples() {
		s := &p.Samples()[i]
		if k := kinds.of(s); k != nil {
			values[k] += s.Value
		}
	}
	merged := map[Part]int64{}
	for k, v := range values {
		merged[Part{Runtime: k.runtime, What: k.what}] += v
	}
	parts := make([]Part, 0, len(merged))
	for part, v := range merged {
		part.Value = v
		parts = append(parts, part)
	}
	slices.SortFunc(parts, func(a, b Part) int {
		return cmp.Or(cmp.Compare(b.Value, a.Value), cmp.Compare(a.Runtime, b.Runtime), cmp.Compare(a.What, b.What))
	})
	return parts
}

// Without gives the profile without the samples of any part.
func Without(p *profile.Profile) *profile.Profile {
	within := Within(p)
	return p.Filtered(func(s *profile.Sample) bool { return !within(s) })
}

// kinds answers for the samples of one profile.
type kinds struct {
	byStack  []*kind
	byLabels []*kind
}

func newKinds(p *profile.Profile) *kinds {
	functions := make([]*kind, p.NumFunctions())
	for i := range functions {
		f := p.Function(profile.FunctionID(i))
		functions[i] = ofFunction(f, p.Mapping(f.Mapping).Path)
	}
	k := &kinds{byStack: make([]*kind, p.NumStacks()), byLabels: make([]*kind, p.NumLabelSets())}
	if slices.ContainsFunc(functions, func(of *kind) bool { return of != nil }) {
		for i := range k.byStack {
			k.byStack[i] = outermost(p, p.Stack(profile.StackID(i)), functions)
		}
	}
	for i := range k.byLabels {
		for _, l := range p.Labels(profile.LabelSetID(i)) {
			if l.Key == profile.LabelThread {
				k.byLabels[i] = ofThread(l.Str)
			}
		}
	}
	return k
}

func (k *kinds) of(s *profile.Sample) *kind {
	if found := k.byLabels[s.Labels]; found != nil {
		return found
	}
	return k.byStack[s.Stack]
}

// outermost is the kind of the frame that began the start-up: what it called belongs to
// it. Stacks have the innermost frame first.
func outermost(p *profile.Profile, stack []profile.LocationID, functions []*kind) *kind {
	for _, loc := range slices.Backward(stack) {
		for _, l := range slices.Backward(p.Lines(loc)) {
			if k := functions[l.Function]; k != nil {
				return k
			}
		}
	}
	return nil
}

func ofFunction(f *profile.Function, binary string) *kind {
	t := compiled()
	for i := range t {
		if t[i].matches(f, binary) {
			return t[i].kind
		}
	}
	return nil
}

func ofThread(name string) *kind {
	for _, t := range compiled() {
		if t.thread != nil && t.thread.MatchString(name) {
			return t.kind
		}
	}
	return nil
}

var compiled = sync.OnceValue(compile)

// Within says of samples of a profile whether they are of any part.
func Within(p *profile.Profile) func(s *profile.Sample) bool {
	kinds := newKinds(p)
	return func(s *profile.Sample) bool { return kinds.of(s) != nil }
}
