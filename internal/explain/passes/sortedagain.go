package passes

import (
	"cmp"
	"fmt"
	"regexp"
	"strings"

	"whyhot/internal/explain/judge"
	"whyhot/internal/explain/ownline"
	"whyhot/internal/explain/text"
	"whyhot/internal/finding"
	"whyhot/internal/profile"
)

// RuleSorted is of lists that are sorted whole for each element added.
const RuleSorted = "sorted-per-add"

// sortedAgain is a list that is sorted whole whenever an element has been added.
type sortedAgain struct {
	spot

	list  string
	added int // the line that adds
}

var (
	// sortsList sorts a list; the groups are its name.
	sortsList = regexp.MustCompile(`\bsort\.(?:Slice|SliceStable|Sort|Stable|Ints|Strings|Float64s)\(\s*(?:\w+\()?([\w.]+)|\bslices\.Sort\w*\(\s*([\w.]+)|([$@\w.>-]+?)(?:\.|->)(?:sort|sort!|sort_by!?|Sort|sort_unstable\w*|sort_by_key|sortBy|sortWith)\b|\b(?:Collections|Arrays|Array)\.[sS]ort\(\s*([\w.]+)|\b(?:std::)?(?:stable_)?sort\(\s*(?:std::)?(?:begin\()?([\w.>-]+?)(?:\.begin|->begin|\))|\b[aku]{0,2}r?sort\(\s*(\$[\w>-]+)|=\s*sorted\(\s*([\w.]+)`)
)

// justBefore are the lines in front of a sort in which the element is added.
const justBefore = 4

// sortedAgains gives them, the dearest first.
//
// Example. s.pending = append(s.pending, j); sort.Slice(s.pending, …) for each job.
func (r *reader) sortedAgains() []sortedAgain {
	known := map[profile.Line]*sortedAgain{}
	for _, h := range r.hottest {
		f := r.file(h.line.Function)
		if f == nil || !h.calls || !r.runs(h, sorts.MatchString) {
			continue
		}
		statement, lines := f.Statement(int(h.line.Line))
		m := sortsList.FindStringSubmatch(statement)
		if m == nil {
			continue
		}
		name := strings.Join(m[1:], "")
		added, ok := addedBefore(f, lines.First, name)
		if !ok {
			continue
		}
		gather(known, lineOf(h.line.Function, lines.First).line, sortedAgain{list: strings.TrimLeft(name, "$@"), added: added}, h.rows)
	}
	return enough(r, known)
}

// addedBefore is the line closely before another that adds one element to a list, in the same
// loop or in none.
func addedBefore(f *text.File, line int, name string) (added int, ok bool) {
	adds := addsElement(`[^\w.]`, name)
	innermost := func(n int) int {
		if loops := f.Loops(n); len(loops) > 0 {
			return loops[0].First
		}
		return 0
	}
	for n := line - 1; n >= max(1, line-justBefore); n-- {
		if adds.MatchString(f.Code(n)) {
			return n, innermost(n) == innermost(line)
		}
	}
	return 0, false
}

// orderly is how a language keeps an order.
var orderly = map[string]string{
	"Go":         "container/heap for the least, or slices.BinarySearchFunc and slices.Insert at the place",
	"Python":     "heapq.heappush for the least; bisect.insort(list, x) keeps all in order",
	"JavaScript": "Find the place by halving and splice(at, 0, x); or a heap for the least",
	"Java":       "A PriorityQueue for the least, a TreeMap or TreeSet for all",
	"C":          "std::priority_queue or std::push_heap for the least; insert(std::upper_bound(…), x) keeps all in order",
	"Rust":       "A BinaryHeap for the least, a BTreeMap for all; or binary_search and insert",
	"Ruby":       "list.insert(list.bsearch_index { … } || -1, x)",
	"PHP":        "An SplPriorityQueue or SplMinHeap",
}

func (r *reader) sortedAgainFinding(s judge.Subject, x sortedAgain) judge.Found {
	place := ownline.Place(r.p, x.line)
	f := r.suspected(s, RuleSorted, place, x.rows, saving{share: x.share, least: 0.5, likely: 0.9, why: "sorts what was in order but for one"}, x.list)
	f.Title = fmt.Sprintf("All of %s is sorted for each one added (%s)", x.list, at(place.File, place.Line))
	f.Fix.Steps = []string{
		cmp.Or(orderly[r.file(x.line.Function).Language()], "A heap for the least, or insertion at the place that halving finds"),
		"Many at once: add them all, and sort when the order is asked for",
	}
	f.Evidence = []finding.Evidence{
		r.quoted(place),
		{Kind: "repetition", Share: &x.share, Text: fmt.Sprintf("one element is added at %s, and all are sorted", at(place.File, x.added))},
	}
	return f
}
