package heat

import (
	"path/filepath"
	"slices"
	"strings"

	"whyhot/internal/finding"
	"whyhot/internal/profile"
)

// cost is what runs in and beneath the lines of a cost, each sample once.
//
// The frames of a stack, inlined ones among them, are one row from the innermost
// out. Example, of a map that f builds at a.cpp:4, and of g, which f calls at
// a.cpp:6 with a copy of a vector:
//
//	malloc   operator new   std::map::map()      f a.cpp:4    From has it
//	free     std::map::~map()                    f a.cpp:9    Ends has it
//	memcpy   std::vector::vector(const&)         f a.cpp:6    an argument of g:
//	g                                            f a.cpp:6    g is called on that line
func (h *Heat) cost(c *finding.Cost) (value, count int64) {
	calls := h.callsOf(c.ArgumentsOf)
	from, ends := h.rangeAt(c.From), h.rangeAt(c.Ends)
	known := map[profile.StackID]bool{}
	for _, s := range h.p.Samples() {
		is, asked := known[s.Stack]
		if !asked {
			row := h.row(s.Stack)
			is = h.isFrom(row, from, ends) || h.makesArgument(row, calls, c.ArgumentsOf)
			known[s.Stack] = is
		}
		if is {
			value += s.Value
			count += s.Count
		}
	}
	return value, count
}

func (h *Heat) rangeAt(p finding.Place) lines {
	if p.File == "" || p.Line == 0 {
		return lines{}
	}
	return lines{h.fileOf(p.File), p.Line, max(p.Line, p.EndLine)}
}

func (l lines) has(p place) bool {
	return l.line > 0 && p.file == l.file && p.line >= l.line && p.line <= l.end
}

// row are the frames of a stack, innermost first.
func (h *Heat) row(stack profile.StackID) []place {
	var out []place
	for _, loc := range h.p.Stack(stack) {
		out = append(out, h.places[loc]...)
	}
	return out
}

func (h *Heat) isFrom(row []place, from, ends lines) bool {
	for i, p := range row {
		if from.has(p) || ends.has(p) && i > 0 && strings.Contains(h.p.Function(row[i-1].function).Name, "~") {
			return true
		}
	}
	return false
}

// callLine is a line of a function that calls another.
type callLine struct {
	function profile.FunctionID
	line     int
}

// callsOf are the lines that a function of these names is called from.
func (h *Heat) callsOf(names []string) map[callLine]bool {
	out := map[callLine]bool{}
	if len(names) == 0 {
		return out
	}
	seen := map[profile.StackID]bool{}
	for _, s := range h.p.Samples() {
		if seen[s.Stack] {
			continue
		}
		seen[s.Stack] = true
		row := h.row(s.Stack)
		for i := range row[:max(0, len(row)-1)] {
			if h.isNamed(row[i].function, names) {
				out[callLine{row[i+1].function, row[i+1].line}] = true
			}
		}
	}
	return out
}

// makesArgument says whether a stack has what a calling line calls beside the
// function itself, as far as it is the library's.
func (h *Heat) makesArgument(row []place, calls map[callLine]bool, names []string) bool {
	if len(calls) == 0 {
		return false
	}
	for i := 1; i < len(row); i++ {
		if calls[callLine{row[i].function, row[i].line}] && !h.isNamed(row[i-1].function, names) && h.isLibrary(row[i-1].function) {
			return true
		}
	}
	return false
}

// isNamed compares linkage names, and where the profile has none the name without
// its parameters.
func (h *Heat) isNamed(id profile.FunctionID, names []string) bool {
	fn := h.p.Function(id)
	if name := linkage(fn); name != "" && slices.Contains(names, name) {
		return true
	}
	name, _, _ := strings.Cut(fn.Name, "(")
	return name != "" && slices.Contains(names, name)
}

// isLibrary says whether a function makes, copies or destroys what is the standard
// library's.
func (h *Heat) isLibrary(id profile.FunctionID) bool {
	name := h.p.Function(id).Name
	if strings.HasPrefix(name, "std::") || strings.HasPrefix(name, "operator new") || strings.HasPrefix(name, "operator delete") {
		return true
	}
	switch name {
	case "malloc", "free", "memcpy", "memmove", "_int_malloc", "_int_free":
		return true
	}
	return strings.Contains(filepath.Clean(h.p.Function(id).File), "/include/c++/")
}
