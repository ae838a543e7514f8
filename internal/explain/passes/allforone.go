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
	"whyhot/internal/profile"
)

// RuleForOne is of collections that are made whole to use one element.
const RuleForOne = "all-for-one"

// wholeForOne is a statement that makes all elements of a collection, and uses one of them, or
// asks whether there is any.
type wholeForOne struct {
	spot

	text  string // as it is written
	first bool   // the first of all: the others are made for nothing
	order bool   // the first in an order

	search bool         // a function of the program makes all, of which a loop looks for one
	index  bool         // a function of the program makes all, of which the one with a number is taken
	caller profile.Line // that asks for most of them
}

// allForOne is a form of such a statement: what opens, and what stands behind the bracket that
// closes it.
type allForOne struct {
	open, behind *regexp.Regexp
	inside       *regexp.Regexp // what it has between them, nil for anything
	first, order bool
}

var comprehends = regexp.MustCompile(`\bfor\b.*\bin\b`)

// isAny is a question after a count: > 0, != 0, >= 1.
const isAny = `(?:>\s*0|[!=]==?\s*0|>=\s*1)\b`

func form(open, behind string) allForOne {
	return allForOne{open: regexp.MustCompile(open), behind: regexp.MustCompile(`^` + behind)}
}

func (a allForOne) ofFirst() allForOne { a.first = true; return a }
func (a allForOne) inOrder() allForOne { a.order = true; return a }
func (a allForOne) made() allForOne    { a.inside = comprehends; return a }

// allForOnes are those of the languages.
var allForOnes = map[string][]allForOne{
	"JavaScript": {
		form(`\.(?:filter|map|flatMap)\(`, `\)\s*(?:\[0\]|\.at\(0\)|\.shift\(\))`).ofFirst(),
		form(`\.(?:filter|flatMap)\(`, `\)\s*\.length\s*`+isAny),
		form(`\.(?:map|flatMap)\(`, `\)\s*\.(?:includes|indexOf|some|every|find|findIndex)\(`),
		form(`\bObject\.(?:keys|values|entries)\(`, `\)\s*(?:\[0\]|\.length\s*`+isAny+`)`).ofFirst(),
		form(`\.(?:sort|toSorted)\(`, `\)\s*(?:\[0\]|\.at\(-?[01]\)|\.pop\(\)|\.shift\(\))`).inOrder(),
		form(`\.split\(`, `\)\s*\[0\]`).ofFirst(),
	},
	"Python": {
		form(`\blist\(`, `\)\s*\[0\]`).ofFirst(),
		form(`(?:^|[^\w\])])\[`, `\]\s*\[0\]`).made().ofFirst(),
		form(`\b(?:any|all)\(\s*\[`, `\]\s*\)`).made(),
		form(`\blen\(\s*(?:list\(|\[)`, `[\])]\s*\)\s*`+isAny).made(),
		form(`\bin\s+\[`, `\]`).made(),
		form(`\bsorted\(`, `\)\s*\[(?:0|-1)\]`).inOrder(),
		form(`\bfindall\(`, `\)\s*\[0\]`).ofFirst(),
		form(`\.split\(`, `\)\s*\[0\]`).ofFirst(),
	},
	"Ruby": {
		form(`\.(?:select|filter|reject|map|flat_map|collect)\s*\{`, `\}\s*\.first\b(?:[^(\d]|$)`).ofFirst(),
		form(`\.(?:select|filter|reject)\s*\{`, `\}\s*\.(?:any\?|empty\?|none\?|(?:size|count|length)\s*`+isAny+`)`),
		form(`\.(?:map|flat_map|collect)\s*\{`, `\}\s*\.(?:include\?|any\?|find\b|index\b)`),
		form(`\.sort_by\s*\{`, `\}\s*\.(?:first|last)\b(?:[^(\d]|$)`).inOrder(),
		form(`\.split\(`, `\)\s*(?:\[0\]|\.first\b(?:[^(\d]|$))`).ofFirst(),
	},
	"PHP": {
		form(`\b(?:reset|current)\(\s*array_(?:filter|map|values)\(`, `\)\s*\)`).ofFirst(),
		form(`\barray_values\(`, `\)\s*\[0\]`).ofFirst(),
		form(`\bcount\(\s*array_filter\(`, `\)\s*\)\s*`+isAny),
		form(`\bexplode\(`, `\)\s*\[0\]`).ofFirst(),
	},
	"Perl": {
		form(`\(\s*(?:grep|map)\s*\{`, `\}[^;]*?\)\s*\[0\]`).ofFirst(),
		form(`\(\s*sort\s*\{`, `\}[^;]*?\)\s*\[(?:0|-1)\]`).inOrder(),
		form(`\(\s*split\b[^;]*?`, `\)\s*\[0\]`).ofFirst(),
	},
	"Java": {
		form(`\.(?:collect|toList)\(`, `\)\s*\.(?:get\(0\)|getFirst\(\)|first\(\))`).ofFirst(),
		form(`\.(?:collect|toList)\(`, `\)\s*\.(?:isEmpty\(\)|contains\(|size\(\)\s*`+isAny+`)`),
		form(`\.count\(`, `\)\s*`+isAny),
		form(`\.filter\s*\{`, `\}\s*\.(?:first\(\)|firstOrNull\(\)|isEmpty\(\)|isNotEmpty\(\)|any\(\))`).ofFirst(),
		form(`\.sorted\(`, `\)\s*\.(?:findFirst\(|limit\(1\)|head\b)`).inOrder(),
		form(`\.sorted(?:By|With)\s*[({]`, `[)}]\s*\.(?:first\(\)|last\(\)|head\b)`).inOrder(),
		form(`\.split\(`, `\)\s*\[0\]`).ofFirst(),
	},
	"C": { // C#
		form(`\.ToList\(`, `\)\s*(?:\[0\]|\.First(?:OrDefault)?\(\))`).ofFirst(),
		form(`\.(?:ToList|ToArray)\(`, `\)\s*\.(?:Contains\(|Any\(|Exists\()`),
		form(`\.Where\(`, `\)\s*\.Count\(\)\s*`+isAny),
		form(`\.OrderBy(?:Descending)?\(`, `\)\s*\.(?:First|Last)(?:OrDefault)?\(\)`).inOrder(),
		form(`\.Split\(`, `\)\s*\[0\]`).ofFirst(),
	},
	"Rust": {
		form(`\.collect::<Vec<[^()]*>>\(`, `\)\s*(?:\[0\]|\.first\(\)|\.get\(0\))`).ofFirst(),
		form(`\.collect::<[\w:]+<[^()]*>>\(`, `\)\s*\.(?:contains\(|is_empty\(\)|len\(\)\s*`+isAny+`)`),
		form(`\.count\(`, `\)\s*`+isAny),
	},
	"Go": {
		form(`\bstrings\.Split\(`, `\)\s*\[0\]`).ofFirst(),
		form(`\.FindAll\w*\(`, `\)\s*\[0\]`).ofFirst(),
		form(`\blen\(\s*\w+\.FindAll\w*\(`, `\)\s*\)\s*`+isAny),
	},
	"Elixir": {
		form(`\bEnum\.(?:filter|map|flat_map|reject)\(`, `\)\s*\|>\s*(?:hd\b|List\.first\b)`).ofFirst(),
		form(`\bEnum\.(?:filter|map|flat_map|reject)\(`, `\)\s*\|>\s*Enum\.(?:empty\?|any\?|member\?)`),
		form(`\bEnum\.sort(?:_by)?\(`, `\)\s*\|>\s*(?:hd\b|List\.(?:first|last)\b|Enum\.at\((?:0|-1)\))`).inOrder(),
	},
	"OCaml": {
		form(`\bList\.hd\s*\(\s*List\.(?:filter|map)\b`, `[^)]*\)`).ofFirst(),
		form(`\bList\.hd\s*\(\s*List\.(?:sort|stable_sort)\b`, `[^)]*\)`).inOrder(),
	},
	"R": {
		form(`\bwhich\(`, `\)\s*\[1L?\]`).ofFirst(),
		form(`\bsort\(`, `\)\s*\[1L?\]`).inOrder(),
	},
}

// wholesForOne gives them, the dearest first.
//
// Example. if (orders.filter(o => o.customer === id).length > 0) for each customer.
func (r *reader) wholesForOne() []wholeForOne {
	known := map[profile.Line]*wholeForOne{}
	look := func(line profile.Line) {
		f := r.file(line.Function)
		if f == nil || allForOnes[f.Language()] == nil {
			return
		}
		statement, lines := f.Statement(int(line.Line))
		at := lineOf(line.Function, lines.First).line
		if known[at] != nil {
			return
		}
		a, how := formIn(f.Language(), statement)
		if how == "" {
			how = fieldOfSplit(f, statement, lines)
		}
		if how == "" {
			return
		}
		known[at] = &wholeForOne{spot: spot{line: at, rows: r.runsIn(f.Path, lines)}, text: how, first: a.first, order: a.order}
	}
	for _, h := range r.hottest {
		look(h.line)
	}
	for line, rows := range r.innermost {
		if r.p.Share(rows) >= leastShare*r.part {
			look(line)
		}
	}
	return enough(r, known)
}

// splits gives the parts of a text a name; those languages that a table above knows have them.
var splits = regexp.MustCompile(`([$@]?[A-Za-z_]\w*)\s*:?=\s*([^=;]*(?:\b(?:split|Split|explode|strings\.Fields)\())`)

// fieldOfSplit is a text that is split into parts of which the function uses one, by its number.
//
// Example. fields := strings.Split(line, " "); n, err := strconv.Atoi(fields[8])
func fieldOfSplit(f *text.File, statement string, lines text.Range) (how string) {
	m := splits.FindStringSubmatchIndex(statement)
	fn, in := f.Function(lines.First)
	if m == nil || !in {
		return ""
	}
	if _, closed := text.Inside(statement, m[1]); !closed {
		return ""
	}
	name := statement[m[2]:m[3]]
	used := regexp.MustCompile(`(?:^|[^\w$@.])[$@]?` + regexp.QuoteMeta(strings.TrimLeft(name, "$@")) + `\b(?:\[(\d+)\])?`)
	field := ""
	for n := lines.Last + 1; n <= fn.Last; n++ {
		for _, u := range used.FindAllStringSubmatch(f.Code(n), -1) {
			if u[1] == "" || field != "" && field != u[1] {
				return "" // all of them, or another
			}
			field = u[1]
		}
	}
	if field == "" {
		return ""
	}
	return strings.TrimSpace(statement[m[4]:m[5]]) + "…)[" + field + "]"
}

// formIn is the form that a statement has, and how it is written.
func formIn(language, statement string) (a allForOne, how string) {
	for _, a := range allForOnes[language] {
		for _, at := range a.open.FindAllStringIndex(statement, -1) {
			inside, closed := text.Inside(statement, at[1])
			if !closed || a.inside != nil && !a.inside.MatchString(inside) {
				continue
			}
			end := at[1] + len(inside)
			if behind := a.behind.FindString(statement[end:]); behind != "" {
				return a, strings.TrimSpace(shortened(statement[at[0]:at[1]], inside) + behind)
			}
		}
	}
	return a, ""
}

// shortened is what opens with what is inside, where that is short.
func shortened(open, inside string) string {
	const most = 32
	if len(inside) > most {
		return open + "…"
	}
	return open + inside
}

// useOne is how a language gives one of all, by what is asked: any that fits, and the first in
// an order.
var useOne = map[string][2]string{
	"JavaScript": {"find, some or a loop that ends; of keys: for (const k in o) return k; of text indexOf and slice up to the field", "A loop that keeps the least, or reduce"},
	"Python":     {"next((x for x in xs if …), None), any(… for x in xs), re.search; text.split(sep, 1) or partition, for the field n text.split(sep, n + 1)[n]", "min(xs, key=…) or max(xs, key=…)"},
	"Ruby":       {"find, any? or lazy.map { … }.include?; text.split(sep, 2) or partition", "min_by or max_by"},
	"PHP":        {"A foreach that returns (from 8.4 on array_find, array_any); of text strstr($text, $sep, true)", "A foreach that keeps the least, or min()"},
	"Perl":       {"first or any of List::Util; split with a limit of 2", "min or max of List::Util, or a loop that keeps the least"},
	"Java":       {"findFirst, anyMatch (Kotlin: firstOrNull { … }, any { … }); of text indexOf and substring", "min(comparator) or max (Kotlin: minBy, maxBy)"},
	"C":          {"First(x => …), Any(x => …); of text IndexOf and a span", "MinBy or MaxBy"},
	"Rust":       {"find, any, next on the iterator, without collect", "min_by_key or max_by_key"},
	"Go":         {"strings.Cut, for a later field repeatedly, or strings.SplitSeq; Find, not FindAll, MatchString", "slices.MinFunc"},
	"Elixir":     {"Enum.find, Enum.any?, or Stream before it", "Enum.min_by or Enum.max_by"},
	"OCaml":      {"List.find, List.find_map, List.exists", "A fold that keeps the least"},
	"R":          {"match, or a loop that breaks", "min, max, which.min"},
}

// madeForOne are collections that are made whole to use one element.
func (r *reader) madeForOne() []wholeForOne {
	return slices.Concat(r.wholesForOne(), r.madeToFind(), r.madeToIndex())
}

func (r *reader) wholeForOneFinding(s judge.Subject, x wholeForOne) judge.Found {
	place := ownline.Place(r.p, x.line)
	of := saving{share: x.share, least: 0.1, likely: 0.5, why: "makes all of them; those before the one that is found stay"}
	switch {
	case x.order:
		of.least, of.likely, of.why = 0.3, 0.7, "sorts all of them; to look at each once stays"
	case x.index:
		of.least, of.likely, of.why = 0.5, 0.9, "makes all of them again; to make them once stays"
	case x.first:
		of.least, of.likely, of.why = 0.2, 0.7, "makes all of them; the work up to the first stays"
	}
	f := r.suspected(s, RuleForOne, place, x.rows, of)
	f.Title = fmt.Sprintf("All elements are made to use one; stop at it (%s)", at(place.File, place.Line))
	cure := useOne[r.file(x.line.Function).Language()]
	f.Fix.Steps = []string{cure[0]}
	if x.order {
		f.Title = fmt.Sprintf("All is sorted to use one; take the least or largest (%s)", at(place.File, place.Line))
		f.Fix.Steps = []string{cure[1]}
	}
	if x.search {
		f.Gain = nil // by how much less can be made
		f.Title = fmt.Sprintf("%s makes all to find one; make what can fit (%s)", x.text, at(place.File, place.Line))
		f.Fix.Steps = []string{
			fmt.Sprintf("Give %s what is looked for, so that it makes only what can fit", x.text),
			"Ask what costs little first; compute the rest of an element for those that pass",
			"Let it hand out one element at a time (an iterator, a callback), and stop at the first that fits",
		}
	}
	if x.index {
		f.Title = fmt.Sprintf("%s makes all to give one; ask for them once (%s)", x.text, at(place.File, place.Line))
		before := "the loop"
		if x.caller.Line > 0 {
			by := ownline.Place(r.p, x.caller)
			before = "the loop around " + at(by.File, by.Line)
		}
		f.Fix.Steps = []string{
			fmt.Sprintf("Ask for %s once before %s, and take the elements of that", x.text, before),
			"Or keep them until what they are made from changes",
		}
	}
	f.Fix.Caveats = []string{"Where what is looked for is mostly the last, or not there, all are made as before"}
	if x.order {
		f.Fix.Caveats = []string{"Of equal ones another may be given"}
	}
	if x.index {
		f.Fix.Caveats = []string{"What they are made from may change within the loop"}
	}
	why := x.text + " makes every element; one of them, or whether there is any, is used"
	switch {
	case x.index:
		why = x.text + " makes every element whenever it is asked, and the line takes one of them"
	case x.search:
		why = x.text + " makes every element, and the caller looks for one of them in a loop"
	}
	f.Evidence = []finding.Evidence{r.quoted(place), {Kind: "repetition", Share: &x.share, Text: why}}
	return f
}
