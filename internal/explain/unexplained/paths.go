package unexplained

import (
	"regexp"
	"slices"

	"whyhot/internal/profile"
	"whyhot/internal/profile/origin"
)

// mostCallers bounds how far out the calls of a function are followed.
const mostCallers = 6

// mostThrough bounds how many functions of libraries are named.
const mostThrough = 4

// ofLanguage are functions without a name, and those of a language's own library, whose names say little
// of what is done.
var ofLanguage = regexp.MustCompile(`^$|^(?:[^\s(]+ )*(?:java|javax|jdk|sun)[./]|^(?:<[^>]* as )?(?:std|core|alloc|__gnu_cxx)::`)

// between are the functions of libraries, without those of a language's runtime, between a function
// and the line of the program that leads there, innermost first, each once.
func (o owners) between(stack []profile.LocationID, id profile.FunctionID) (lines []profile.Line) {
	seen := map[profile.FunctionID]bool{id: true}
	found := false
	for _, loc := range stack {
		for _, l := range o.p.Lines(loc) {
			switch {
			case l.Function == id:
				found = true
			case o.isOwn(l.Function):
				return lines
			case found && !seen[l.Function] && len(lines) < mostThrough && o.of(l.Function)&between != 0:
				seen[l.Function] = true
				lines = append(lines, profile.Line{Function: l.Function})
			}
		}
	}
	return lines
}

// isOfOthers says whether code is of no runtime and no kernel; of classes nobody knows where they lie.
func isOfOthers(o origin.Origin) bool {
	return o == origin.Library || o == origin.Unknown || o == origin.Own
}

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
