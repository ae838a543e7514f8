package view

import (
	"cmp"
	"slices"

	"whyhot/internal/profile"
)

// identity is what tells two functions apart for a reader. The build ID is part
// of it, so that two builds of one binary stay two.
type identity struct {
	name, file, binary, build string
	start                     int32
	kind                      profile.Kind
}

// Identity maps every function of p to the smallest ID of the functions that
// stand for the same thing: same name, file and binary. Where names are
// commonly reused in one file (methods and closures of interpreted languages),
// the first line of the function must agree too.
func Identity(p *profile.Profile) []profile.FunctionID {
	same := make([]profile.FunctionID, p.NumFunctions())
	first := make(map[identity]profile.FunctionID, len(same))
	for i := range same {
		id := profile.FunctionID(i)
		f := p.Function(id)
		m := p.Mapping(f.Mapping)
		k := identity{name: f.Name, file: f.File, binary: m.Path, build: m.BuildID, kind: f.Kind}
		if !namesTell(f.Kind) {
			k.start = f.StartLine
		}
		rep, ok := first[k]
		if !ok {
			rep = id
			first[k] = id
		}
		same[i] = rep
	}
	return same
}

// namesTell says that two functions of one name in one file are the same one.
func namesTell(k profile.Kind) bool {
	return k == profile.KindNative || k == profile.KindKernel || k == profile.KindVDSO || k == profile.KindGo
}

// frames gives every location its frame numbers, so that walking a stack costs
// two array reads a frame. A frame number stands for a function or, with lines,
// for a (function, line) pair.
type frames struct {
	end      []uint32 // end of location i in ids; it starts where i-1 ends
	ids      []uint32 // innermost first
	function []profile.FunctionID
	line     []int32
}

func newFrames(p *profile.Profile, same []profile.FunctionID, withLines bool) *frames {
	fr := &frames{end: make([]uint32, p.NumLocations())}
	numbers := frameNumbers{seen: map[profile.Line]uint32{}, frames: fr}
	numbers.of(profile.Line{}) // number 0 is the unknown function
	for i := range fr.end {
		for _, l := range p.Lines(profile.LocationID(i)) {
			l.Function = same[l.Function]
			if !withLines {
				l.Line = 0
			}
			fr.ids = append(fr.ids, numbers.of(l))
		}
		fr.end[i] = uint32(len(fr.ids))
	}
	return fr
}

type frameNumbers struct {
	seen   map[profile.Line]uint32
	frames *frames
}

func (n *frameNumbers) of(l profile.Line) uint32 {
	id, ok := n.seen[l]
	if !ok {
		id = uint32(len(n.frames.function))
		n.seen[l] = id
		n.frames.function = append(n.frames.function, l.Function)
		n.frames.line = append(n.frames.line, l.Line)
	}
	return id
}

func (fr *frames) of(loc profile.LocationID) []uint32 {
	start := uint32(0)
	if loc > 0 {
		start = fr.end[loc-1]
	}
	return fr.ids[start:fr.end[loc]]
}

// appendStack appends the frame numbers of a stack, leaf first. A stack without
// frames is one unknown frame, so that its samples have a place in every view.
func (fr *frames) appendStack(dst []uint32, stack []profile.LocationID) []uint32 {
	before := len(dst)
	for _, loc := range stack {
		dst = append(dst, fr.of(loc)...)
	}
	if len(dst) == before {
		dst = append(dst, 0)
	}
	return dst
}

// weight is what one stack carries, under one label where labels matter.
type weight struct {
	group uint32
	stack profile.StackID
	value int64
	count int64
}

// stackWeights sums the samples of each stack. Rows that carry nothing are left
// out.
func stackWeights(p *profile.Profile) []weight {
	sums := make([]weight, p.NumStacks())
	for i := range p.Samples() {
		s := &p.Samples()[i]
		sums[s.Stack].value += s.Value
		sums[s.Stack].count += s.Count
	}
	used := sums[:0]
	for i, w := range sums {
		if w.value != 0 || w.count != 0 {
			w.stack = profile.StackID(i)
			used = append(used, w)
		}
	}
	return used
}

// groupedWeights sums the samples of each (group, stack), ordered by both.
func groupedWeights(p *profile.Profile, groupOf []uint32) []weight {
	all := make([]weight, 0, len(p.Samples()))
	for i := range p.Samples() {
		s := &p.Samples()[i]
		all = append(all, weight{groupOf[s.Labels], s.Stack, s.Value, s.Count})
	}
	slices.SortFunc(all, func(a, b weight) int {
		return cmp.Or(cmp.Compare(a.group, b.group), cmp.Compare(a.stack, b.stack))
	})
	sums := all[:0]
	for _, w := range all {
		if n := len(sums); n > 0 && sums[n-1].group == w.group && sums[n-1].stack == w.stack {
			sums[n-1].value += w.value
			sums[n-1].count += w.count
			continue
		}
		sums = append(sums, w)
	}
	return sums
}

// nameRank orders functions by name (then binary, then file), so that sorting
// compares numbers.
func nameRank(p *profile.Profile) []uint32 {
	order := make([]profile.FunctionID, p.NumFunctions())
	for i := range order {
		order[i] = profile.FunctionID(i)
	}
	slices.SortFunc(order, func(a, b profile.FunctionID) int {
		x, y := p.Function(a), p.Function(b)
		return cmp.Or(
			cmp.Compare(x.Name, y.Name),
			cmp.Compare(p.Mapping(x.Mapping).Path, p.Mapping(y.Mapping).Path),
			cmp.Compare(x.File, y.File),
			cmp.Compare(a, b),
		)
	})
	rank := make([]uint32, len(order))
	for i, id := range order {
		rank[id] = uint32(i)
	}
	return rank
}
