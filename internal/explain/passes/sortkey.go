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

// RuleSort is of sort keys that each comparison computes.
const RuleSort = "sort-key-again"

// keyed is a comparison of a sort that computes something of both elements.
type keyed struct {
	*hot

	call text.Call
	own  bool // by a method of the class, whose objects can keep it
}

var (
	// sorts are functions that sort, in any language: Perl_pp_sort, ArrayTimSort, list.sort,
	// slices.SortFunc, std::__introsort_loop, qsort_r.
	sorts = regexp.MustCompile(`(?i)sort|^(merge|gallop)_(lo|hi|at|collapse)`)
	// compares is a comparison.
	compares = regexp.MustCompile(`<=>|\bcmp\b|[<>-]|(?i:compare|collat|strcmp)`)
	// again are sorts that ask for the key of an element in each comparison.
	again = regexp.MustCompile(`\bcomparing(Int|Long|Double)?\s*\(|\bsort_(unstable_)?by_key\b`)
	word  = regexp.MustCompile(`[$@%]?[A-Za-z_]\w*`)
)

// sortKeys gives the comparisons that compute a key again each time, the dearest first.
// Example: sort { $a->epoch <=> $b->epoch } @entries, where epoch parses a date.
func (r *reader) sortKeys() []keyed {
	var out []keyed
	for _, h := range r.hottest {
		f := r.file(h.line.Function)
		if f == nil || !h.calls {
			continue
		}
		statement, _ := f.Statement(int(h.line.Line))
		pairs := keysOf(f, statement)
		if len(pairs) == 0 {
			pairs = namedKeys(f, int(h.line.Line))
		}
		if len(pairs) == 0 || !isWrittenInSort(f, int(h.line.Line)) && !r.inSort(h) { // the last goes over all of its stacks
			continue
		}
		c, _, ok := r.called(f, h, statement)
		i := slices.IndexFunc(pairs, func(p text.Call) bool { return ok && p.Last() == c.Last() })
		switch {
		case i >= 0:
			out = withKey(out, keyed{hot: h, call: pairs[i]})
		case !r.lines.IsOwn(h.callee) && len(pairs) == 1 && !r.isElsewhere(h, pairs[0].Last()): // of a runtime: its functions have other names
			out = append(out, keyed{hot: h, call: pairs[0]})
		}
	}
	return append(r.ownComparisons(), out...)
}

// withKey adds a comparison: the keys of both elements may be computed in a line each.
func withKey(all []keyed, x keyed) []keyed {
	for i, o := range all {
		if o.line.Function == x.line.Function && o.call.Last() == x.call.Last() && o.line != x.line {
			both := *o.hot
			both.join(x.hot)
			all[i].hot = &both
			return all
		}
	}
	return append(all, x)
}

// sortCall is a call that sorts by a function it is given.
var sortCall = regexp.MustCompile(`\b(u|us|uk|ua)?sort(_unstable)?(_by)?!?\b|\b(Sort|OrderBy|SortFunc|sortWith|sorted)\b`)

// isWrittenInSort says whether a line is in the function that a sort is given, as it is written:
// the functions of a stripped runtime have no names.
func isWrittenInSort(f *text.File, line int) bool {
	const most = 12 // lines of such a function
	for n := line; n > max(0, line-most); n-- {
		if (n == line || f.IsAround(n, line)) && sortCall.MatchString(f.Code(n)) {
			return true
		}
	}
	return false
}

// inSort says whether nearly all of a step's samples are below a function that sorts.
func (r *reader) inSort(h *hot) bool {
	const nearly = 0.9
	isSort := make([]bool, r.p.NumFunctions())
	for i := range isSort {
		isSort[i] = sorts.MatchString(r.p.Function(profile.FunctionID(i)).Name) //nolint:gosec // functions are numbered so
	}
	var in int64
	for _, row := range h.rows {
		s := &r.p.Samples()[row]
		if slices.ContainsFunc(r.p.Stack(s.Stack), func(loc profile.LocationID) bool {
			return slices.ContainsFunc(r.p.Lines(loc), func(l profile.Line) bool { return isSort[l.Function] })
		}) {
			in += s.Value
		}
	}
	return float64(in) >= nearly*float64(h.value)
}

// keysOf are the calls of a comparison that are made of both elements alike, each once.
func keysOf(f *text.File, statement string) []text.Call {
	calls, extracts := f.Calls(statement), again.MatchString(statement)
	var out []text.Call
	for i, a := range calls {
		if extracts && !again.MatchString(a.Name+"(") && !sorts.MatchString(a.Last()) {
			out = append(out, a)
			continue
		}
		for _, b := range calls[i+1:] {
			known := slices.ContainsFunc(out, func(c text.Call) bool { return c.Last() == a.Last() })
			if !known && a.Last() == b.Last() && areAlike(a, b) && (compares.MatchString(statement[a.At+len(a.Name):b.At]) || compares.MatchString(statement[:a.At])) {
				out = append(out, a)
			}
		}
	}
	return out
}

// mostComparing are the lines of a function that only compares.
const mostComparing = 30

// namedKeys are the calls of a line by which a function gives names to the keys of both elements,
// and compares these further down.
//
// Example. time_t tx = event_time(x), ty = event_time(y); return tx < ty ? -1 : tx > ty;
func namedKeys(f *text.File, line int) []text.Call {
	fn, in := f.Function(line)
	if !in || fn.Last-fn.First > mostComparing || len(f.Loops(line)) > 0 {
		return nil
	}
	var keys []namedKey
	for n := fn.First + 1; n <= fn.Last; {
		statement, lines := f.Statement(n)
		for _, c := range f.Calls(statement) {
			if m := givenName.FindStringSubmatch(statement[:c.At]); m != nil && c.Last() != fn.Own() && !sorts.MatchString(c.Last()) {
				keys = append(keys, namedKey{m[1], c, lines})
			}
		}
		n = max(n, lines.Last) + 1
	}
	var out []text.Call
	for i, a := range keys {
		for _, b := range keys[i+1:] {
			if a.call.Last() == b.call.Last() && areAlike(a.call, b.call) && (a.lines.Has(line) || b.lines.Has(line)) && areCompared(f, a.name, b.name, text.Range{First: b.lines.First, Last: fn.Last}) {
				out = append(out, a.call)
			}
		}
	}
	return out
}

// namedKey is a call whose result is given a name.
type namedKey struct {
	name  string
	call  text.Call
	lines text.Range
}

// givenName is what stands before such a call.
var givenName = regexp.MustCompile(`([$@]?[A-Za-z_]\w*)\s*(?::\s*[\w<>\[\]]+\s*)?:?=\s*[\w.:>&*-]*$`)

// areCompared says whether some lines compare two names with each other.
func areCompared(f *text.File, a, b string, lines text.Range) bool {
	a, b = regexp.QuoteMeta(a), regexp.QuoteMeta(b)
	const between = `\b\s*(?:<=>|[<>]=?|-|\bcmp\b|,|\.\s*(?:compare\w*|cmp|localeCompare)\s*\(\s*&?)\s*`
	compared := regexp.MustCompile(`(?:^|[^\w.])(?:` + a + between + b + `|` + b + between + a + `)\b`)
	for n := lines.First; n <= lines.Last; n++ {
		for _, m := range compared.FindAllString(f.Code(n), -1) {
			if !strings.Contains(m, ",") || compares.MatchString(f.Code(n)[:strings.Index(f.Code(n), m)+1]) {
				return true
			}
		}
	}
	return false
}

// areAlike says whether two calls differ in one name alone: in all places of the same by the
// same other.
func areAlike(a, b text.Call) bool {
	one, other := a.Name+"("+a.Args+")", b.Name+"("+b.Args+")"
	if word.ReplaceAllString(one, "x") != word.ReplaceAllString(other, "x") {
		return false
	}
	from, to := "", ""
	others := word.FindAllString(other, -1)
	for i, w := range word.FindAllString(one, -1) {
		if w == others[i] {
			continue
		}
		if from != "" && (from != w || to != others[i]) {
			return false
		}
		from, to = w, others[i]
	}
	return from != ""
}

// onceCures are the usual ways to compute a key once for each element.
var onceCures = map[string]string{
	"Perl":       "map { $_->[1] } sort { $a->[0] <=> $b->[0] } map { [KEY of $_, $_] } @list",
	"Ruby":       "list.sort_by { |x| KEY of x }, which computes it once for each element",
	"Python":     "list.sort(key=lambda x: KEY of x), which computes it once for each element",
	"JavaScript": "const keyed = list.map(x => [KEY of x, x]); keyed.sort((a, b) => a[0] - b[0]); keyed.map(k => k[1])",
	"PHP":        "$keys = array_map(KEY, $list); array_multisort($keys, $list)",
	"Rust":       "list.sort_by_cached_key(|x| KEY of x)",
	"Go":         "a slice of struct{ key; value } that is made first, sorted by key",
	"Java":       "a list of records (key, value) that is made first, sorted by key",
}

func (r *reader) keyFinding(s judge.Subject, x keyed) judge.Found {
	place := ownline.Place(r.p, x.line)
	f := r.suspected(s, RuleSort, place, x.rows, saving{share: x.share, least: 0.6, likely: 0.93,
		why: "computes it; a sort of n elements compares some n log2 n times, so of thousands one in twenty stays"}, x.call.Last())
	f.Yields = false // an entry about what the key is made by says less: the key need not be made so often
	f.Title = fmt.Sprintf("Sort key computed for each comparison (%s)", at(place.File, place.Line))
	f.Fix.Steps = []string{"Compute it once for each element, and sort by what it gave"}
	f.Fix.Caveats = []string{"The keys of all elements are in memory at once"}
	cure := onceCures[r.file(x.line.Function).Language()]
	if x.own {
		cure = strings.ReplaceAll(keptCures[r.file(x.line.Function).Language()], "KEY", x.call.Last())
		f.Fix.Steps[0] = fmt.Sprintf("Compute %s once for each object, and keep it in the object", x.call.Last())
		f.Fix.Caveats = append(f.Fix.Caveats, "Where the object changes, what was kept has to go")
	}
	if cure != "" {
		f.Fix.Steps = append(f.Fix.Steps, cure)
	}
	f.Evidence = []finding.Evidence{
		r.quoted(place),
		{Kind: "repetition", Share: &x.share, Text: fmt.Sprintf("%s is called for both elements of each comparison", x.call.Last())},
	}
	return f
}
