package passes

import (
	"regexp"
	"slices"
	"strings"

	"whyhot/internal/explain/text"
	"whyhot/internal/profile"
)

var (
	// differs is a condition that asks for a difference.
	differs = regexp.MustCompile(`!==?|~=|\bne\b`)
	// bounds is a comparison of a name with a bound.
	bounds = regexp.MustCompile(`([$@]?\b[A-Za-z_]\w*)\s*<\s*[$@]?\w`)
)

// searchWhile decides whether a loop with nothing but a condition searches: it counts from the first
// element up, and goes on as long as the element at the count is another one and below a bound.
//
// Example. id = 0; while (id < used && strcmp(names[id], name) != 0) id++;
func (r *reader) searchWhile(f *text.File, l text.Loop, best profile.Line) (x scan, ok bool) {
	_, header := f.Statement(l.First)
	m := bounds.FindStringSubmatch(l.Header)
	if m == nil {
		return x, false
	}
	bound := []string{m[1]}
	fn, in := f.Function(l.First)
	from := fn.First
	for _, o := range f.Loops(l.First) {
		if o.First < l.First {
			from = max(from, o.First) // what is not set back on each pass of it goes through all once
		}
	}
	if !in || !countsUp(f, m[1], text.Range{First: header.First, Last: l.Last}) || !beginsAtFirst(f, m[1], text.Range{First: from, Last: l.First - 1}) {
		return x, false
	}
	condition := differs.ReplaceAllString(l.Header, "==")
	for _, m := range equals.FindAllStringSubmatch(condition, -1) {
		a, b := m[1], m[3]
		if m[4] != "" {
			a, b = m[4], m[5]
		}
		compared := &pair{afterWord(a), beforeWord(b)}
		over := indexedBy(compared, bound)
		if over == "" || compared.isBare(bound) || mentions(compared[0], bound) == mentions(compared[1], bound) || len(text.Names(compared.without(bound))) == 0 {
			continue
		}
		x = scan{spot: lineOf(best.Function, header.First), over: strings.TrimLeft(over, "$@"), nested: true}
		return r.around(f, l, x, compared.without(bound), best)
	}
	return x, false
}

// countsUp says whether a loop does nothing but count a name up by one.
func countsUp(f *text.File, name string, loop text.Range) bool {
	up := regexp.MustCompile(`(?:` + regexp.QuoteMeta(name) + `\s*(?:\+\+|\+=\s*1\b|=\s*` + regexp.QuoteMeta(name) + `\s*\+\s*1\b)|\+\+\s*` + regexp.QuoteMeta(name) + `\b)`)
	header, lines := f.Statement(loop.First)
	steps := 0
	rest := []string{afterCondition(header)}
	for n := lines.Last + 1; n <= loop.Last; n++ {
		rest = append(rest, f.Code(n))
	}
	for _, code := range rest {
		code = strings.Trim(code, " \t{};")
		if code == "" || code == "end" {
			continue
		}
		if up.FindString(code) != code {
			return false
		}
		steps++
	}
	return steps == 1
}

// afterCondition is what a statement has behind the parentheses of its condition: a body in one
// line.
func afterCondition(code string) string {
	if code = strings.TrimLeft(code, " }"); strings.HasPrefix(strings.TrimSpace(strings.TrimPrefix(code, "while")), "(") {
		return behindHeader(code)
	}
	return ""
}

// beginsAtFirst says whether a count is given its first value alone before a loop: 0 or 1. A place in
// a hash table begins at what its key gives.
func beginsAtFirst(f *text.File, name string, before text.Range) bool {
	at := f.Assignments(name, before)
	if len(at) == 0 {
		return false
	}
	first := regexp.MustCompile(`(?:^|[^\w.])` + regexp.QuoteMeta(name) + `\s*(?::\s*\w+\s*)?:?=\s*[01]\s*(?:[;,)]|$)`)
	return first.MatchString(f.Code(slices.Max(at)))
}
