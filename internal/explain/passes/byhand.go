package passes

import (
	"fmt"
	"regexp"
	"strings"

	"whyhot/internal/explain/judge"
	"whyhot/internal/explain/ownline"
	"whyhot/internal/explain/text"
	"whyhot/internal/finding"
)

// RuleByHand is of sorts that compare or move neighbours in two loops.
const RuleByHand = "sorted-by-hand"

// byHand is a bubble sort or an insertion sort.
type byHand struct {
	spot

	of    string // the array
	outer int    // where the outer loop begins
}

// leastByHand is the share of the CPU from which such a sort is told: of few elements it is quick.
const leastByHand = 0.2

// Neighbours are an element and the one beside it: of an array, by an index and that index and one.
var (
	anElement = `([$@]?[A-Za-z_][\w.]*(?:->\w+)*)\[([$]?[A-Za-z_]\w*)(\s*[-+]\s*1)?\]`
	// compared are two elements with what compares them between them.
	neighbours = regexp.MustCompile(anElement + `[\w.>()\[\]"'-]*?\s*(?:[<>]=?|,|\.compareTo\(|<=>|\b[lg][te]\b|\bcmp\b)\s*(?:[\w.]*\(\s*)?` + anElement)
	// moved is an element that takes the place of its neighbour.
	moved = regexp.MustCompile(anElement + `\s*=\s*` + anElement)
	// swapped are two that change places in one statement.
	swapped = regexp.MustCompile(`(?i)\bswap\w*!?\(|` + anElement + `\s*,\s*` + anElement + `\s*\]?\s*=\s*\[?` + anElement)
)

// areNeighbours says whether the groups of two elements are of one array, one beside the other.
func areNeighbours(m []string) bool {
	const one = 3 // groups of an element
	return m[1] == m[1+one] && m[2] == m[2+one] && (m[3] == "") != (m[3+one] == "")
}

// sortsByHand gives them, the dearest first.
//
// Example. for i … for j … if (a[j] > a[j + 1]) { t = a[j]; a[j] = a[j + 1]; a[j + 1] = t; }
func (r *reader) sortsByHand() []byHand {
	out := byLine(r, sortAround)
	for i := range out {
		if out[i].share < leastByHand {
			return out[:i]
		}
	}
	return out
}

// sortAround reads the two loops around a line; at is where the inner one compares.
func sortAround(f *text.File, line int) (at int, x byHand, ok bool) {
	loops := f.LoopsFrom(line)
	const two = 2
	if len(loops) < two {
		return 0, x, false
	}
	inner, outer := loops[0], loops[1]
	const longest = 20 // lines of the inner loop
	if inner.Last-inner.First > longest {
		return 0, x, false
	}
	moves, from := false, ""
	for n := inner.First; n <= inner.Last; n++ {
		code := f.Code(n)
		if m := neighbours.FindStringSubmatch(code); m != nil && areNeighbours(m) && at == 0 {
			at, x.of = n, m[1]
		}
		moves = moves || swapped.MatchString(code) || from != "" && regexp.MustCompile(from).MatchString(code)
		if m := moved.FindStringSubmatch(code); m != nil && areNeighbours(m) {
			from = regexp.QuoteMeta(m[4]) + `\[` + m[5] + regexp.QuoteMeta(m[6]) + `\]\s*=[^=]`
		}
	}
	x.outer = outer.First
	if at > 0 && moves {
		return at, x, true
	}
	at, x.of = shifted(f, inner)
	return at, x, at > 0
}

// shifted is an insertion: elements that are larger than a value move by one.
//
// Example. while (j >= 0 && a[j] > key) { a[j + 1] = a[j]; j--; }
func shifted(f *text.File, inner text.Loop) (at int, of string) {
	for n := inner.First; n <= inner.Last; n++ {
		m := moved.FindStringSubmatch(f.Code(n))
		if m == nil || !areNeighbours(m) {
			continue
		}
		compares := regexp.MustCompile(regexp.QuoteMeta(m[1]) + `\[\s*` + regexp.QuoteMeta(m[2]) + `\s*(?:[-+]\s*1)?\]`)
		if head := inner.Header; compares.MatchString(head) && strings.ContainsAny(head, "<>") {
			return n, m[1]
		}
	}
	return 0, ""
}

// sortsOf is how a language sorts.
var sortsOf = map[string]string{
	"C":          "std::sort with a comparison (C: qsort; C#: Array.Sort, List.Sort)",
	"Java":       "Arrays.sort, List.sort with a Comparator (Kotlin: sortWith)",
	"JavaScript": "array.sort((a, b) => a - b); of numbers alone a typed array's sort()",
	"Python":     "list.sort(key=…) or sorted",
	"Go":         "slices.SortFunc",
	"Rust":       "sort_by, sort_unstable_by_key",
	"Ruby":       "sort_by! { … }",
	"PHP":        "usort, sort",
	"Perl":       "sort { … }",
	"Lua":        "table.sort",
}

func (r *reader) byHandFinding(s judge.Subject, x byHand) judge.Found {
	place := ownline.Place(r.p, x.line)
	f := r.suspected(s, RuleByHand, place, x.rows, saving{share: x.share, least: 0.5, likely: 0.95, why: "compares and moves neighbours; a sort of the library compares n log n times"}, x.of)
	f.Title = fmt.Sprintf("%s sorted by moving neighbours; use the library's sort (%s)", x.of, at(place.File, place.Line))
	f.Fix.Steps = []string{
		sortsOf[r.file(x.line.Function).Language()],
		"Where elements come one at a time: a heap, or a place found by binary search",
	}
	f.Fix.Caveats = []string{"Of a dozen elements, or of ones that are nearly in order, this sort is quick", "It keeps the order of equal ones: so does a stable sort"}
	f.Evidence = []finding.Evidence{
		r.quoted(place),
		{Kind: "repetition", Share: &x.share, Text: fmt.Sprintf("The loop at line %d goes over neighbours for each element: as many comparisons as the square of the number", x.outer)},
	}
	return f
}
