package statement

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"whyhot/internal/explain/judge"
)

// rule is one about statements: what they look like, and what their samples must show.
type rule struct {
	id    string
	title string
	is    func(v *view) bool
	why   func(v *view) string
	steps func(v *view) []string
	// gone is the part of the statement's CPU that the change takes away: at least, likely.
	least, likely float64
	// only is the work that goes away, where it is not nearly all.
	only work
	// below: what goes away is not the statement alone but all below the lines that execute it.
	below bool
	// any: which of the statement's tables it is about is not known.
	any     bool
	caveats []string
}

const (
	// often is from how many executions a statement is no report that somebody asks for once.
	often = 5
	// repeatedly is that for what is dear only since it is repeated.
	repeatedly = 10
	// eachRow is from how many executions on one line a query is one for each row of another.
	eachRow = 1000
	// manyRows is from how many executions within one of another statement a query is one for
	// each row.
	manyRows = 100
	// fewRows is up to how many rows each of them gives: the lines of an order, not a table.
	fewRows = 5
	// longList is the number of elements from which an IN list is one.
	longList = 200

	little = 0.01
	small  = 0.1
	some   = 0.2
	much   = 0.3
	half   = 0.5
)

// ofDate are functions of a date whose value stands for a range of it.
var ofDate = regexp.MustCompile(`(?i)^(date|to_days|year|month|yearweek|extract|date_trunc|date_part|date_format|strftime|to_char|trunc)\s*\(|::\s*date$`)

// rules are tried in their order; the first that holds names the finding.
var rules = []rule{
	{
		id: "statement-type", title: "Text column compared with a number",
		is: func(v *view) bool {
			if v.numbered() && v.part(converting) >= little && v.each() >= dearLookup {
				return true // an index on something else led to the rows whose text is converted
			}
			return v.part(converting) >= small && (len(v.Facts.Numbers) > 0 || v.part(converting) >= some && len(v.q.Equal)+len(v.q.Range) > 0)
		},
		why: func(v *view) string {
			return v.evidence(converting) + ": each row's text becomes a number, and no index on the text serves"
		},
		steps: func(v *view) []string {
			columns := v.Facts.Numbers
			if len(columns) == 0 {
				columns = append(columns, v.q.Equal...)
			}
			return []string{
				fmt.Sprintf("Compare %s with text: quote the value ('123'), or bind it as a string", list(columns)),
				"Or change the type of the column to the number that it holds",
			}
		},
		least: 0.5, likely: 0.9,
	},
	{
		id: "statement-random-order", title: "Whole table sorted by a random number for few rows",
		is: func(v *view) bool {
			return v.q.Random && (v.part(sorting)+v.part(scanning) >= small || v.each() >= 2*dearStep)
		},
		why: func(v *view) string {
			return "ORDER BY a random number computes one for each row and sorts all of them; " + v.evidence(sorting, scanning)
		},
		steps: func(v *view) []string {
			t := v.table()
			return []string{
				fmt.Sprintf("Choose a random key and read from there: SELECT … FROM %s WHERE id >= FLOOR(RAND() * (SELECT MAX(id) FROM %s)) ORDER BY id LIMIT 1", t, t),
				"Or choose keys in the program, from a list that is read once; PostgreSQL: TABLESAMPLE",
			}
		},
		least: 0.6, likely: 0.95,
		caveats: []string{"Where keys have gaps, rows behind one are chosen more often"},
	},
	{
		id: "statement-computed-column", title: "Condition on an expression without an index",
		is: func(v *view) bool {
			return len(v.q.Computed) > 0 && v.Runs != 1 && (v.scans() || v.goesRound())
		},
		why: func(v *view) string {
			return fmt.Sprintf("%s is computed for each row of %s, since an index on the column does not have it; %s", list(v.q.Computed), v.table(), v.evidence(scanning, indexed))
		},
		steps: func(v *view) []string {
			e := v.q.Computed[0]
			out := []string{fmt.Sprintf("Index the expression: CREATE INDEX ON %s (%s), then ANALYZE %s", v.table(), plain(e), v.table())}
			switch v.System {
			case "mariadb":
				out[0] = fmt.Sprintf("Add a generated column with the value of %s and an index on it, and compare that column", plain(e))
			case sqlite:
				out[0] = fmt.Sprintf("Index the expression: CREATE INDEX idx ON %s (%s)", v.table(), plain(e))
			}
			if ofDate.MatchString(e) {
				return append([]string{"Compare the column itself with a range (day >= ? AND day < ?): an index on it serves"}, "Or "+strings.ToLower(out[0][:1])+out[0][1:])
			}
			return append(out, "Or compare the column itself: keep it in the form that is looked for")
		},
		least: 0.5, likely: 0.95,
	},
	{
		id: "statement-wildcard", title: "LIKE pattern looked for in every row",
		is: func(v *view) bool {
			return len(v.q.Like) > 0 && (v.part(matching) >= small || v.Facts.Wildcard && (v.scans() || v.each() >= 20*dearStep) && v.Runs >= often)
		},
		why: func(v *view) string {
			return "a pattern that begins with a wildcard is looked for in each row; " + v.evidence(matching, scanning)
		},
		steps: func(v *view) []string {
			c, t := v.q.Like[0], v.table()
			switch v.System {
			case "postgresql":
				return []string{fmt.Sprintf("CREATE EXTENSION pg_trgm; CREATE INDEX ON %s USING gin (%s gin_trgm_ops)", t, c), "Words: to_tsvector with a GIN index"}
			case "mariadb":
				return []string{fmt.Sprintf("ALTER TABLE %s ADD FULLTEXT (%s), and MATCH (%s) AGAINST (…): it finds words", t, c, c), "The begin of a text: LIKE 'abc%' with an index"}
			}
			return []string{fmt.Sprintf("FTS5 with tokenize = trigram over %s.%s", t, c), "The begin of a text: GLOB 'abc*' with an index"}
		},
		least: 0.5, likely: 0.9,
	},
	{
		id: "statement-offset", title: "Pages by OFFSET read all rows before them",
		is: func(v *view) bool {
			return v.q.HasLimit && v.q.HasOffset && v.Runs >= often && (v.Facts.Deep || v.Runs >= repeatedly) && v.each() >= 2*dearStep
		},
		why: func(v *view) string {
			return fmt.Sprintf("each page reads and throws away the rows of all pages before it; %s executions take %s each", judge.Times(v.Runs), duration(v.each()))
		},
		steps: func(v *view) []string {
			key := "id"
			if len(v.q.Order) > 0 {
				key, _, _ = strings.Cut(v.q.Order[0], " ")
			}
			return []string{
				fmt.Sprintf("Remember the last row of a page and go on behind it: WHERE %s > ? ORDER BY %s LIMIT ?, with an index on %s", key, key, key),
				"Or read all rows with one statement, if all are needed",
			}
		},
		least: 0.4, likely: 0.9,
		caveats: []string{"Where the column is not unique, compare it together with the key: WHERE (day, id) > (?, ?)"},
	},
	{
		id: "statement-nested-scan", title: "Whole table scanned for each row of another",
		is: func(v *view) bool { return v.isPassed(v.Scanned) },
		why: func(v *view) string {
			return fmt.Sprintf("%s rows are scanned in one execution, %s", judge.Times(v.Scanned/v.Runs), v.room(v.Scanned))
		},
		steps: func(v *view) []string {
			columns := list(plainAll(v.q.Equal))
			var out []string
			for _, c := range v.q.Collate {
				out = append(out, fmt.Sprintf("The comparison is COLLATE %s, and an index serves only its own collation: CREATE INDEX … (column COLLATE %s), or the column itself so declared", c, c))
			}
			return append(out,
				fmt.Sprintf("Index what the scanned table is compared by (of %s); EXPLAIN QUERY PLAN says SCAN where no index serves", columns),
				"An index that is there and not used: a function, another collation, or text compared with a number stands between")
		},
		least: 0.5, likely: 0.9, any: true,
	},
	{
		id: "statement-index-range", title: "Index narrows little; put the columns of = first",
		is: func(v *view) bool {
			return len(v.q.Equal) > 0 && len(v.q.Range) > 0 && v.Indexed == 0 && v.isBesideScans() && v.isPassed(v.Operations/operationsOfRow)
		},
		why: func(v *view) string {
			return fmt.Sprintf("%s operations in one execution, hardly any in full scans: an index is walked, %s", judge.Times(v.Operations/v.Runs), v.room(v.Operations/operationsOfRow))
		},
		steps: func(v *view) []string {
			return []string{
				fmt.Sprintf("CREATE INDEX with the columns compared by = first, and one range behind them: (%s, %s)", strings.Join(plainAll(v.q.Equal), ", "), plain(v.q.Range[0])),
				"EXPLAIN QUERY PLAN says which columns are used: (day>? AND day<?) of an index that begins with the day",
			}
		},
		least: 0.4, likely: 0.9, any: true,
		caveats: []string{"Where all rows of a range are needed, no index makes them fewer"},
	},
	{
		id: "statement-not-in", title: "NOT IN with a query goes through it for each row",
		is: func(v *view) bool { return v.q.NotIn && v.part(looping)+v.part(nested) >= much },
		why: func(v *view) string {
			return "the result of the inner query is gone through for each row; " + v.evidence(looping, nested)
		},
		steps: func(*view) []string {
			return []string{"Write NOT EXISTS (SELECT 1 FROM … WHERE inner.key = outer.key): the planner makes it an anti-join", "PostgreSQL: more work_mem lets it hash the inner result"}
		},
		least: 0.5, likely: 0.95,
		caveats: []string{"NOT IN gives no rows where the inner query gives a NULL; NOT EXISTS does"},
	},
	{
		id: "statement-correlated", title: "Query in the select list runs for each row",
		is: func(v *view) bool {
			// Of a query that groups its rows, one that comes out stands for many of the outer query.
			return v.q.Correlated && (v.part(nested) >= much || v.System == sqlite && !v.q.Grouped && v.perStep() >= dearStep && v.isDearInside())
		},
		why: func(v *view) string {
			return "the inner query is executed for each row of the outer one; " + v.evidence(nested, scanning)
		},
		steps: func(v *view) []string {
			return []string{
				"Join once instead: LEFT JOIN (SELECT key, count(*) … GROUP BY key) AS x ON x.key = outer.key",
				"Or index the column by which the inner query finds its rows: " + list(v.q.Equal),
			}
		},
		least: 0.3, likely: 0.9,
	},
	{
		id: "statement-function-scan", title: "Function in a query reads whole tables; index what it asks",
		is: func(v *view) bool {
			return v.Runs >= often && v.scans() && v.scansInFunctions() && v.part(referring) < half
		},
		why: func(v *view) string {
			return "whole tables are read by a function that the statement calls, not by its own condition; " + v.evidence(calling, scanning)
		},
		steps: func(*view) []string {
			return []string{
				"EXPLAIN the queries in the bodies of the functions that it calls, and index the columns that these compare and join by; a foreign key has no index of itself",
				"PostgreSQL: auto_explain with auto_explain.log_nested_statements = on logs their plans",
			}
		},
		least: 0.2, likely: 0.9, any: true,
		caveats: []string{"A condition that most rows meet is faster with a full scan"},
	},
	{
		id: "statement-foreign-key", title: "DELETE scans tables that refer to the row; index them",
		is: func(v *view) bool {
			return (v.Runs >= often || len(v.Facts.ForeignKeys) > 0) && v.scans() && (v.deletesByKey() || v.part(referring) >= half)
		},
		why: func(v *view) string {
			if !v.deletesByKey() {
				return "rows are deleted, or their keys changed, while it runs, and tables that refer to them are read whole each time; " + v.evidence(referring, scanning)
			}
			return fmt.Sprintf("a row of %s is deleted by %s, which has an index if it is the key: what is scanned are tables that refer to it, for rows to delete or to refuse for; %s", v.table(), v.q.Equal[0], v.evidence(scanning))
		},
		steps: func(v *view) []string {
			out := []string{"CREATE INDEX on each column that REFERENCES the table whose rows are deleted (\\d TABLE in psql lists them): a foreign key has no index of itself"}
			if v.deletesByKey() {
				out = []string{
					fmt.Sprintf("CREATE INDEX on each column that REFERENCES %s: a foreign key has no index of itself in SQLite and PostgreSQL", v.table()),
					fmt.Sprintf("Or, if %s has no index: CREATE INDEX ON %s (%s)", v.q.Equal[0], v.table(), v.q.Equal[0]),
					"Of a trigger on deletes: index what its statements compare",
				}
			}
			switch keys := v.Facts.ForeignKeys; {
			case len(keys) > 0:
				out[0] = fmt.Sprintf("CREATE INDEX ON %s: of what was checked, on each that has none (\\d TABLE in psql lists them); a foreign key has no index of itself", strings.Join(keys, ", "))
			case !v.deletesByKey():
				out = append(out, "PostgreSQL: auto_explain with auto_explain.log_nested_statements = on logs the queries of the checks")
			}
			return out
		},
		least: 0.2, likely: 0.9, any: true,
	},
	{
		id: "statement-scan", title: "Whole table read for each query; index the condition",
		is: func(v *view) bool {
			return !v.deletesByKey() && v.q.Where && len(v.q.Equal)+len(v.q.Range) > 0 && len(v.q.Like) == 0 && v.Runs >= often && v.scans() && !v.scansInFunctions() && !v.q.Lists && !v.q.Grouped
		},
		why: func(v *view) string {
			return fmt.Sprintf("no index is used to find %s; %s", list(append(append([]string(nil), v.q.Equal...), v.q.Range...)), v.evidence(scanning))
		},
		steps: func(v *view) []string {
			columns := append([]string(nil), v.q.Equal...)
			if len(v.q.Range) > 0 {
				columns = append(columns, v.q.Range[0])
			}
			return []string{
				fmt.Sprintf("CREATE INDEX ON %s (%s), then ANALYZE; EXPLAIN shows whether it is used", v.table(), strings.Join(columns, ", ")),
			}
		},
		least: 0.2, likely: 0.9,
		caveats: []string{"A condition that most rows meet is faster with a full scan"},
	},
	{
		id: "statement-sort", title: "Rows sorted for each query; index the order",
		is: func(v *view) bool {
			sorted := len(v.q.Order) > 0 || v.q.Distinct || v.q.Grouped
			return sorted && v.Runs >= often && (v.part(sorting) >= much || v.System == sqlite && v.q.HasLimit && len(v.q.Order) > 0 && !v.q.Correlated && v.perStep() >= dearStep) // else an inner query may be dear
		},
		why: func(v *view) string { return "all rows are sorted for each execution; " + v.evidence(sorting) },
		steps: func(v *view) []string {
			columns := strings.Join(append(append([]string(nil), v.q.Equal...), v.q.Order...), ", ")
			if columns == "" {
				columns = "the columns of DISTINCT or GROUP BY"
			}
			return []string{fmt.Sprintf("CREATE INDEX ON %s (%s): rows then come in this order", v.table(), columns), "Leave ORDER BY and DISTINCT away where the order does not matter and rows are unique anyway"}
		},
		least: 0.2, likely: 0.8,
	},
	{
		id: "statement-count-all", title: "Whole table counted repeatedly",
		is: func(v *view) bool {
			return v.q.CountAll && !v.q.Where && !v.q.Grouped && len(v.q.Tables) == 1 && v.Runs >= repeatedly && v.each() >= dearStep/5
		},
		why: func(v *view) string {
			return fmt.Sprintf("COUNT(*) without a condition reads all rows; %s executions take %s each", judge.Times(v.Runs), duration(v.each()))
		},
		steps: func(*view) []string {
			return []string{"Count once and keep the number, or keep it in a row that changes with the table", "Whether there are any: SELECT 1 … LIMIT 1; roughly how many: the planner's statistics"}
		},
		least: 0.6, likely: 0.95,
	},
	{
		id: "statement-whole-table", title: "Whole table read repeatedly",
		is: func(v *view) bool {
			return v.q.Verb == "SELECT" && len(v.q.Tables) == 1 && !v.q.Where && !v.q.HasLimit && !v.q.Grouped && !v.q.CountAll && v.Runs >= repeatedly && v.each() >= 2*dearStep
		},
		why: func(v *view) string {
			return fmt.Sprintf("without a condition all rows of %s are read; %s executions take %s each", v.table(), judge.Times(v.Runs), duration(v.each()))
		},
		steps: func(*view) []string {
			return []string{"Ask for the rows that are needed: WHERE, with an index on its columns", "Where all are needed, read them once and keep them"}
		},
		least: 0.3, likely: 0.9,
	},
	{
		id: perRow, title: "One query for each row; ask for many at once",
		is: func(v *view) bool {
			rows, counted := v.perRun()
			one := !counted || rows <= fewRows
			return v.q.Verb == "SELECT" && v.q.Where && len(v.q.Equal) > 0 && v.Runs >= eachRow && one && v.line() && !v.scans()
		},
		why: func(v *view) string {
			return fmt.Sprintf("the same line executes it at least %s times, for a few rows each", judge.Times(v.Runs))
		},
		steps: func(v *view) []string {
			return []string{
				fmt.Sprintf("Read the rows of many keys with one statement: WHERE %s IN (…), some hundred keys each, or a join with the query that gives the keys", v.q.Equal[0]),
				"An ORM: load the relation with its owner (Django select_related and prefetch_related, SQLAlchemy selectinload, Rails includes, Hibernate JOIN FETCH)",
			}
		},
		least: 0.3, likely: 0.75, below: true,
	},
	{
		id: rowByRow, title: "Statement executed for each row by a function",
		is: func(v *view) bool {
			return v.Inner >= eachRow && v.Inner >= manyRows*v.Outer && !v.scans()
		},
		why: func(v *view) string {
			return fmt.Sprintf("it is executed at least %s times within one execution of %s, which takes the work of the executor and of the procedural language each time", judge.Times(v.Inner/max(v.Outer, 1)), short(v.Within))
		},
		steps: func(v *view) []string { return outerOf(v.Within).steps },
		least: 0.3, likely: 0.75, below: true, any: true,
		caveats: []string{"An error in one row then undoes the statement for all of them"},
	},
	{
		id: "statement-long-list", only: planning, title: "IN list with hundreds of values",
		is: func(v *view) bool { return v.Facts.List >= longList && v.part(planning) >= some },
		why: func(v *view) string {
			return fmt.Sprintf("a list of up to %s values is parsed and planned each time; %s", judge.Times(uint64(v.Facts.List)), v.evidence(planning)) //nolint:gosec // a count
		},
		steps: func(v *view) []string {
			switch v.System {
			case "postgresql":
				return []string{"Pass one array: = ANY($1), in a prepared statement"}
			case sqlite:
				return []string{"Join with a temporary table, or with json_each(?)"}
			}
			return []string{"Join with a temporary table, or with JSON_TABLE(?)"}
		},
		least: 0.4, likely: 0.8,
	},
	{
		id: "statement-parsed-each-time", only: planning, title: "Statement parsed and planned each time; prepare it",
		is: func(v *view) bool {
			return v.part(planning) >= much && v.Runs >= 100 && slices.Contains([]string{"SELECT", "INSERT", "UPDATE", "DELETE", "WITH"}, v.q.Verb) && (v.System != sqlite || 2*v.Prepared >= v.Runs)
		},
		why: func(v *view) string {
			return fmt.Sprintf("%s, for %s executions", v.evidence(planning), judge.Times(v.Runs))
		},
		steps: func(v *view) []string {
			if v.System == sqlite {
				return []string{"Keep the prepared statement and bind values to it: sqlite3_reset and sqlite3_bind_…; a driver keeps it where the text stays the same and values are parameters"}
			}
			out := []string{"Prepare the statement once for each connection and execute it with parameters; a pooler between must allow that (PgBouncer: max_prepared_statements)"}
			if v.q.Verb == "SELECT" && v.q.Where && v.Runs >= eachRow {
				out = append(out, "Where a loop of the program sends it for each row of another query: one statement for many keys, or a join")
			}
			return out
		},
		least: 0.5, likely: 0.9,
	},
}
