package passes

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"whyhot/internal/explain/judge"
	"whyhot/internal/explain/ownline"
	"whyhot/internal/finding"
	"whyhot/internal/profile"
)

// RuleAssigned is of objects of C++ that are copied whole where they are given another name.
const RuleAssigned = "object-copied"

// objectCopy is a statement that copies an object which stays.
type objectCopy struct {
	spot

	to, from string // as they are written
	caller   profile.Line
}

// assigns is such a statement: of a variable, a member or what a pointer points to, no call and
// nothing that is moved.
var assigns = regexp.MustCompile(`^\s*(?:(?:const\s+)?[A-Za-z_][\w:]*(?:<[^;=]*>)?\s+)?([A-Za-z_*][\w.>\[\]-]*)\s*=\s*(\(?\s*\*?\s*[A-Za-z_][\w.]*(?:(?:->|\.)\w+|\[[^\[\];]*\])*\s*\)?)\s*;`)

// leastAssigned is the share of the CPU from which a copy is told: a few objects are copied anywhere.
const leastAssigned = 0.15

// assignedCopies gives them, the dearest first.
//
// Example. level.data = *m_data; for each loop of a template, where m_data is a whole JSON document.
func (r *reader) assignedCopies() []objectCopy {
	byLine := map[profile.Line]*objectCopy{}
	for _, h := range r.hottest {
		f := r.file(h.line.Function)
		if f == nil || f.Language() != "C" || !h.calls || !r.isCopying(h) || !r.isConstructor(h) && !r.isAssignment(h) {
			continue
		}
		statement, lines := f.Statement(int(h.line.Line))
		m := assigns.FindStringSubmatch(statement)
		if m == nil || lines.First != int(h.line.Line) && lines.Last != int(h.line.Line) || len(f.Loops(int(h.line.Line))) == 0 && !r.asksAgain(h) {
			continue
		}
		x := byLine[h.line]
		if x == nil {
			x = &objectCopy{spot: spot{line: h.line}, to: m[1], from: strings.Trim(m[2], "() ")}
			x.caller, _ = h.caller()
			byLine[h.line] = x
		}
		x.rows = joinRows(x.rows, joinRows(h.rows, r.destroyedIn(h.line.Function, h.callee)))
	}
	var out []objectCopy
	for _, x := range enough(r, byLine) {
		if r.isSure(x.share, leastAssigned) {
			out = append(out, x)
		}
	}
	return out
}

// isAssignment says whether a step calls an assignment operator of a class.
func (r *reader) isAssignment(h *hot) bool {
	_, name := ownline.Parts(r.p.Function(h.callee).Name)
	return strings.HasPrefix(name, "operator=") && !strings.HasPrefix(name, "operator==")
}

// destroyedIn are the rows in which a function has objects of a constructor's class destroyed, at
// whichever of its lines: by a container that it takes them out of, or at the end of a block.
func (r *reader) destroyedIn(function, constructor profile.FunctionID) []int32 {
	owner, own := ownline.Parts(r.p.Function(constructor).Name)
	if owner == "" || owner != own {
		return nil
	}
	destroys := r.p.StacksWith(func(full string) bool {
		of, name := ownline.Parts(full)
		return of == owner && name == "~"+own || name == "destroy" && strings.Contains(ownline.WithoutTypes(full), own+"::")
	})
	var rows []int32
	for i, s := range r.stacks() {
		id := profile.StackID(i) //nolint:gosec // stacks are numbered so
		if len(s.rows) == 0 {
			continue
		}
		if at, _, ok := r.lines.Innermost(id); ok && at.Function == function && destroys(id) {
			rows = append(rows, s.rows...)
		}
	}
	slices.Sort(rows)
	return rows
}

func (r *reader) assignedFinding(s judge.Subject, x objectCopy) judge.Found {
	place := ownline.Place(r.p, x.line)
	f := r.suspected(s, RuleAssigned, place, x.rows, saving{share: x.share, least: 0.6, likely: 0.95, why: "makes and frees the copies"}, x.to)
	f.Title = fmt.Sprintf("%s gets a copy of all of %s each time (%s)", x.to, strings.TrimLeft(x.from, "*"), at(place.File, place.Line))
	f.Fix.Steps = []string{
		"A reference or a pointer where it is only read; std::shared_ptr<const T> where several keep it",
		"What changes for each, kept apart from what stays, and looked up first",
		"std::move where what is copied is not used again",
	}
	f.Fix.Caveats = []string{"What it refers to must live, and stay as it is, for as long as it is read"}
	f.Evidence = []finding.Evidence{r.quoted(place), {Kind: "repetition", Share: &x.share, Text: "a copy is made below this line, of an object that stays"}}
	return f
}
