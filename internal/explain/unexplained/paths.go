package unexplained

import (
	"slices"

	"whyhot/internal/profile"
)

// mostCallers bounds how far out the calls of a function are followed.
const mostCallers = 6

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
