package heat

import (
	"path/filepath"
	"slices"
	"strings"

	"whyhot/internal/profile"
)

// Heat is a profile mapped to the source of a tree.
type Heat struct {
	p    *profile.Profile
	tree *Tree
	// Per location: its source positions as files of the tree, innermost inlined
	// callee first; an empty file is none of ours.
	places   [][]place
	selfOf   []int64                                 // per location: what ran there
	countOf  []int64                                 // and how often the sampler fired there
	samples  map[profile.LocationID][]profile.Sample // by leaf
	hot      []Hot
	inTree   int64            // what ran in source of the tree
	outside  map[string]int64 // by binary: what did not
	lineless map[string]int64 // by binary: what ran in code without any line number
}

// place is one frame of a location.
type place struct {
	file     string // of the tree, "" for another
	line     int
	function profile.FunctionID
}

// NewHeat attributes the profile's samples to the tree: the inline stack of every
// location once, then every sample by its leaf location.
func NewHeat(p *profile.Profile, t *Tree) *Heat {
	h := &Heat{
		p: p, tree: t,
		places: make([][]place, p.NumLocations()), selfOf: make([]int64, p.NumLocations()), countOf: make([]int64, p.NumLocations()),
		samples: map[profile.LocationID][]profile.Sample{}, outside: map[string]int64{}, lineless: map[string]int64{},
	}
	for i := range h.places {
		h.places[i] = h.placesOf(profile.LocationID(i))
	}
	for _, s := range p.Samples() {
		stack := p.Stack(s.Stack)
		if len(stack) == 0 {
			h.outside[""] += s.Value
			continue
		}
		leaf := stack[0]
		h.samples[leaf] = append(h.samples[leaf], s)
		h.selfOf[leaf] += s.Value
		h.countOf[leaf] += s.Count
		h.sort(leaf, s.Value)
	}
	h.rankFunctions()
	return h
}

func (h *Heat) placesOf(loc profile.LocationID) []place {
	lines := h.p.Lines(loc)
	out := make([]place, len(lines))
	installed := isInstalled(h.p.Mapping(h.p.Location(loc).Mapping).Path)
	for i, l := range lines {
		out[i] = place{line: int(l.Line), function: l.Function}
		// The name of a file alone says too little in a library of the system,
		// where every project's files are.
		if m := h.tree.resolve(h.p.Function(l.Function).File); !m.weak || !installed {
			out[i].file = m.file
		}
	}
	return out
}

func isInstalled(binary string) bool {
	return strings.HasPrefix(binary, "/usr/lib/") || strings.HasPrefix(binary, "/lib/") || strings.HasPrefix(binary, "[")
}

// sort adds a sample to one of two totals by its leaf location: what ran in
// source of the tree, or what ran outside it, by binary. Of the latter, what has
// no line number at all is kept apart, since debug information would help there.
func (h *Heat) sort(leaf profile.LocationID, value int64) {
	if h.ours(leaf) {
		h.inTree += value
		return
	}
	binary := h.binary(leaf)
	h.outside[binary] += value
	for _, l := range h.p.Lines(leaf) {
		if l.Line > 0 {
			return
		}
	}
	h.lineless[binary] += value
}

func (h *Heat) binary(loc profile.LocationID) string {
	return h.p.Mapping(h.p.Location(loc).Mapping).Path
}

// ours says whether source of the tree runs at a location, inlined or not.
func (h *Heat) ours(loc profile.LocationID) bool {
	return slices.ContainsFunc(h.places[loc], func(p place) bool { return p.file != "" })
}

// Range is a piece of a file of the build.
type Range struct {
	File      string
	Line, End int
	// Except are linkage names of functions of the machine code whose samples do
	// not count, but for those that one of Callers called.
	Except, Callers []string
}

// Self is what ran on the lines of the ranges, or in what was inlined there. A
// location counts once, in however many ranges it is, even where several frames of
// its inline stack are in one.
func (h *Heat) Self(ranges ...Range) (value, count int64) {
	for i, self := range h.selfOf {
		if self == 0 {
			continue
		}
		loc := profile.LocationID(i)
		var most, events int64
		for _, r := range ranges {
			if !r.holds(h.places[loc]) {
				continue
			}
			if v, n := h.counted(loc, r); v > most {
				most, events = v, n
			}
		}
		value, count = value+most, count+events
	}
	return value, count
}

// holds says whether one of the places of an inline stack is in the range.
func (r Range) holds(places []place) bool {
	file, end := filepath.Clean(r.File), max(r.Line, r.End)
	return slices.ContainsFunc(places, func(p place) bool { return p.file == file && p.line >= r.Line && p.line <= end })
}

// In says whether a location is in one of the ranges: whether some frame of its
// inline stack is, and the function of its machine code is not excepted.
func (h *Heat) In(loc profile.LocationID, ranges []Range) bool {
	places := h.places[loc]
	return slices.ContainsFunc(ranges, func(r Range) bool { return r.holds(places) && !h.within(places, r.Except) })
}

// counted is what ran at a location and counts for a range: all, or where the
// function of its machine code is excepted, what the range's callers called there.
//
// Example. clang leaves a function f alone, where its loop is fine, and inlines it
// into g, where it is not. A program of another compiler may run the loop of both
// in f: what g called there is what clang would have run in g.
func (h *Heat) counted(loc profile.LocationID, r Range) (value, count int64) {
	if !h.within(h.places[loc], r.Except) {
		return h.selfOf[loc], h.countOf[loc]
	}
	if len(r.Callers) == 0 {
		return 0, 0
	}
	for _, s := range h.samples[loc] {
		if stack := h.p.Stack(s.Stack); len(stack) > 1 && h.calls(h.places[stack[1]], r.Callers) {
			value, count = value+s.Value, count+s.Count
		}
	}
	return value, count
}

// calls says whether a caller's code is that of one of these functions, inlined or
// not.
func (h *Heat) calls(places []place, functions []string) bool {
	return slices.ContainsFunc(places, func(p place) bool {
		return slices.ContainsFunc(variants(linkage(h.p.Function(p.function))), func(name string) bool { return slices.Contains(functions, name) })
	})
}

// within says whether the function of a location's machine code, its outermost
// frame, is one of these. Linkage names are compared in all their variants.
func (h *Heat) within(places []place, functions []string) bool {
	if len(functions) == 0 || len(places) == 0 {
		return false
	}
	own := linkage(h.p.Function(places[len(places)-1].function))
	return slices.ContainsFunc(variants(own), func(name string) bool { return slices.Contains(functions, name) })
}

// Lines gives the lines of a file their shares of all samples. A location counts
// for every line of the file in its inline stack, so the shares of a file may add
// up to more than what ran in it: with h of a.cpp inlined into f of a.cpp, a
// sample counts for the line of h and for the line of f that calls it.
func (h *Heat) Lines(file string) map[int]float64 {
	file = filepath.Clean(file)
	out := map[int]float64{}
	for loc, places := range h.places {
		if h.selfOf[loc] == 0 {
			continue
		}
		counted := map[int]bool{}
		for _, p := range places {
			if p.file == file && p.line > 0 && !counted[p.line] {
				counted[p.line] = true
				out[p.line] += float64(h.selfOf[loc]) / float64(h.p.Total())
			}
		}
	}
	return out
}

// InTree is the share of all samples that ran in source of the tree.
func (h *Heat) InTree() float64 {
	if h.p.Total() == 0 {
		return 0
	}
	return float64(h.inTree) / float64(h.p.Total())
}
