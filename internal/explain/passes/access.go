package passes

import (
	"regexp"
	"slices"
	"strings"

	"whyhot/internal/explain/text"
)

var (
	cast = regexp.MustCompile(`\b(?:std::)?(?:size_t|ssize_t|ptrdiff_t|u?int\d+_t|static_cast<[^<>]+>)(\(\s*\w+\s*\))|\(\s*(?:(?:un)?signed\s+)?(?:size_t|ssize_t|ptrdiff_t|int|long|short|unsigned|u?int\d+_t|float|double)\s*\)|\bas\s+(?:usize|isize|[uif]\d+)\b`)
	lone = regexp.MustCompile(`\(\s*(\w+)\s*\)(\s*[^\w\s(]|\s*$)`)
	call = regexp.MustCompile(`\w\(\s*\w+\s*\)`)
	// assigned is a name with its value.
	assigned = regexp.MustCompile(`^(?:[\w:*&<>\s]*[\s*&])?(\w+)\s*(?::\s*\w+\s*)?:?=\s*([^=].*)$`)
)

// plainly is code without casts, and without parentheses around a single name.
func plainly(code string) string {
	code = cast.ReplaceAllString(code, "$1")
	if call.MatchString(code) {
		return code // those are of calls
	}
	return lone.ReplaceAllString(code, "$1$2")
}

// derive adds the names that are given values of one of both counters alone.
func derive(code string, inner, outer *[]string) {
	for _, statement := range strings.Split(code, ";") {
		for _, part := range text.Arguments(statement) {
			m := assigned.FindStringSubmatch(strings.TrimSpace(part))
			if m == nil {
				continue
			}
			switch in, out := mentions(m[2], *inner), mentions(m[2], *outer); {
			case in && !out && !slices.Contains(*outer, m[1]):
				*inner = append(*inner, m[1])
			case out && !in && !slices.Contains(*inner, m[1]):
				*outer = append(*outer, m[1])
			}
		}
	}
}

// oneOf is an expression of some names.
func oneOf(names []string) string {
	quoted := make([]string, len(names))
	for i, n := range names {
		quoted[i] = regexp.QuoteMeta(n)
	}
	return `\b(?:` + strings.Join(quoted, "|") + `)\b`
}

// goes gives the access of code by which the ones count rows and the others elements of a row:
// a[i][j], row(a, i)[j], or a[i * width + j].
func goes(code string, row, element []string) string {
	if !strings.ContainsAny(code, "[*") || !mentions(code, row) || !mentions(code, element) {
		return ""
	}
	one, other := oneOf(row), oneOf(element)
	more := `(?:\s*[-+]\s*[\w.]+)*\s*\)?\s*`
	for _, form := range []string{
		`\w+(?:(?:\.|->)\w+)*\[([^\[\]]*` + one + `[^\[\]]*)\]\s*\[([^\[\]]*` + other + `[^\[\]]*)\]`,
		`\w+(?:<[^<>]*>)?\(((?:[^()]|\([^()]*\))*)\)\s*\[([^\[\]]*` + other + `[^\[\]]*)\]`,
		`\w*(` + one + `)\[([^\[\]]*` + other + `[^\[\]]*)\]`, // a row that has a name
		`(` + one + more + `\*\s*[\w.>()-]+\s*\)?)\s*\+\s*([^;\[\]*]*` + other + `)`,
		`([\w.>-]+\s*\*\s*\(?` + one + more + `)\+\s*([^;\[\]*]*` + other + `)`,
		`(` + other + more + `)\+\s*(\(?\s*` + one + more + `\*)`,
		`(` + other + more + `)\+\s*([\w.>-]+\s*\*\s*\(?\s*` + one + `)`,
		// of three dimensions, the outermost: (z*ny + y)*nx + x, x + nx*(y + ny*z)
		`(` + one + more + `\*\s*[\w.>-]+\s*\+\s*[\w.>-]+\s*\)\s*\*\s*[\w.>-]+)\s*\+\s*([^;\[\]*]*` + other + `)`,
		`(` + other + more + `)\+\s*([\w.>-]+\s*\*\s*\(\s*[\w.>-]+\s*\+\s*[\w.>-]+\s*\*\s*` + one + `)`,
	} {
		for _, m := range regexp.MustCompile(form).FindAllStringSubmatch(code, -1) {
			if strings.HasPrefix(form, `\w`) && (!mentions(m[1], row) || mentions(m[1], element) || mentions(m[2], row)) {
				continue // a diagonal, or the call of something else
			}
			return strings.TrimSpace(m[0])
		}
	}
	return ""
}
