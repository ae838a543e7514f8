package statement

import "regexp"

// scansInFunctions says whether that is asked for by functions that the statement calls, whose
// queries were not seen apart from it: MariaDB's, and those of older recordings. PostgreSQL puts the query of a simple function in FROM in
// its place, so that it leaves no frame.
func (v *view) scansInFunctions() bool {
	if v.Inner > 0 {
		return false // it is such a query
	}
	return v.part(calling) >= v.part(scanning)/2 && v.part(calling) >= some || v.System == "postgresql" && fromFunction(v.Text) //nolint:mnd // half of them
}

var (
	// relations is what stands between FROM and the conditions, functionIn a function there that
	// is not one of PostgreSQL's own.
	relations  = regexp.MustCompile(`(?is)\bfrom\b(.*?)(\bwhere\b|\bgroup\s+by\b|\border\s+by\b|\blimit\b|$)`)
	functionIn = regexp.MustCompile(`(?i)(?:^|,|\bjoin\b|\blateral\b)\s*([a-z_][\w.]*)\s*\(`)
	builtIn    = regexp.MustCompile(`(?i)^(select|values|lateral|rows|unnest|generate_\w+|jsonb?_\w+|regexp_\w+|string_to_table|xmltable|pg_\w+)$`)
)

// fromFunction says whether a statement has a function in its FROM.
func fromFunction(text string) bool {
	for _, m := range relations.FindAllStringSubmatch(text, -1) {
		for _, f := range functionIn.FindAllStringSubmatch(m[1], -1) {
			if !builtIn.MatchString(f[1]) {
				return true
			}
		}
	}
	return false
}
