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

// RuleSelection is of searches for the first in an order, again on each pass.
const RuleSelection = "selection-per-pass"

// selection is the smallest or largest of a collection that each pass looks for from the
// beginning, while a pass changes an element or two of it.
type selection struct {
	spot

	over string
	loop text.Loop
}

var (
	// selects are calls that look at all elements for the first in an order.
	selects = regexp.MustCompile(`\bCollections\.(?:min|max)\(\s*([A-Za-z_][\w.]*)|\b(?:min|max)_element\(\s*([A-Za-z_]\w*)|\bslices\.(?:Min|Max)(?:Func)?\(\s*([A-Za-z_][\w.]*)|\bMath\.(?:min|max)\(\s*\.\.\.\s*([A-Za-z_][\w.]*)|\b(?:min|max)\s*\(\s*@?([$A-Za-z_][\w.$]*)(?:\.(?:values|items|keys)\(\))?\s*(?:\)|,\s*(?:key|default|by|lambda)\b)|([$@A-Za-z_][\w.$@]*?)(?:\.(?:stream|iter|values|keys|entries)\(\)|\.values|\.keys)?\.(?:min_by|max_by|minBy\w*|maxBy\w*|MinBy|MaxBy|min_by_key|max_by_key|min|max|Min|Max)\b|([A-Za-z_][\w.]*)\.reduce\(\s*\(\s*\w+\s*,\s*\w+\s*\)\s*=>[^?]*[<>][^?]*\?|\bwhich\.(?:min|max)\(\s*([A-Za-z_][\w.$]*)|\barg(?:min|max)\(\s*([A-Za-z_][\w.]*)|\bsorted\(\s*([A-Za-z_][\w.]*)[^)]*\)\[(?:0|-1)\]`)
	// better is a condition that compares an element with the best so far.
	better = regexp.MustCompile(`([$A-Za-z_][\w$]*(?:(?:\.|->)\w+)*\[[^\[\]]+\](?:(?:\.|->)\w+)?)\s*[<>]=?\s*[$]?([A-Za-z_]\w*)\b|\b([A-Za-z_]\w*)\s*[<>]=?\s*([$A-Za-z_][\w$]*(?:(?:\.|->)\w+)*\[[^\[\]]+\](?:(?:\.|->)\w+)?)`)
)

// selections gives them, the dearest first.
func (r *reader) selections() []selection {
	var out []selection
	type place struct {
		file string
		line int32
	}
	calls := map[place]selection{}
	most := map[place]int{}
	for line, rows := range r.innermost {
		if x, ok := r.selectIn(line); ok { // of the line and of a function that is written in it
			k := place{r.p.Function(x.line.Function).File, x.line.Line}
			known, is := calls[k]
			x.rows = joinRows(known.rows, rows)
			if is && (len(rows) < most[k] || len(rows) == most[k] && x.line.Function > known.line.Function) {
				x.line = known.line
			} else {
				most[k] = len(rows)
			}
			calls[k] = x
		}
	}
	for _, x := range calls {
		x.share = r.p.Share(x.rows)
		out = append(out, x)
	}
	for _, t := range r.byLoop(selecting) {
		if x, ok := selectionOf(t.file, t.loop, t.best); ok {
			x.rows, x.share = t.rows, t.share
			out = append(out, x)
		}
	}
	out = slices.DeleteFunc(out, func(x selection) bool { return x.share < leastNested*r.part || len(x.rows) < leastEvents/2 })
	sortDearest(out)
	return out
}

// selectIn finds a call in a line that looks for the first of a collection, from which the loop
// around it takes elements.
//
// Example. while todo: node = min(todo, key=distance); todo.remove(node)
func (r *reader) selectIn(line profile.Line) (x selection, ok bool) {
	f := r.file(line.Function)
	if f == nil {
		return x, false
	}
	at := selectingLine(f, int(line.Line))
	statement, lines := f.Statement(at)
	m := selects.FindStringSubmatch(statement)
	if m == nil {
		return x, false
	}
	over := strings.TrimLeft(strings.Join(m[1:], ""), "$@")
	if over == "Math" || over == "" || strings.HasPrefix(over, "Math.") {
		return x, false
	}
	for _, l := range f.Loops(lines.First) {
		if l.Within && (l.First == l.Last || !condition.MatchString(l.Header)) {
			continue
		}
		if len(f.Assignments(over, l.Range)) > 0 && !isTaken(f, over, l, lines) || f.Declares(over, l.Range) {
			return x, false
		}
		x = selection{spot: lineOf(line.Function, lines.First), over: over, loop: l}
		return x, isTaken(f, over, l, lines)
	}
	return x, false
}

// selectingLine is a line, or the only one of its function that looks for the first of a
// collection: of JavaScript that is optimised a recording knows the function only.
func selectingLine(f *text.File, line int) int {
	fn, in := f.Function(line)
	if f.Language() != "JavaScript" || !in || fn.Last-fn.First > longFunction {
		return line
	}
	var at []int
	for n := fn.First + 1; n <= fn.Last; {
		statement, lines := f.Statement(n)
		if selects.MatchString(statement) {
			at = append(at, lines.First)
		}
		n = max(n, lines.Last) + 1
	}
	if len(at) == 1 {
		return at[0]
	}
	return line
}

// condition is a loop that goes on while something holds.
var condition = regexp.MustCompile(`^\s*[})]*\s*(while|until)\b`)

// isTaken says whether a pass of a loop takes an element out of a collection, or changes one,
// and no loop inside of it changes all.
func isTaken(f *text.File, over string, l text.Loop, own text.Range) bool {
	name := regexp.QuoteMeta(over)
	takes := regexp.MustCompile(`(^|[^\w.])[$@]?` + name + `(\.|->)(remove\w*|pop\w*|set|discard|delete\w*|erase|Remove\w*|splice|swap_remove|take|delete_at|delete_if)\b|\bdel\s+` + name + `\[|\bdelete\s*\(?\s*\$?` + name + `\b|\bsplice\(?\s*@?` + name + `\b|\bunset\(\s*\$` + name + `\[|table\.remove\(\s*` + name + `\b|(^|[^\w.])[$@]?` + name + `\[[^\]]*\](\.\w+)?\s*([-+*]?=[^=]|\+\+|--)`)
	found := false
	for n := l.First; n <= l.Last; n++ {
		if !takes.MatchString(f.Code(n)) {
			continue
		}
		inner := f.Loops(n)
		for len(inner) > 0 && inner[0].Within && !condition.MatchString(inner[0].Header) {
			inner = inner[1:]
		}
		if !own.Has(n) && len(inner) > 0 && inner[0].First != l.First {
			return false
		}
		found = true
	}
	return found
}

// selecting is the loop of a line that may look for the first of a collection.
func selecting(f *text.File, line profile.Line) (l text.Loop, ok bool) {
	return loopThat(f, line, func(l text.Loop) bool { _, is := selectionOf(f, l, line); return is })
}

// selectionOf decides whether a loop looks for the first of a collection, on each pass of a loop
// that marks one element at a time as done: the usual form of Dijkstra's algorithm without a heap.
//
// Example. for v: if (!done[v] && dist[v] < best) { best = dist[v]; u = v; } … done[u] = 1
func selectionOf(f *text.File, l text.Loop, best profile.Line) (x selection, ok bool) {
	around := slices.DeleteFunc(f.Loops(l.First), func(o text.Loop) bool { return o.Within && !condition.MatchString(o.Header) || o.First >= l.First })
	k := boundIn(f, l)
	if len(around) == 0 || len(k) == 0 {
		return x, false
	}
	o := around[0]
	_, header := f.Statement(l.First)
	for n := header.Last; n <= l.Last; n++ {
		code := f.Code(n)
		m := better.FindStringSubmatch(code)
		if n == header.Last && l.First != l.Last && !strings.Contains(code, "if") || m == nil {
			continue
		}
		element, so := m[1]+m[4], m[2]+m[3]
		index := text.Names(strings.TrimPrefix(element, rootOf(element)))
		if !slices.Contains(index, k[0]) || slices.Contains(k, so) {
			continue
		}
		keeps := regexp.MustCompile(`(^|[^\w.])[$]?` + regexp.QuoteMeta(so) + `\s*:?=[^=]*` + regexp.QuoteMeta(strings.TrimLeft(element, "$")))
		kept := false
		for at := n; at <= min(l.Last, n+3); at++ {
			kept = kept || keeps.MatchString(f.Code(at))
		}
		if !kept || slices.ContainsFunc(index, func(i string) bool { return i != k[0] && f.Changes(i, o.Range, text.Range{}) }) {
			return x, false
		}
		// What the loop leaves out is marked one at a time.
		for _, mark := range marks.FindAllStringSubmatch(code, -1) {
			if name := mark[1] + mark[2]; name != rootOf(element) && isTaken(f, name, o, text.Range{}) {
				x = selection{spot: lineOf(best.Function, n), over: strings.TrimLeft(rootOf(strings.TrimLeft(element, "$")), "$"), loop: o}
				return x, true
			}
		}
		return x, false
	}
	return x, false
}

// marks are elements of a table of what is done, in a condition.
var marks = regexp.MustCompile(`(?:!|\bnot\s+|~)\s*\$?([A-Za-z_]\w*)(?:\[|\.get\()|\$?([A-Za-z_]\w*)\[[^\[\]]*\]\s*(?:===?\s*(?:0|false|False|FALSE)|!=\s*(?:1|true))`)

// heaps are those of the languages.
var heaps = map[string]string{
	"Python":     "heapq: push (key, element) again when its key changes, and pass over what is out of date",
	"Java":       "java.util.PriorityQueue; add again when a key changes, and pass over what is out of date",
	"Go":         "container/heap",
	"Rust":       "std::collections::BinaryHeap with std::cmp::Reverse",
	"PHP":        "SplPriorityQueue",
	"C":          "In C++ std::priority_queue; in C a binary heap in an array; in C# PriorityQueue",
	"JavaScript": "A binary heap in an array (some thirty lines, or a package)",
}

func (r *reader) selectionFinding(s judge.Subject, x selection) judge.Found {
	place := ownline.Place(r.p, x.line)
	loopAt := at(place.File, x.loop.First)
	f := r.suspected(s, RuleSelection, place, x.rows, saving{share: x.share, least: 0.3, likely: 0.9,
		why: "looks for the first in order; a heap gives it in log n steps"}, x.over)
	f.Title = fmt.Sprintf("Each pass looks through all of %s for the first in order; keep a heap (%s)", x.over, at(place.File, place.Line))
	f.Fix.Steps = []string{"Keep the elements in a priority queue (a heap), and take the first"}
	if cure := heaps[r.file(x.line.Function).Language()]; cure != "" {
		f.Fix.Steps = append(f.Fix.Steps, cure)
	}
	f.Fix.Caveats = []string{"Where a pass changes the order of most elements, as in a dense graph, a heap is no better"}
	f.Evidence = []finding.Evidence{
		r.quoted(place),
		{Kind: "repetition", Share: &x.share, Text: fmt.Sprintf("each pass of the loop at %s looks at all of %s, and takes or changes an element of it", loopAt, x.over)},
	}
	if x.loop.First != place.Line {
		f.Evidence = append(f.Evidence, finding.Evidence{Kind: "source", Text: fmt.Sprintf("%s: %s", loopAt, r.excerpt(place.File, x.loop.First))})
	}
	return f
}
