package statement

import (
	"strings"
	"testing"

	"whyhot/internal/explain/judge"
	"whyhot/internal/profile"
	"whyhot/internal/profile/sqlshape"
)

// load is a profile of one statement in two seconds of CPU, and as much of something else.
type load struct {
	system, text string
	runs, steps  uint64
	prepared     uint64
	stacks       map[string]int64 // in hundredths of the statement's samples
	line         int              // of the program's script, 0 for a server's
	keys         []string         // foreign keys that were checked
	inner, outer uint64
	within       string
	// What SQLite counted.
	scanned, operations, bytes uint64
}

func (l load) judge(t *testing.T) []judge.Found {
	t.Helper()
	dialect := map[string]sqlshape.Dialect{"postgresql": sqlshape.Postgres, "mariadb": sqlshape.MariaDB, sqlite: sqlshape.SQLite}[l.system]
	shape := sqlshape.Of(l.text, dialect, false)
	b := profile.NewBuilder()
	server := b.Mapping(profile.Mapping{Path: map[string]string{"postgresql": "/usr/lib/postgresql/15/bin/postgres", "mariadb": "/usr/sbin/mariadbd", sqlite: "/usr/lib/libsqlite3.so.0"}[l.system], Start: 1, Limit: 2})
	compiler := b.Mapping(profile.Mapping{Path: "/usr/lib/x86_64-linux-gnu/libLLVM-14.so.1", Start: 3, Limit: 4})
	locate := func(name string) profile.LocationID {
		in, address := profile.MappingID(0), uint64(0)
		if strings.HasPrefix(name, "llvm::") {
			in, address = compiler, 3
		}
		return b.Location(in, address, profile.KindNative, profile.Line{Function: b.Function(profile.Function{Name: name, Mapping: server, Kind: profile.KindNative})})
	}
	labels := b.Labels([]profile.Label{{Key: profile.LabelDatabase, Str: l.system}, {Key: profile.LabelStatement, Str: shape.Text}})
	add := func(stack string, labels profile.LabelSetID, n int64) {
		var locs []profile.LocationID
		for name := range strings.SplitSeq(stack, ";") {
			locs = append(locs, locate(name))
		}
		if l.line > 0 {
			locs = append(locs, b.Location(0, 0, profile.KindPython, profile.Line{
				Function: b.Function(profile.Function{Name: "load", File: "/home/me/app.py", Kind: profile.KindPython}), Line: int32(l.line),
			}))
		}
		b.Sample(profile.Sample{Stack: b.Stack(locs), Labels: labels, Count: 10 * n, Value: 10 * n * 2_000_000})
	}
	rest := int64(100)
	for stack, n := range l.stacks {
		add(stack, labels, n)
		rest -= n
	}
	add("execute", labels, rest)
	add("other", b.Labels(nil), 100)
	shape.Facts.Add(sqlshape.Facts{ForeignKeys: l.keys})
	meta := profile.Meta{Statements: []profile.Statement{{System: l.system, Text: shape.Text, Runs: l.runs, Steps: l.steps, Prepared: l.prepared, Watched: 1, Facts: shape.Facts, Inner: l.inner, Outer: l.outer, Within: l.within, Scanned: l.scanned, Operations: l.operations, DatabaseBytes: l.bytes}}}
	answer, err := Judge(t.Context(), judge.Subject{Profile: b.Build(meta)})
	if err != nil {
		t.Fatal(err)
	}
	return answer.Found
}

const scan = "heap_getnextslot;ExecScan;standard_ExecutorRun"

// Each rule with a statement that breaks it, and with others that do not.
func TestRules(t *testing.T) {
	pg, my := "postgresql", "mariadb"
	for _, x := range []struct {
		name string
		load load
		rule string // "" for none
		says string // in a step
	}{
		{"lower without an index", load{system: pg, text: "SELECT id FROM users WHERE lower(email) = 'a'", runs: 2000, stacks: map[string]int64{scan: 90}}, "statement-computed-column", "CREATE INDEX ON users (lower(email))"},
		{"lower of a table's column", load{system: pg, text: "SELECT id FROM users u WHERE lower(u.email) = 'a'", runs: 2000, stacks: map[string]int64{scan: 90}}, "statement-computed-column", "CREATE INDEX ON users (lower(email))"},
		{"lower with an index", load{system: pg, text: "SELECT id FROM users WHERE lower(email) = 'a'", runs: 90000, stacks: map[string]int64{"index_getnext_slot;ExecScan": 50, "ExecScan": 20}}, "", ""},
		{"a report with an expression", load{system: pg, text: "SELECT id FROM users WHERE lower(email) = 'a'", runs: 1, stacks: map[string]int64{scan: 90}}, "", ""},
		{"a date in SQLite", load{system: sqlite, text: "SELECT id FROM o WHERE date(day) = ?", runs: 100, steps: 200, line: 7}, "statement-computed-column", "CREATE INDEX idx ON o (date(day))"},
		{"an expression over a small table", load{system: sqlite, text: "SELECT id, (SELECT count(*) FROM r WHERE r.o = o.id) FROM o WHERE id % 8 = ?", runs: 10, steps: 250, scanned: 4000, operations: 900_000}, "", ""},
		{"a generated column in MariaDB", load{system: my, text: "SELECT id FROM o WHERE DATE(day) = '2024-01-01'", runs: 100, stacks: map[string]int64{"handler::ha_rnd_next;rr_sequential": 80}}, "statement-computed-column", "generated column"},
		{"a date asked last in a join of MariaDB", load{system: my, text: "SELECT p.name, SUM(i.qty) FROM orders o JOIN items i ON i.order_id = o.id JOIN parts p ON p.id = i.part_id WHERE DATE(o.made) = ? GROUP BY p.name", runs: 5, stacks: map[string]int64{"handler::ha_index_next_same;sub_select": 50, "handler::ha_index_read_map;join_read_key2;sub_select": 40}}, "statement-computed-column", "with a range (day >= ? AND day < ?)"},
		{"a join that reads little", load{system: my, text: "SELECT p.name, SUM(i.qty) FROM orders o JOIN items i ON i.order_id = o.id JOIN parts p ON p.id = i.part_id WHERE o.id = ? AND DATE(o.made) = ? GROUP BY p.name", runs: 90_000, stacks: map[string]int64{"handler::ha_index_next_same;sub_select": 50, "handler::ha_index_read_map;join_read_key2;sub_select": 40}}, "", ""},
		{"text and number, behind an index of a join", load{system: my, text: "SELECT p.id, d.region FROM parcels p JOIN depots d ON d.id = p.depot_id WHERE p.tracking_no = 4711", runs: 100, stacks: map[string]int64{"handler::ha_index_next_same;sub_select": 90, "Field_varstring::val_decimal;Item_func_eq::val_bool;sub_select": 3}}, "statement-type", "Compare tracking_no with text"},
		{"a number, and no text is converted", load{system: my, text: "SELECT p.id FROM parcels p WHERE p.depot_id = 4711", runs: 100, stacks: map[string]int64{"handler::ha_index_next_same;sub_select": 90}}, "", ""},
		{"text and number, where it costs little", load{system: my, text: "SELECT p.id FROM parcels p WHERE p.tracking_no = 4711", runs: 20_000, stacks: map[string]int64{"handler::ha_index_next_same;sub_select": 90, "Field_varstring::val_decimal;Item_func_eq::val_bool;sub_select": 3}}, "", ""},
		{"rows deleted in a procedure", load{system: pg, text: "SELECT * FROM devices WHERE site_id = site.id ORDER BY id", runs: 24, stacks: map[string]int64{scan + ";_SPI_execute_plan;ri_PerformCheck;RI_FKey_cascade_del;standard_ExecutorRun;_SPI_execute_plan;plpgsql_exec_function": 90}}, "statement-foreign-key", "CREATE INDEX on each column that REFERENCES the table"},
		{"rows deleted in a function, once", load{system: pg, text: "SELECT id, purge(id) FROM tenants", runs: 1, keys: []string{"receipts (message_id)", "messages (ticket_id)"}, stacks: map[string]int64{scan + ";_SPI_execute_plan;ri_PerformCheck;RI_FKey_cascade_del;standard_ExecutorRun;_SPI_execute_plan;plpgsql_exec_function": 90}}, "statement-foreign-key", "CREATE INDEX ON receipts (message_id), messages (ticket_id): of what was checked, on each that has none"},
		{"rows deleted in a function, once, with indexes", load{system: pg, text: "SELECT id, purge(id) FROM tenants", runs: 1, keys: []string{"receipts (message_id)"}, stacks: map[string]int64{"index_getnext_slot;ExecScan;_SPI_execute_plan;ri_PerformCheck;RI_FKey_cascade_del;standard_ExecutorRun": 90}}, "", ""},
		{"text and number", load{system: my, text: "SELECT id FROM users WHERE code = 4711", runs: 100, stacks: map[string]int64{"Field_varstring::val_real;handler::ha_rnd_next": 30}}, "statement-type", "Compare code with text"},
		{"numbers", load{system: my, text: "SELECT id FROM users WHERE age = 47", runs: 90000, stacks: map[string]int64{"handler::ha_index_read_map": 60}}, "", ""},
		{"random order", load{system: my, text: "SELECT * FROM t ORDER BY RAND() LIMIT 1", runs: 9, stacks: map[string]int64{"filesort": 60}}, "statement-random-order", "MAX(id)"},
		{"random order of a few rows", load{system: sqlite, text: "SELECT * FROM t ORDER BY RANDOM() LIMIT 1", runs: 90000, steps: 180000, line: 3}, "", ""},
		{"pages", load{system: sqlite, text: "SELECT * FROM t ORDER BY day DESC LIMIT 50 OFFSET ?", runs: 900, steps: 45900, line: 3}, "statement-offset", "WHERE day > ? ORDER BY day"},
		{"first pages", load{system: pg, text: "SELECT * FROM t ORDER BY id LIMIT 50 OFFSET 0", runs: 90000, stacks: map[string]int64{"index_getnext_slot": 50}}, "", ""},
		{"wildcard", load{system: pg, text: "SELECT * FROM t WHERE note LIKE '%x%'", runs: 90, stacks: map[string]int64{"textlike;" + scan: 50}}, "statement-wildcard", "gin_trgm_ops"},
		{"prefix", load{system: pg, text: "SELECT * FROM t WHERE note LIKE 'x%'", runs: 90000, stacks: map[string]int64{"index_getnext_slot": 50}}, "", ""},
		{"not in", load{system: pg, text: "SELECT id FROM t WHERE id NOT IN (SELECT x FROM s)", runs: 9, stacks: map[string]int64{"tuplestore_gettupleslot;ExecMaterial": 80}}, "statement-not-in", "NOT EXISTS"},
		{"not in, hashed", load{system: pg, text: "SELECT id FROM t WHERE id NOT IN (SELECT x FROM s)", runs: 1, stacks: map[string]int64{"FindTupleHashEntry": 80}}, "", ""},
		{"query for each row", load{system: my, text: "SELECT id, (SELECT count(*) FROM o WHERE o.u = u.id) FROM u", runs: 9, stacks: map[string]int64{"subselect_single_select_engine::exec": 80}}, "statement-correlated", "LEFT JOIN"},
		{"no index", load{system: pg, text: "SELECT id FROM o WHERE user_id = 7 AND day > '2024'", runs: 90, stacks: map[string]int64{scan: 80}}, "statement-scan", "(user_id, day)"},
		{"a function that reads a table", load{system: pg, text: "SELECT c.id, s.n FROM customer c, statement(c.id) s WHERE c.id = 7", runs: 900, stacks: map[string]int64{scan + ";postquel_getnext;fmgr_sql;ExecMakeTableFunctionResult": 80}}, "statement-function-scan", "EXPLAIN the queries in the bodies"},
		{"a function in FROM whose query is put in its place", load{system: pg, text: "SELECT c.id, s.n FROM customer c, statement(c.id) s WHERE c.id = 7", runs: 900, stacks: map[string]int64{scan: 80}}, "statement-function-scan", "EXPLAIN the queries"},
		{"compiled by the JIT at each run", load{system: pg, text: "SELECT c.id, s.n FROM customer c, statement(c.id) s WHERE c.id = 7", runs: 900, stacks: map[string]int64{"llvm::PassManager;" + scan: 97}}, "", ""},
		{"what a function asks", load{system: pg, text: "SELECT sum(x) FROM item WHERE day = date_trunc('day', made)", runs: 900, inner: 900, outer: 3, within: "SELECT bill(c.id) FROM customer c", stacks: map[string]int64{scan + ";_SPI_execute_plan;plpgsql_exec_function;plpgsql_call_handler": 80}}, "statement-scan", "CREATE INDEX ON item (day)"},
		{"one for each row in a procedure", load{system: pg, text: "UPDATE item SET x = v WHERE id = r.id", runs: 9000, inner: 9000, outer: 1, within: "CALL settle(?)", stacks: map[string]int64{"index_getnext_slot;_SPI_execute_plan;plpgsql_exec_function": 80}}, "statement-row-by-row", "Write one statement for all rows"},
		{"one for each row in a trigger", load{system: pg, text: "INSERT INTO audit VALUES (NEW.id)", runs: 9000, inner: 9000, outer: 2, within: "UPDATE item SET x = ?", stacks: map[string]int64{"heap_insert;_SPI_execute_plan;plpgsql_exec_trigger": 80}}, "statement-row-by-row", "FOR EACH STATEMENT"},
		{"one for each statement of a client, in a trigger", load{system: pg, text: "INSERT INTO audit VALUES (NEW.id)", runs: 9000, inner: 9000, outer: 9000, within: "UPDATE item SET x = ? WHERE id = ?", stacks: map[string]int64{"heap_insert;_SPI_execute_plan;plpgsql_exec_trigger": 80}}, "", ""},
		{"a function in a condition", load{system: pg, text: "SELECT id FROM posting WHERE day >= fiscal_start(2024)", runs: 900, stacks: map[string]int64{"texteq;ExecScan;standard_ExecutorRun;plpgsql_exec_function;plpgsql_call_handler;" + scan: 80}}, "statement-scan", ""},
		{"a series in FROM", load{system: pg, text: "SELECT o.id FROM generate_series(1, 9) d, o WHERE o.day = 7", runs: 900, stacks: map[string]int64{scan: 80}}, "statement-scan", ""},
		{"a function by an index", load{system: pg, text: "SELECT c.id, s.n FROM customer c, statement(c.id) s WHERE c.id = 7", runs: 900, stacks: map[string]int64{"index_getnext_slot;postquel_getnext;fmgr_sql": 80}}, "", ""},
		{"deleted by its key", load{system: sqlite, text: "DELETE FROM session WHERE id = ?", runs: 100, steps: 100, scanned: 8_000_000, line: 3}, "statement-foreign-key", "each column that REFERENCES session"},
		{"deleted by the key of a table in the plural", load{system: pg, text: "DELETE FROM app.orders WHERE order_id = 7", runs: 90, stacks: map[string]int64{scan: 80}}, "statement-foreign-key", "REFERENCES app.orders"},
		{"deleted by another column", load{system: pg, text: "DELETE FROM session WHERE device_id = 7", runs: 90, stacks: map[string]int64{scan: 80}}, "statement-scan", "(device_id)"},
		{"deleted by its key, by the index", load{system: pg, text: "DELETE FROM session WHERE id = 7", runs: 90000, stacks: map[string]int64{"index_getnext_slot;ExecScan": 50}}, "", ""},
		{"a report", load{system: pg, text: "SELECT sum(total) FROM o WHERE day > '2024'", runs: 1, stacks: map[string]int64{scan: 80}}, "", ""},
		{"sorted each time", load{system: pg, text: "SELECT id FROM o WHERE u = 7 ORDER BY day", runs: 90, stacks: map[string]int64{"tuplesort_performsort;ExecSort": 60, "index_getnext_slot": 40}}, "statement-sort", "(u, day)"},
		{"sorted, with an inner query", load{system: sqlite, text: "SELECT o.id, (SELECT count(*) FROM r WHERE r.o = o.id) n FROM o ORDER BY n LIMIT 25", runs: 10, steps: 260, scanned: 3990, operations: 9_000_000, bytes: 33_726_464}, "", ""},
		{"counted", load{system: pg, text: "SELECT count(*) FROM o", runs: 90, stacks: map[string]int64{scan: 60}}, "statement-count-all", "Count once"},
		{"counted once", load{system: pg, text: "SELECT count(*) FROM o", runs: 1, stacks: map[string]int64{scan: 60}}, "", ""},
		{"read again", load{system: pg, text: "SELECT * FROM settings", runs: 900, stacks: map[string]int64{scan: 60}}, "statement-whole-table", "keep them"},
		{"one for each row", load{system: sqlite, text: "SELECT name FROM users WHERE id = ?", runs: 900000, steps: 1800000, line: 3}, "statement-per-row", "WHERE id IN (…)"},
		{"many rows each", load{system: sqlite, text: "SELECT name FROM users WHERE team = ?", runs: 2000, steps: 400000, line: 3}, "", ""},
		{"requests of many clients", load{system: pg, text: "SELECT name FROM users WHERE id = 7", runs: 900000, stacks: map[string]int64{"index_getnext_slot": 60}}, "", ""},
		{"a long list", load{system: pg, text: "SELECT name FROM users WHERE id IN (" + strings.Repeat("1, ", 300) + "1)", runs: 900, stacks: map[string]int64{"raw_parser;pg_parse_query": 30}}, "statement-long-list", "ANY($1)"},
		{"parsed each time", load{system: sqlite, text: "SELECT a FROM t JOIN s ON s.id = t.id WHERE t.id > 5 AND t.id < 9", runs: 90000, steps: 900000, prepared: 90000, stacks: map[string]int64{"sqlite3_prepare_v2": 50}, line: 3}, "statement-parsed-each-time", "sqlite3_reset"},
		{"a scan for each row", load{system: sqlite, text: "CREATE TABLE m AS SELECT b.id, (SELECT c.id FROM c WHERE c.email = b.address COLLATE NOCASE) FROM b", runs: 1, steps: 1, scanned: 66_961_046, operations: 267_943_967, bytes: 2_514_944}, "statement-nested-scan", "(column COLLATE NOCASE)"},
		{"a scan of a large table", load{system: sqlite, text: "SELECT sum(total) FROM o JOIN c ON c.id = o.c WHERE o.day > ?", runs: 1, steps: 2, scanned: 66_961_046, operations: 267_943_967, bytes: 2_514_944_000}, "", ""},
		{"a scan in memory", load{system: sqlite, text: "SELECT count(*) FROM b JOIN a ON a.k + 0 = b.w", runs: 1, steps: 2, scanned: 40_504_499, operations: 202_621_512}, "statement-nested-scan", "EXPLAIN QUERY PLAN"},
		{"a few rows in memory", load{system: sqlite, text: "SELECT count(*) FROM b JOIN a ON a.k = b.w", runs: 1, steps: 2, scanned: 1_500_000, operations: 20_000_000}, "", ""},
		{"columns in the wrong order", load{system: sqlite, text: "SELECT (SELECT count(*) FROM reading r WHERE r.truck = w.id AND r.day BETWEEN ? AND ?) FROM w", runs: 1, steps: 51, scanned: 400, operations: 274_627_672, bytes: 33_726_464}, "statement-index-range", "(truck, day)"},
		{"a query by an index for each row", load{system: sqlite, text: "SELECT sum((SELECT count(*) FROM o WHERE o.cust = c.id AND o.day > ?)) FROM c", runs: 1, steps: 2, scanned: 19_999, operations: 1_963_182, bytes: 47_448_064}, "", ""},
		{"some hundred rows by an index for each row", load{system: sqlite, text: "SELECT o.id, (SELECT count(*) FROM r WHERE r.o = o.id) FROM o", runs: 1, steps: 26, scanned: 399, operations: 900_000, bytes: 33_726_464}, "", ""},
		{"a dear query for each row", load{system: sqlite, text: "SELECT id, (SELECT count(*) FROM o WHERE o.u = u.id) FROM u", runs: 1, steps: 101, scanned: 900_000, operations: 3_900_000, bytes: 7_448_064}, "statement-correlated", "LEFT JOIN"},
		{"inserts", load{system: sqlite, text: "INSERT INTO t VALUES (1, 2)", runs: 900000, steps: 900000, prepared: 1, line: 3}, "", ""},
	} {
		t.Run(x.name, func(t *testing.T) {
			found := x.load.judge(t)
			if len(found) == 0 {
				if x.rule != "" {
					t.Fatal("nothing is found")
				}
				return
			}
			f := found[0]
			if f.Rule != x.rule || !strings.Contains(strings.Join(f.Fix.Steps, "\n"), x.says) {
				t.Errorf("%s: %q: %q", f.Rule, f.Title, f.Fix.Steps)
			}
			if len(f.Title) > 60 || len(f.Samples) == 0 || !IsRule(f.Rule) {
				t.Errorf("%+v", f)
			}
		})
	}
}

// What is dear for another reason than its statement is not told.
func TestSmallShares(t *testing.T) {
	l := load{system: "postgresql", text: "SELECT id FROM users WHERE lower(email) = 'a'", runs: 2000, stacks: map[string]int64{scan: 90}}
	found := l.judge(t)
	if len(found) != 1 || *found[0].Share.Inclusive < 0.49 || *found[0].Share.Inclusive > 0.51 {
		t.Fatalf("%+v", found)
	}
	if got := found[0].Evidence[1].Text; got != "postgresql: executed 2,000 times, 1ms of CPU each" {
		t.Errorf("%q", got)
	}
}
