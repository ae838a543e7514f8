package heat

import (
	"path/filepath"

	"whyhot/internal/profile"
)

// nest gives every sample to one loop, the innermost that it ran in.
//
// Of an inline stack, the innermost frame that is in a loop decides, and there the
// loop with the fewest lines. Example, of loops at a.cpp:10-20 and h.h:3-5:
//
//	h.h:4     sum()   in h.h:3-5
//	a.cpp:12  main()  in a.cpp:10-20, which only calls it
//
// The sample is one of h.h:3-5 alone. A loop of a library counts as any other.
type nest struct {
	h      *Heat
	byFile map[string][]Range
	of     []Range // per location; the zero value where it ran in none
}

func (h *Heat) nest(loops []Range) *nest {
	n := &nest{h: h, byFile: map[string][]Range{}, of: make([]Range, len(h.places))}
	seen := map[lines]bool{}
	for _, l := range loops {
		l = Range{File: h.fileOf(l.File), Line: l.Line, End: max(l.Line, l.End)}
		if seen[l.lines()] {
			continue
		}
		seen[l.lines()] = true
		n.byFile[l.File] = append(n.byFile[l.File], l)
	}
	for loc, places := range h.places {
		if h.selfOf[loc] != 0 {
			n.of[loc] = n.innermost(places)
		}
	}
	return n
}

// lines is a range that can be compared.
type lines struct {
	file      string
	line, end int
}

func (r Range) lines() lines { return lines{r.File, r.Line, max(r.Line, r.End)} }

// fileOf is a file of the tree, or the path as it is where the tree has none.
func (h *Heat) fileOf(path string) string {
	if m := h.tree.resolve(path); m.file != "" {
		return m.file
	}
	return filepath.Clean(path)
}

func (n *nest) innermost(places []place) Range {
	for _, p := range places {
		file := p.file
		if file == "" {
			file = filepath.Clean(n.h.p.Function(p.function).File)
		}
		var best Range
		for _, l := range n.byFile[file] {
			if l.Line <= p.line && p.line <= l.End && (best.Line == 0 || l.End-l.Line < best.End-best.Line) {
				best = l
			}
		}
		if best.Line > 0 {
			return best
		}
	}
	return Range{}
}

// self is what ran in a loop itself.
func (n *nest) self(r Range) (value, count int64) {
	r.File = n.h.fileOf(r.File)
	for loc, l := range n.of {
		if n.h.selfOf[loc] != 0 && l.lines() == r.lines() {
			v, c := n.h.counted(profile.LocationID(loc), r)
			value, count = value+v, count+c
		}
	}
	return value, count
}
