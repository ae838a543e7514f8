package sqlshape

import (
	"regexp"
	"strings"
)

// What PostgreSQL writes into queries that it makes to look for rows that refer to one
// (src/backend/utils/adt/ri_triggers.c): the parameter is on the left. Those that look for the
// row that is referred to have it on the right.
var (
	referring = regexp.MustCompile(`\bONLY (?:"((?:[^"]|"")+)"\.)?"((?:[^"]|"")+)"`)
	compared  = regexp.MustCompile(`\$\d+ OPERATOR\([^)]*\) "((?:[^"]|"")+)"`)
)

// IsForeignKey says whether a query is one that PostgreSQL makes to check a foreign key, of
// either side.
func IsForeignKey(query string) bool {
	return referring.MatchString(query) && strings.Contains(query, "OPERATOR(")
}

// ForeignKey is the table and the columns of a foreign key, of the query by which PostgreSQL
// looks for the rows that refer to one; "" for any other.
//
// Example. DELETE FROM ONLY "public"."orders" WHERE $1 OPERATOR(pg_catalog.=) "customer_id" is
// for orders (customer_id).
func ForeignKey(query string) string {
	table := referring.FindStringSubmatch(query)
	if table == nil {
		return ""
	}
	var columns []string
	for _, m := range compared.FindAllStringSubmatch(query, -1) {
		columns = append(columns, m[1])
	}
	if len(columns) == 0 {
		return ""
	}
	name := table[2]
	if schema := table[1]; schema != "" && schema != "public" {
		name = schema + "." + name
	}
	return strings.ReplaceAll(name+" ("+strings.Join(columns, ", ")+")", `""`, `"`)
}
