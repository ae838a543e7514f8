package statement

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"whyhot/internal/explain/judge"
	"whyhot/internal/explain/ownline"
	"whyhot/internal/finding"
	"whyhot/internal/profile"
	"whyhot/internal/profile/sqlshape"
)

// work is what an executor does.
type work string

// The kinds of work that samples show.
const (
	scanning   work = "reading whole tables"
	indexed    work = "reading by an index"
	sorting    work = "sorting"
	matching   work = "matching patterns"
	converting work = "converting text to numbers"
	planning   work = "parsing and planning"
	nested     work = "executing inner queries"
	looping    work = "going through the result of an inner query again"
	adding     work = "building an index"
	referring  work = "checks of foreign keys"
	calling    work = "reading them in functions written in SQL or PL/pgSQL"
)

// works are the functions of PostgreSQL, MariaDB and SQLite that do it.
var works = map[work]*regexp.Regexp{
	scanning:   regexp.MustCompile(`^(ExecScan|ExecSeqScan\w*|SeqNext|heap_getnextslot|heapgettup(_pagemode)?|heapgetpage|heap_prepare_pagescan|rr_sequential|ha_innobase::(rnd_next|rnd_init|general_fetch|index_first|index_next)|handler::ha_(rnd_next|index_first|index_next)|ha_(myisam|maria|heap)::(rnd_next|scan)|join_init_read_record)\b`),
	indexed:    regexp.MustCompile(`^(IndexNext|IndexOnlyNext|index_getnext_(slot|tid)|index_getbitmap|btgettuple|btgetbitmap|gingetbitmap|gistgettuple|heapam_index_fetch_tuple|heap_hot_search_buffer|ExecBitmapHeapScan|handler::(ha_)?index_(read\w*|next_same)|handler::(read_range_\w+|multi_range_read_next|ha_index_read\w*|ha_index_next_same)|ha_\w+::index_(read\w*|next_same)|join_read_(key\w*|const\w*|always_key\w*)|rr_quick|QUICK_RANGE_SELECT::\w+)\b`),
	sorting:    regexp.MustCompile(`^(tuplesort_\w+|ExecSort|qsort_(tuple|ssup)\w*|comparetup_\w+|filesort|create_sort_index|Filesort\w*::\w+|merge_many_buff|merge_buffers|Unique::\w+|(sqlite3V|v)dbeSorter\w+)\b`),
	matching:   regexp.MustCompile(`^(text(ic)?(like|nlike|regexeq|icregexeq)|(SB|UTF8|MB|C)_MatchText\w*|generic_match_text|pg_regexec|patternCompare|likeFunc|Item_func_like::val_(int|bool)|my_wildcmp\w*|my_(mb_)?wildcmp_\w+)\b`),
	converting: regexp.MustCompile(`^(Field_(varstring|string|blob|str|longstr)::val_(decimal|real|int)|Value_source::Converter_\w+|my_strntod\w*|my_strtod\w*|my_strtoll10\w*|str2my_decimal)\b`),
	planning:   regexp.MustCompile(`^(pg_(parse_query|analyze_and_rewrite\w*|rewrite_query|plan_quer(y|ies))|raw_parser|parse_analyze\w*|(standard_)?planner|MYSQLparse|ORAparse|THD::sql_parser|parse_sql|JOIN::optimize(_inner)?|open_tables\w*|sqlite3_prepare\w*|sqlite3(RunParser|Parser|LockAndPrepare))\b`),
	nested:     regexp.MustCompile(`^(ExecSubPlan|ExecSetParamPlan|Item_(singlerow_|exists_|in_)?subselect::\w+|subselect_\w+::exec)\b`),
	looping:    regexp.MustCompile(`^(ExecMaterial|tuplestore_gettuple\w*|ExecReScan\w*)\b`),
	referring:  regexp.MustCompile(`^(RI_FKey_\w+|ri_(PerformCheck|Check_Pk_Match|restrict|set)\w*)\b`),
	adding:     regexp.MustCompile(`^(btbuild\w*|index_build|btinsert|_bt_\w*(load|insert)\w*|sqlite3BtreeInsert)\b`),
}

// view is one statement with all that the profile says of it.
type view struct {
	profile.Statement

	q      sqlshape.Query
	rows   []int32
	value  int64
	count  int64
	share  float64
	margin float64
	of     map[work]int64 // value of the samples with such work
	paid   []ownline.Paid // lines of the program that execute it
	paying int64          // value of the samples with such a line
	// below are all samples under these lines: what a client library does to send the
	// statement and to make objects of its rows is done once for each execution, too.
	below      []int32
	belowShare float64
	belowCount float64
}

// part is how much of the statement's samples is some work.
func (v *view) part(w work) float64 { return float64(v.of[w]) / float64(max(v.value, 1)) }

// each is the CPU of one execution, 0 where nobody counted them.
func (v *view) each() time.Duration {
	if v.Runs == 0 {
		return 0
	}
	return time.Duration(float64(v.value) / float64(v.Runs))
}

// perStep is the CPU until the next row comes out, 0 where nobody counted rows.
func (v *view) perStep() time.Duration {
	if v.Steps == 0 {
		return 0
	}
	return time.Duration(float64(v.value) / float64(v.Steps))
}

// perRun is how many rows an execution gives; ok is false where nobody counted them.
func (v *view) perRun() (rows float64, ok bool) {
	if v.Steps == 0 || v.Runs == 0 {
		return 0, false
	}
	return max(0, float64(v.Steps)/float64(v.Runs)-1), true // the last step finds the end
}

// dearStep is the CPU from which more than a few rows were looked at for one that comes out:
// one by its key takes two to ten microseconds.
const dearStep = 50 * time.Microsecond

// dearLookup is the CPU from which an execution that looks for rows by a value has looked at
// many others: with an index it takes a tenth of that, and most of it in the protocol.
const dearLookup = time.Millisecond

// scans says whether the executor reads a table from one end to the other.
func (v *view) scans() bool {
	const least, few = 0.2, 0.05
	if v.System == sqlite {
		return !v.isBesideScans() && v.perStep() >= dearStep && v.part(adding) < few
	}
	return v.part(scanning) >= least && v.part(indexed) < max(few, v.part(scanning)/4) //nolint:mnd // most of it
}

// goesRound says whether a server reads very many rows for each execution, though by an index: a
// join that cannot begin with the rows which a condition is about begins with all of another
// table, and asks the condition last.
func (v *view) goesRound() bool {
	return v.System != sqlite && len(v.q.Tables) > 1 && v.each() >= dearJoin && v.part(scanning)+v.part(indexed) >= half
}

// dearJoin is the CPU of an execution from which a join has read thousands of rows.
const dearJoin = 10 * time.Millisecond

const sqlite = "sqlite"

const (
	// rowBytes is what a row takes at least in a file of SQLite: its header and key, one value,
	// and its part of a page. So no table has more rows than the file's bytes by that.
	rowBytes = 16
	// operationsOfRow are those of SQLite's virtual machine that a row of a walk takes at most:
	// to step, to read one or two columns, to compare and jump.
	operationsOfRow = 8
	// operationsOfScan are those for a row of a full scan from which something else does the
	// work.
	operationsOfScan = 20
	// mostPasses is how often one execution may walk through all rows that there is room for: a
	// few tables and their indexes once each.
	mostPasses = 4
	// leastWalk is from how many rows a walk takes long, leastInMemory where there is no file
	// to compare with.
	leastWalk, leastInMemory = 1_000_000, 20_000_000
)

// isBesideScans says whether something else than full scans does the work. Where nobody
// counted it, both numbers are 0.
func (v *view) isBesideScans() bool { return v.Operations > operationsOfScan*v.Scanned }

// isPassed says whether one execution walks over more rows than the database can have, so that
// it walks over the same ones many times.
func (v *view) isPassed(walked uint64) bool {
	if v.System != sqlite || v.Runs == 0 || walked/v.Runs < leastWalk {
		return false
	}
	if v.DatabaseBytes == 0 {
		return walked/v.Runs >= leastInMemory
	}
	return walked/v.Runs >= mostPasses*v.DatabaseBytes/rowBytes
}

// isDearInside says whether an inner query does much for each row of the outer one: it scans
// a table each time, or takes very many operations. One that finds some hundred rows by an
// index takes some thousand. Where nobody counted them it may.
func (v *view) isDearInside() bool {
	const much = 20_000 // operations
	scans := !v.isBesideScans() && v.Scanned/max(v.Runs, 1) >= v.DatabaseBytes/rowBytes
	return v.Operations == 0 || scans || v.Operations >= much*max(v.Scanned, v.Steps)
}

// room compares a walk with what the database has room for.
func (v *view) room(walked uint64) string {
	if v.DatabaseBytes == 0 {
		return "over and over the same ones of a database in memory"
	}
	const mega = 1e6
	return fmt.Sprintf("at least %s times the rows that %.1f MB of files have room for", judge.Times(walked/v.Runs/max(v.DatabaseBytes/rowBytes, 1)), float64(v.DatabaseBytes)/mega)
}

// views are the statements of a profile that have samples.
//
// What PostgreSQL's JIT compiler takes for a statement is no work of its plan, and goes away by a
// setting.
func views(p *profile.Profile) []*view {
	byText := map[[2]string]*view{}
	var out []*view
	if !hasStatements(p) {
		return nil // most profiles, of which no function need be read
	}
	works, compiles := worksOf(p), compilesOf(p)
	for i := range p.Samples() {
		s := &p.Samples()[i]
		text, _ := p.Label(s.Labels, profile.LabelStatement)
		if text.Str == "" || s.Value <= 0 || compiles(s.Stack) {
			continue
		}
		system, _ := p.Label(s.Labels, profile.LabelDatabase)
		key := [2]string{system.Str, text.Str}
		v := byText[key]
		if v == nil {
			v = &view{Statement: known(p, system.Str, text.Str), q: sqlshape.Parse(text.Str), of: map[work]int64{}}
			byText[key] = v
			out = append(out, v)
		}
		v.rows = append(v.rows, int32(i)) //nolint:gosec // rows are fewer
		v.value += s.Value
		v.count += s.Count
		for _, w := range works(s.Stack) {
			v.of[w] += s.Value
		}
	}
	lines := ownline.Of(p)
	for _, v := range out {
		v.share = float64(v.value) / float64(max(p.Total(), 1))
		v.margin = finding.ShareError(v.share, p.Count())
		v.paid = lines.Pay(v.rows)
		for _, one := range v.paid {
			v.paying += one.Value
		}
	}
	look(p, lines, out)
	lookWithin(p, out)
	return out
}

// jit is a library of PostgreSQL's JIT compiler.
var jit = regexp.MustCompile(`(^|/)(libLLVM[-.\w]*|llvmjit)\.so`)

// compilesOf says whether a stack is in the JIT compiler.
func compilesOf(p *profile.Profile) func(profile.StackID) bool {
	is := make([]bool, p.NumMappings())
	for i := range is {
		is[i] = jit.MatchString(p.Mapping(profile.MappingID(i)).Path) //nolint:gosec // mappings are numbered so
	}
	return func(id profile.StackID) bool {
		return slices.ContainsFunc(p.Stack(id), func(loc profile.LocationID) bool {
			return is[p.Location(loc).Mapping]
		})
	}
}

// hasStatements says whether a sample has the label of one.
func hasStatements(p *profile.Profile) bool {
	for i := range p.NumLabelSets() {
		if text, _ := p.Label(profile.LabelSetID(i), profile.LabelStatement); text.Str != "" { //nolint:gosec // label sets are numbered so
			return true
		}
	}
	return false
}

// known is what the recording counted of a statement: where it is executed, else where it is
// sent.
func known(p *profile.Profile, system, text string) profile.Statement {
	out := profile.Statement{System: system, Text: text, Watched: 1}
	for _, s := range p.Meta.Statements {
		if s.System != system || s.Text != text {
			continue
		}
		if facts := out.Facts; out.Runs == 0 || out.Client && !s.Client {
			out = s
			out.Facts.Add(facts)
		}
	}
	return out
}

// The frames of functions that a statement calls: their own, those of a function in FROM, and
// of a scan that calls one for each row.
var (
	functions = regexp.MustCompile(`^(fmgr_sql|plpgsql_call_handler|sp_head::execute\w*)\b`)
	inFrom    = regexp.MustCompile(`^ExecMakeTableFunctionResult\b`)
	rows      = regexp.MustCompile(`^ExecScan\b`)
)

// calls follows a stack from its innermost frame on: is it a scan that a function asks for,
// and which no scan calls for each of its rows?
type calls struct{ scan, function, table bool }

// frame is what a function is to calls.
type frame struct{ scan, function, inFrom, rows bool }

func frameOf(name string) frame {
	return frame{works[scanning].MatchString(name), functions.MatchString(name), inFrom.MatchString(name), rows.MatchString(name)}
}

func (c *calls) pass(f frame) {
	switch {
	case f.function:
		c.function = c.function || c.scan
	case c.function && f.inFrom:
		c.function, c.scan, c.table = false, false, true // told: what is outside does not matter
	case c.function && f.rows:
		c.function, c.scan = false, false
	}
	c.scan = c.scan || f.scan && !c.table
}

func (c *calls) is() bool { return c.function || c.table }

// worksOf gives the work of a stack, each kind once, from its innermost frame on.
func worksOf(p *profile.Profile) func(profile.StackID) []work {
	ofFunction, frames := make([][]work, p.NumFunctions()), make([]frame, p.NumFunctions())
	for i := range ofFunction {
		frames[i] = frameOf(p.Function(profile.FunctionID(i)).Name) //nolint:gosec // functions are numbered so
		for w, names := range works {
			if names.MatchString(p.Function(profile.FunctionID(i)).Name) {
				ofFunction[i] = append(ofFunction[i], w)
			}
		}
	}
	known := map[profile.StackID][]work{}
	return func(id profile.StackID) []work {
		if all, ok := known[id]; ok {
			return all
		}
		var all []work
		var asked calls
		for _, loc := range p.Stack(id) {
			for _, l := range p.Lines(loc) {
				asked.pass(frames[l.Function])
				for _, w := range ofFunction[l.Function] {
					if !slices.Contains(all, w) {
						all = append(all, w)
					}
				}
			}
		}
		if asked.is() {
			all = append(all, calling)
		}
		known[id] = all
		return all
	}
}

// deletesByKey says whether rows are deleted by what is the key of most tables, going by its name:
// id, or session_id of a table session or sessions.
func (v *view) deletesByKey() bool {
	if v.q.Verb != "DELETE" || len(v.q.Tables) != 1 || len(v.q.Equal) != 1 || len(v.q.Range)+len(v.q.Like) > 0 {
		return false
	}
	last := func(name string) string {
		return strings.ToLower(strings.Trim(name[strings.LastIndexByte(name, '.')+1:], "\"`[]"))
	}
	column, table := last(v.q.Equal[0]), last(v.q.Tables[0])
	switch column {
	case "id", "rowid", "oid", "uuid", "guid", "pk", table + "_id", table + "id", strings.TrimSuffix(table, "s") + "_id", strings.TrimSuffix(table, "s") + "id":
		return true
	}
	return false
}
