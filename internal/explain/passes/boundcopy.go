package passes

import (
	"fmt"
	"regexp"

	"whyhot/internal/explain/judge"
	"whyhot/internal/explain/ownline"
	"whyhot/internal/finding"
	"whyhot/internal/profile"
)

// localCopy is a local variable of C++ that is a copy of what a call gives by reference.
type localCopy struct {
	spot

	name, call string // as they are written
}

// binds is such a variable, which nobody changes: auto takes the reference away, and converts nothing.
var binds = regexp.MustCompile(`^\s*(?:const\s+auto|auto\s+const)\s+(\w+)\s*=\s*([A-Za-z_][\w:.>\[\]-]*\s*\([^;]*\))\s*;`)

// boundCopies gives them, the dearest first. What a function returns by value is made within its own
// frame, if need be an inlined one: a constructor right below the line copies what is kept elsewhere.
//
// Example. const auto plan = catalog_.plan(code), where plan() gives a const Plan &.
func (r *reader) boundCopies() []localCopy {
	byLine := map[profile.Line]*localCopy{}
	for _, h := range r.hottest {
		f := r.file(h.line.Function)
		if f == nil || f.Language() != "C" || !h.calls || !r.isCopying(h) || !r.isConstructor(h) {
			continue
		}
		statement, lines := f.Statement(int(h.line.Line))
		m := binds.FindStringSubmatch(statement)
		if m == nil || lines.First != int(h.line.Line) && lines.Last != int(h.line.Line) {
			continue
		}
		x := byLine[h.line]
		if x == nil {
			x = &localCopy{spot: spot{line: h.line}, name: m[1], call: m[2]}
			byLine[h.line] = x
		}
		x.rows = joinRows(x.rows, joinRows(h.rows, r.freedBy(h.line.Function, h.callee)))
	}
	return enough(r, byLine)
}

func (r *reader) boundFinding(s judge.Subject, x localCopy) judge.Found {
	place := ownline.Place(r.p, x.line)
	f := r.suspected(s, RuleReturned, place, x.rows, saving{share: x.share, least: 0.6, likely: 0.95, why: "makes and frees the copies"}, x.name)
	f.Title = fmt.Sprintf("%s copies what %s gives; bind a reference (%s)", x.name, x.call, at(place.File, place.Line))
	f.Fix.Steps = []string{fmt.Sprintf("const auto &%s = %s: auto alone takes the reference away", x.name, x.call)}
	f.Fix.Caveats = []string{"What it refers to must stay as it is for as long as it is read"}
	f.Evidence = []finding.Evidence{r.quoted(place), {Kind: "repetition", Share: &x.share, Text: "a copy is made right below this line, and not by what is called there: that gives a reference"}}
	return f
}
