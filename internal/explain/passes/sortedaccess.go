package passes

import (
	"cmp"
	"fmt"
	"regexp"
	"strings"

	"whyhot/internal/explain/judge"
	"whyhot/internal/explain/ownline"
	"whyhot/internal/explain/text"
	"whyhot/internal/finding"
	"whyhot/internal/profile"
)

// RuleSortedAccess is of methods that sort what an object keeps whenever they are asked.
const RuleSortedAccess = "sorted-per-access"

// sortedAccess is a method or property that gives what its object keeps in an order, made anew
// whenever it is asked.
type sortedAccess struct {
	spot

	name, over string
	caller     profile.Line
}

// sortsAccess are statements that sort a part of the object into a new list; the group is that
// part.
var sortsAccess = regexp.MustCompile(`\bsorted\(\s*(self\.\w+)\b|\[\s*\.\.\.\s*(this\.#?\w+)(?:\.\w+\(\))?\s*\]\s*\.sort\(|(this\.#?\w+)\.(?:slice\(\s*\)\.sort|toSorted)\(|(@\w+)(?:\.(?:values|keys))?\.(?:sort|sort_by)\b|\b((?:this\.)?[a-z_]\w*)(?:\.(?:values|entries|keys))?(?:\.(?:filter\w*|map)\s*\{[^{}]*\})*\.(?:sorted|sortedBy|sortedByDescending|sortedWith|sortBy|sortWith)\b|\b((?:this\.)?[a-z_]\w*)(?:\.(?:values|entrySet|keySet)\(\))?\.stream\(\)(?:\.\w+\([^;]*\))*\.sorted\(|\b(_?[a-zA-Z]\w*)(?:\.Values)?(?:\.Where\([^;]*?\))?\.Order(?:By|ByDescending)?\(`)

// leastSorted is the share of the CPU from which it is told.
const leastSorted = 0.15

// sortedAccesses gives them, the dearest first.
//
// Example. val bySeniority get() = workers.sortedWith(compareBy { it.hired }), asked for each shift.
func (r *reader) sortedAccesses() []sortedAccess {
	known := map[profile.Line]*sortedAccess{}
	for _, h := range r.hottest {
		f := r.file(h.line.Function)
		if f == nil || !h.calls || h.line.Line <= 0 || r.lines.IsOwn(h.callee) && !r.runs(h, sorts.MatchString) {
			continue
		}
		x, ok := sortedIn(f, int(h.line.Line))
		if !ok || !r.asksAgain(h) {
			continue
		}
		x.caller, _ = h.caller()
		gather(known, h.line, x, h.rows)
	}
	var out []sortedAccess
	for _, x := range enough(r, known) {
		if r.isSure(x.share, leastSorted) {
			out = append(out, x)
		}
	}
	return out
}

// asksAgain says whether a step's function is called again: from a line in a loop, or from several
// lines.
func (r *reader) asksAgain(h *hot) bool {
	if len(h.callers) > 1 {
		return true
	}
	line, ok := h.caller()
	f := r.file(line.Function)
	if !ok || f == nil {
		return false
	}
	if len(f.Loops(int(line.Line))) > 0 {
		return true
	}
	for _, o := range r.hottest { // the function that asks is itself called in a loop
		if o.calls && o.callee == line.Function {
			if g := r.file(o.line.Function); g != nil && len(g.Loops(int(o.line.Line))) > 0 {
				return true
			}
		}
	}
	return false
}

// sortedIn is what the short method without parameters around a line sorts.
func sortedIn(f *text.File, line int) (x sortedAccess, ok bool) {
	statement, lines := f.Statement(line)
	m := sortsAccess.FindStringSubmatch(statement)
	if m == nil || keeps.MatchString(statement) {
		return x, false
	}
	x.over = strings.Join(m[1:], "") // one of the forms has matched
	if name, is := propertyAt(f, lines.First); is {
		x.name = name
		return x, true
	}
	fn, in := f.Function(line)
	_, header := f.Statement(fn.First)
	if !in || fn.Last-header.Last > shortBody || len(withoutReceiver(f, fn)) > 0 || isKept(f, fn, line) {
		return x, false
	}
	if len(f.Assignments(x.over, fn.Range)) > 0 {
		return x, false
	}
	x.name = fn.Own()
	return x, x.name != ""
}

// property is a property of Kotlin or C# that is computed: val name: Type and get() = …, or
// Type Name => ….
var property = regexp.MustCompile(`\bva[lr]\s+(\w+)\s*(?::[^=]*)?(?:\bget\(\)\s*)?=?\s*$|\bva[lr]\s+(\w+)\b.*\bget\(\)|^\s*(?:(?:public|private|protected|internal|static|override|virtual)\s+)+[\w<>,.\[\]?]+\s+(\w+)\s*=>`)

// getter is the second line of one.
var getter = regexp.MustCompile(`^\s*get\s*(?:\(\))?\s*(?:=>?|\{)`)

// propertyAt is the name of the property whose computation begins on a line.
func propertyAt(f *text.File, line int) (name string, ok bool) {
	code := f.Code(line)
	if getter.MatchString(code) && line > 1 {
		code = f.Code(line-1) + " get() "
	}
	m := property.FindStringSubmatch(code)
	if m == nil {
		return "", false
	}
	name = cmp.Or(m[1], m[2], m[3])
	return name, name != ""
}

func (r *reader) sortedAccessFinding(s judge.Subject, x sortedAccess) judge.Found {
	place := ownline.Place(r.p, x.line)
	f := r.suspected(s, RuleSortedAccess, place, x.rows, saving{share: x.share, least: 0.5, likely: 0.9, why: "sorts the same again"}, x.over)
	f.Title = fmt.Sprintf("%s sorts %s whenever it is asked (%s)", x.name, x.over, at(place.File, place.Line))
	f.Fix.Steps = []string{
		fmt.Sprintf("Keep the sorted list, made when %s changes", x.over),
		"Or ask once before the loop, and use what it gave",
	}
	f.Fix.Caveats = []string{"Where what is sorted by changes, the order has to be made again"}
	why := "the method has no parameters, and sorts a part of its object into a new list"
	if x.caller != (profile.Line{}) {
		by := ownline.Place(r.p, x.caller)
		why += ", most often for " + at(by.File, by.Line)
	}
	f.Evidence = []finding.Evidence{r.quoted(place), {Kind: "repetition", Share: &x.share, Text: why}}
	return f
}
