package passes

import (
	"regexp"
	"slices"
	"strings"

	"whyhot/internal/explain/ownline"
	"whyhot/internal/explain/text"
	"whyhot/internal/profile"
)

// madeToIndex are collections that a function without arguments makes whenever it is asked, and of
// which a line takes the element with a number.
//
// Example. def cell(self, row, column): return self._cells[column + row * self.width], asked for each
// cell of a table, where the property _cells goes through all of it.
func (r *reader) madeToIndex() []wholeForOne {
	var out []wholeForOne
	for _, h := range r.hottest {
		f := r.file(h.line.Function)
		if f == nil || !h.calls || !r.isSure(h.share, leastMade) || !r.asksAgain(h) {
			continue
		}
		statement, _ := f.Statement(int(h.line.Line))
		for _, id := range r.ownBelow(h) {
			_, name := ownline.Parts(r.p.Function(id).Name)
			if takesOneOf(statement, name) && r.makesAll(id, name) {
				x := wholeForOne{spot: h.where(), text: name, index: true}
				x.caller, _ = h.caller()
				out = append(out, x)
				break
			}
		}
	}
	sortDearest(out)
	return out
}

// ownBelow are the next functions of the program below a line. An interpreter may call them through
// functions of its own, as Python does properties.
func (r *reader) ownBelow(h *hot) (out []profile.FunctionID) {
	for _, o := range r.hottest {
		if o.callers[h.line] > 0 && !slices.Contains(out, o.line.Function) {
			out = append(out, o.line.Function)
		}
	}
	return out
}

// takesOneOf says whether a statement takes one element, by its number, of what a function or
// property gives.
func takesOneOf(statement, name string) bool {
	for _, at := range regexp.MustCompile(`\b`+regexp.QuoteMeta(name)+`(?:\(\s*\))?\s*(\[|(?:\.|->)(?:get|at|elementAt|ElementAt|nth)\()`).FindAllStringSubmatchIndex(statement, -1) {
		index, closed := text.Inside(statement, at[3])
		if !closed || strings.TrimSpace(index) == "" || strings.Contains(index, "..") {
			continue
		}
		rest := strings.TrimLeft(statement[min(len(statement), at[3]+len(index)+1):], " ")
		isSlice := statement[at[2]] == '[' && strings.Contains(index, ":")
		isSet := strings.HasPrefix(rest, "=") && !strings.HasPrefix(rest, "==")
		if !isSlice && !isSet {
			return true
		}
	}
	return false
}

// makesAll says whether a function takes no arguments, and collects in a loop what it gives.
func (r *reader) makesAll(id profile.FunctionID, name string) bool {
	f := r.file(id)
	if f == nil || r.isLazy(id, name) {
		return false
	}
	return slices.ContainsFunc(definitions(f, name), func(d definition) bool {
		if len(withoutReceiver(f, d.fn)) > 0 {
			return false
		}
		for n := d.fn.First; n <= d.fn.Last; n++ {
			code := f.Code(n)
			if comprehends.MatchString(code) && strings.Contains(code, "[") || collects.MatchString(code) && len(f.Loops(n)) > 0 {
				return true
			}
		}
		return false
	})
}
