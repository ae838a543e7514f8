package passes

import (
	"regexp"

	"whyhot/internal/explain/judge"
	"whyhot/internal/explain/text"
	"whyhot/internal/profile"
)

var (
	// clearsAll are statements of C and C++ that set a struct or an array of fixed length as a whole.
	clearsAll = regexp.MustCompile(`=\s*\(\s*(?:const\s+)?(?:struct\s+|union\s+)?[A-Za-z_]\w*\s*\)\s*\{|=\s*\{\s*0?\s*\}\s*;|\b(?:memset\(\s*[^,;]+,\s*0\s*,\s*|bzero\(\s*[^,;]+,\s*)sizeof\b|\*\s*\w+\s*=\s*[A-Za-z_][\w:]*\s*(?:\{\s*\}|\(\s*\))\s*;|^\s*(?:static\s+|const\s+)*[A-Za-z_][\w:<>, ]*\s+\w+\s*(?:\[[^\]]*\])?\s*\{\s*0?\s*\}\s*;`)
	// sets are functions of C libraries that do so.
	sets = regexp.MustCompile(`^_*(?:memset|bzero|explicit_bzero)(?:_|$)`)
)

// mostlySets is the part of a line's samples that are below memset: what else a statement calls may
// be what takes long.
const mostlySets = 0.7

// clearsWhole is the form by which a line of C or C++ clears a whole struct or array for each call,
// "" for none.
//
// Example. *r = (struct request){ .path = "/" }, where the struct has an array of 48 KB.
func (r *reader) clearsWhole(f *text.File, line profile.Line, rows []int32) string {
	if f.Language() != "C" {
		return ""
	}
	statement, _ := f.Statement(int(line.Line))
	how := clearsAll.FindString(statement)
	if how == "" {
		return ""
	}
	var of []int32
	for _, row := range rows {
		if r.hasBelow(row, sets) {
			of = append(of, row)
		}
	}
	if float64(r.p.Weight(of)) < mostlySets*float64(r.p.Weight(rows)) || !r.isCalledOften(f, line, rows) {
		return ""
	}
	if fn, in := f.Function(int(line.Line)); in && r.p.Share(rows) < leastCleared*r.p.Share(r.runsIn(f.Path, fn.Range)) {
		return ""
	}
	return how
}

func isWhole(how string) bool { return clearsAll.MatchString(how) }

// wholeCleared is what is said of those: the object is the call's, and most of it is room.
func wholeCleared(f *judge.Found, place string) {
	f.Title = "Whole object cleared for each call; set what is used (" + place + ")"
	f.Fix.Steps = []string{
		"Set the fields that a call needs, and leave a large array of the object as it is: its length, or a zero at its end, says what is used",
		"Or keep large arrays apart from the fields, and clear what the call before has used",
	}
	f.Fix.Caveats = []string{"Whoever reads an array beyond what was set finds what an earlier call left there", "Secrets are cleared on purpose"}
}
