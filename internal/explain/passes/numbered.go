package passes

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"whyhot/internal/explain/judge"
	"whyhot/internal/explain/ownline"
	"whyhot/internal/explain/text"
	"whyhot/internal/finding"
)

// RuleNumbered is of hash tables whose keys are whole numbers.
const RuleNumbered = "numbers-as-keys"

// numbered is a hash table whose keys are whole numbers, and lines that look keys up in it.
type numbered struct {
	spot

	table string
	most  int64
}

// ofNumbers is how a file declares such a table, by language; asks is how a line looks a key up.
var ofNumbers = map[string]struct {
	declares, asks *regexp.Regexp
	cure           string
}{
	"Java": {
		regexp.MustCompile(`\b\w*(?:Map|Dictionary)<\s*(?:Integer|Long|Short|Byte|Character|Int|int|long|uint|short|byte)\s*,|\b\w*Map\[\s*(?:Int|Long)\s*,`),
		regexp.MustCompile(`\b([A-Za-z_]\w*)\s*(?:\.\s*(?:get|put|merge|getOrDefault|getOrPut|compute\w*|containsKey|ContainsKey|TryGetValue|TryAdd|putIfAbsent|getOrElse|remove)\s*\(|\[)`),
		"Else a map of plain numbers, without an object for each: fastutil's Int2IntOpenHashMap, HPPC, Eclipse Collections",
	},
	"Rust": {
		regexp.MustCompile(`\bHashMap<\s*(?:u8|u16|u32|u64|usize|i16|i32|i64|isize)\s*,`),
		regexp.MustCompile(`\b([A-Za-z_]\w*)\s*(?:\.\s*(?:get|get_mut|entry|insert|contains_key|remove)\s*\(|\[)`),
		"Else a hash for whole numbers: rustc_hash::FxHashMap, nohash_hasher::IntMap",
	},
}

// asksMap are functions that look a key up, or make and compare one.
var asksMap = regexp.MustCompile(`(?:Map|Table|Dictionary)\b[\w$]*[.:]+(?:get|put|merge|compute|contains|find|remove|hash|add)\w*|\b(?:Integer|Long|Short|Character)[.:]+(?:valueOf|hashCode|equals|compareTo)`)

// walksMap are functions that go from element to element of a map.
var walksMap = regexp.MustCompile(`\b(?:successor|predecessor)\(|Iterator\.next\w*\(|Spliterator\.\w+\(`)

// leastNumbered is the share of the CPU from which a table is told.
const leastNumbered = 0.2

// numberedTables gives them, the dearest first.
//
// Example. Map<Integer, Integer> counts, with counts.merge(bucket, 1, Integer::sum) per value.
func (r *reader) numberedTables() []numbered {
	type key struct{ file, table string }
	known := map[key]*numbered{}
	looks := r.p.StacksWith(asksMap.MatchString)
	for line, rows := range r.innermost {
		f := r.file(line.Function)
		if f == nil || line.Line <= 0 {
			continue
		}
		for _, name := range r.tablesIn(f, int(line.Line)) {
			k := key{f.Path, name}
			x := known[k]
			if x == nil {
				x = &numbered{table: name}
				known[k] = x
			}
			rows := rows
			if !ofNumbers[f.Language()].asks.MatchString(f.Code(int(line.Line))) { // a line beside it
				rows = slices.DeleteFunc(slices.Clone(rows), func(row int32) bool { return !looks(r.p.Samples()[row].Stack) })
			}
			x.rows = joinRows(x.rows, rows)
			v := r.p.Weight(rows)
			if v > x.most || v == x.most && (line.Line < x.line.Line || line.Line == x.line.Line && line.Function < x.line.Function) {
				x.line, x.most = line, v
			}
		}
	}
	walks := r.p.StacksWith(walksMap.MatchString)
	var out []numbered
	for _, x := range known {
		// What a JVM's compiler has inlined has the line of its caller: a walk over some map is no look-up.
		x.rows = slices.DeleteFunc(x.rows, func(row int32) bool { return walks(r.p.Samples()[row].Stack) })
		if x.share = r.p.Share(x.rows); r.isSure(x.share, leastNumbered) && x.line.Line > 0 {
			out = append(out, *x)
		}
	}
	slices.SortFunc(out, func(a, b numbered) int { return strings.Compare(a.table, b.table) })
	sortDearest(out)
	return out
}

// tablesIn are the tables of whole numbers in which a line looks a key up.
func (r *reader) tablesIn(f *text.File, line int) (out []string) {
	of, known := ofNumbers[f.Language()]
	if !known {
		return nil
	}
	first, last := line, line
	if fn, in := f.Function(line); in && f.Language() == "Java" {
		first, last = max(fn.First, line-near), min(fn.Last, line+near)
	}
	for n := first; n <= last; n++ {
		for _, m := range of.asks.FindAllStringSubmatch(f.Code(n), -1) {
			if !slices.Contains(out, m[1]) && len(text.Names(m[1])) > 0 && !ofType.MatchString(m[1]) && r.isDeclared(f, m[1], of.declares) {
				out = append(out, m[1])
			}
		}
	}
	return out
}

// ofType is a type, of which an array is made.
var ofType = regexp.MustCompile(`^(?:byte|short|char|boolean|uint|ulong|double|[A-Z]\w*)$`)

// near is how many lines beside its own a JVM's compiler may give the code that it has inlined.
const near = 2

func (r *reader) numberedFinding(s judge.Subject, x numbered) judge.Found {
	place := ownline.Place(r.p, x.line)
	f := r.suspected(s, RuleNumbered, place, x.rows, saving{share: x.share, least: 0.15, likely: 0.6, why: "is in lines that look numbers up"}, x.table)
	f.Title = fmt.Sprintf("Keys of %s are whole numbers; index an array (%s)", x.table, at(place.File, place.Line))
	f.Fix.Steps = []string{
		"Where the numbers are dense (indices, buckets, ids from 0 on): an array or vector with a place for each",
		ofNumbers[r.file(x.line.Function).Language()].cure,
	}
	f.Fix.Caveats = []string{"Of few numbers from a large range, an array is mostly empty"}
	f.Evidence = []finding.Evidence{
		r.quoted(place),
		{Kind: "repetition", Share: &x.share, Text: fmt.Sprintf("%s hashes and compares a number where an array would take it as a place; the share is of all lines that ask it", strings.TrimSpace(x.table))},
	}
	return f
}
