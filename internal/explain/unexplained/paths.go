package unexplained

import (
	"cmp"
	"slices"

	"whyhot/internal/profile"
)

const (
	// mostCallers bounds how far out the calls of a function are followed.
	mostCallers = 6
	// leastCaller is the part of a function's share that a call must lead to.
	leastCaller = 0.5
)

// above are the lines of the program that call a function, innermost first, of each function the
// innermost, since a recursion says no more. Those of the function itself are left out.
func (o owners) above(stack []profile.LocationID, id profile.FunctionID) (lines []profile.Line) {
	seen := map[profile.FunctionID]bool{id: true}
	first := true // what is further in than the function, or inlined into it
	for _, loc := range stack {
		of := o.p.Lines(loc)
		if first && slices.ContainsFunc(of, func(l profile.Line) bool { return l.Function == id }) {
			first = false
			continue
		}
		for _, l := range of {
			if first || seen[l.Function] || !o.isOwn(l.Function) || l.Line <= 0 {
				continue
			}
			if len(lines) == mostCallers {
				return lines
			}
			seen[l.Function] = true
			lines = append(lines, l)
		}
	}
	return lines
}

// paths are the ways that lead to a function, with how much runs there by each.
type paths struct{ all []path }

type path struct {
	lines []profile.Line
	value int64
}

func (p *paths) add(lines []profile.Line, value int64) {
	p.all = append(p.all, path{lines, value})
}

// common are the calls by which most of a function's open share is asked for, innermost first: at each
// step outwards the line by which most goes, as long as that is half of the whole.
func (p *paths) common(open int64) (out []*hot) {
	rest := p.all
	for depth := range mostCallers {
		by := map[profile.Line]int64{}
		for _, one := range rest {
			if depth < len(one.lines) {
				by[one.lines[depth]] += one.value
			}
		}
		lines := make([]profile.Line, 0, len(by))
		for l := range by {
			lines = append(lines, l)
		}
		slices.SortFunc(lines, func(a, b profile.Line) int {
			return cmp.Or(-cmp.Compare(by[a], by[b]), cmp.Compare(a.Function, b.Function), cmp.Compare(a.Line, b.Line))
		})
		if len(lines) == 0 || float64(by[lines[0]]) < leastCaller*float64(open) {
			return out
		}
		rest = slices.DeleteFunc(slices.Clone(rest), func(one path) bool {
			return depth >= len(one.lines) || one.lines[depth] != lines[0]
		})
		out = append(out, &hot{place: place{line: lines[0].Line, function: lines[0].Function}, value: by[lines[0]]})
	}
	return out
}
