package passes

import (
	"cmp"
	"maps"
	"slices"

	"whyhot/internal/explain/judge"
	"whyhot/internal/explain/text"
	"whyhot/internal/finding"
	"whyhot/internal/profile"
)

// spot is a line of the program with the samples that a finding about it takes.
type spot struct {
	line  profile.Line
	rows  []int32
	share float64
}

// lineOf is a spot at a line of a function, without samples yet.
func lineOf(function profile.FunctionID, line int) spot {
	return spot{line: profile.Line{Function: function, Line: int32(line)}} //nolint:gosec // a line of a file
}

func (s spot) where() spot { return s }

func (h *hot) where() spot { return spot{h.line, h.rows, h.share} }

func (s *spot) place() *spot { return s }

// enough are the spots with enough of the CPU, the dearest first.
func enough[K comparable, T spotted, P interface {
	*T
	place() *spot
}](r *reader, known map[K]P) []T {
	var out []T
	for _, x := range known {
		s := x.place()
		if s.share = r.p.Share(s.rows); r.isSure(s.share, leastShare) {
			out = append(out, *x)
		}
	}
	sortDearest(out)
	return out
}

// gather adds samples to what is known at a line, which x becomes where nothing is yet.
func gather[T spotted, P interface {
	*T
	place() *spot
}](known map[profile.Line]P, line profile.Line, x T, rows []int32) {
	if known[line] == nil {
		known[line] = &x
		known[line].place().line = line
	}
	s := known[line].place()
	s.rows = joinRows(s.rows, rows)
}

// byLine are the spots of a form that is read at the innermost own lines, the dearest first. at is
// where the spot stands, which may be another line: samples of several lines may be of one spot.
func byLine[T spotted, P interface {
	*T
	place() *spot
}](r *reader, form func(f *text.File, line int) (at int, x T, ok bool)) []T {
	known := map[profile.Line]P{}
	for _, line := range r.inOrder() {
		if f := r.file(line.Function); f != nil && line.Line > 0 && int(line.Line) <= f.Len() {
			if at, x, ok := form(f, int(line.Line)); ok {
				gather(known, lineOf(line.Function, at).line, x, r.innermost[line])
			}
		}
	}
	return enough(r, known)
}

// inOrder are the innermost own lines, always in the same order: which of several lines of a spot
// comes first may show.
func (r *reader) inOrder() []profile.Line {
	return slices.SortedFunc(maps.Keys(r.innermost), func(a, b profile.Line) int {
		return cmp.Or(cmp.Compare(a.Function, b.Function), cmp.Compare(a.Line, b.Line))
	})
}

// spotted is what stands at a line and has samples.
type spotted interface{ where() spot }

// sortDearest puts the dearest first, and leaves equals as they are.
func sortDearest[T spotted](all []T) {
	slices.SortStableFunc(all, func(x, y T) int {
		a, b := x.where(), y.where()
		return cmp.Or(cmp.Compare(b.share, a.share), cmp.Compare(a.line.Function, b.line.Function), cmp.Compare(a.line.Line, b.line.Line))
	})
}

// tell adds what is found where most of the samples belong to no finding yet.
func tell[T spotted](out *judge.Answer, said map[int32]bool, all []T, found func(T) judge.Found) {
	for _, x := range all {
		if rows := x.where().rows; !isSaid(said, rows) {
			out.Found = append(out.Found, found(x))
			say(said, rows)
		}
	}
}

// joinRows are the rows of two parts of a spot, each once.
func joinRows(a, b []int32) []int32 {
	out := append(slices.Clone(a), b...)
	slices.Sort(out)
	return slices.Compact(out)
}

// isSure says whether a share is as large as it has to be, whatever sampling's error.
func (r *reader) isSure(share, least float64) bool {
	return share >= least*r.part && share-finding.ShareError(share, r.p.Count()) >= leastSure*r.part
}

// isOften says whether there are samples enough to speak of.
func (r *reader) isOften(events int64) bool { return float64(events) >= leastEvents*r.part }

// runs says whether a step calls a function of some kind: itself, or by others' functions that
// stand closely below it.
func (r *reader) runs(h *hot, is func(name string) bool) bool {
	if is(r.p.Function(h.callee).Name) {
		return true
	}
	for id := range h.inner {
		if !r.lines.IsOwn(id) && is(r.p.Function(id).Name) {
			return true
		}
	}
	return false
}
