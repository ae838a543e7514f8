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

// RuleWindow is of sums over ranges that overlap.
const RuleWindow = "window-per-pass"

// window is a sum, or the like, over a range of a collection that moves or grows by one element
// from pass to pass: nearly all of it was added up on the pass before.
type window struct {
	spot

	over   string // the collection
	what   string // sum, mean, max
	loop   text.Loop
	extent string // the range, as it is written
}

var (
	// sums are functions of all elements of a range: around it, or called on it.
	sums   = `(sum|fsum|mean|average|avg|max|min|std|var|stdev|prod|Sum|Average|Max|Min|array_sum|maximum|minimum)`
	sumOf  = regexp.MustCompile(`\b` + sums + `\(\s*(?:(?:list|np\.array|array_values)\()?$`)
	summed = regexp.MustCompile(`^(?:\.[\w]+\((?:[^()]|\([^()]*\))*\))*?\.` + `(reduce|inject|fold|` + sums[1:] + `\b`)
	// ranges are parts of a collection from one place to another: v[a:b], v[a..b], v.slice(a, b).
	ranges = regexp.MustCompile(`([$@A-Za-z_][\w.$]*)\[([^\[\]:,]*)(?::|\.\.\.?=?)([^\[\]:,]*)\]|([$A-Za-z_][\w.$]*)\.(?:slice|subList|subarray|GetRange|AsSpan)\(([^,()]*),([^,()]*)\)|\barray_slice\(\s*([$A-Za-z_]\w*)\s*,([^,()]*),([^,()]*)\)|([$A-Za-z_][\w.$]*)\[\(?([^\[\](),]*)\)?:\(?([^\[\](),]*)\)?\]`)
	// bound of a range: nothing, a number, or a name with something added.
	plainBound = regexp.MustCompile(`^\(?\s*(-?\d*|-\s*\w+|[$A-Za-z_]\w*(\s*[-+]\s*[\w$.]+)*)\s*\)?$`)
	// clamped is a bound that stays inside of the collection.
	clamped = regexp.MustCompile(`^\s*(?:Math\.)?(?:max|min)\(\s*(?:\d+|len\(\w+\)|\w+\.length)\s*,\s*([^()]*)\)\s*$|^\s*(?:Math\.)?(?:max|min)\(\s*([^(),]*),\s*(?:\d+|len\(\w+\)|[\w.]+)\s*\)\s*$`)
	// strides are headers of loops that move by more than one.
	strides = regexp.MustCompile(`\brange\s*\([^,()]*(\([^()]*\))?[^,()]*,[^,]*(\([^()]*\))?[^,]*,|\bstep(_by)?\b|\bby\s*=|each_slice|chunks`)
	moves   = regexp.MustCompile(`\+=\s*([\w.]+)`)
)

// windows gives them, the dearest first.
func (r *reader) windows() []window {
	var out []window
	for line, rows := range r.innermost {
		share := r.p.Share(rows)
		if !r.isSure(share, leastShare) {
			continue
		}
		if x, ok := r.slice(line); ok {
			x.rows, x.share = rows, share
			out = append(out, x)
		}
	}
	for _, t := range r.byLoop(addsUp) {
		if !r.isSure(t.share, leastShare) {
			continue
		}
		if x, ok := windowOf(t.file, t.loop, t.best); ok {
			x.rows, x.share = t.rows, t.share
			out = append(out, x)
		}
	}
	sortDearest(out)
	return out
}

// slice finds a range in a line that is added up by a call.
func (r *reader) slice(line profile.Line) (x window, ok bool) {
	f := r.file(line.Function)
	if f == nil {
		return x, false
	}
	statement, lines := f.Statement(int(line.Line))
	m := ranges.FindStringSubmatch(statement)
	if m == nil {
		return x, false
	}
	before, after, _ := strings.Cut(statement, m[0])
	what := ""
	if of := sumOf.FindStringSubmatch(before); of != nil {
		what = of[1]
	} else if on := summed.FindStringSubmatch(after); on != nil {
		what = strings.NewReplacer("reduce", "sum", "inject", "sum", "fold", "sum").Replace(on[1])
	}
	if what == "" {
		return x, false
	}
	over := m[1] + m[4] + m[7] + m[10]
	from, to := unclamped(m[2]+m[5]+m[8]+m[11]), unclamped(m[3]+m[6]+m[9]+m[12])
	if !plainBound.MatchString(from) || !plainBound.MatchString(to) {
		return x, false
	}
	x = window{spot: lineOf(line.Function, lines.First), over: strings.TrimLeft(over, "$@"), what: what, extent: m[0]}
	for _, l := range f.Loops(lines.First) {
		if isStride(f, l) {
			return x, false
		}
		names := text.Names(from + " " + to)
		_, header := f.Statement(l.First)
		isMoved := slices.ContainsFunc(names, func(n string) bool { return f.Changes(n, header, text.Range{}) || isCounted(f, l, n) })
		isGrown := strings.HasPrefix(strings.TrimSpace(from), "-") && strings.TrimSpace(to) == "" && f.Changes(over, l.Range, lines)
		switch {
		case l.Within && !isMoved:
			continue // it adds up the range
		case isGrown && len(f.Assignments(over, l.Range)) == 0:
		case !isMoved, f.Changes(rootOf(over), l.Range, lines):
			return x, false
		}
		x.loop = l
		return x, true
	}
	return x, false
}

// unclamped is a bound without what keeps it inside of the collection.
func unclamped(bound string) string {
	if m := clamped.FindStringSubmatch(bound); m != nil {
		return m[1] + m[2]
	}
	return bound
}

// isStride says whether a loop moves by more than one: its ranges may follow each other.
func isStride(f *text.File, l text.Loop) bool {
	if strides.MatchString(l.Header) {
		return true
	}
	m := moves.FindStringSubmatch(l.Header)
	if m == nil && strings.HasPrefix(strings.TrimLeft(l.Header, " }"), "while") {
		m = moves.FindStringSubmatch(body(f, text.Function{Range: l.Range}))
	}
	return m != nil && m[1] != "1"
}

// isCounted says whether the body of a loop counts a name up by one.
func isCounted(f *text.File, l text.Loop, name string) bool {
	if !strings.HasPrefix(strings.TrimLeft(l.Header, " }"), "while") {
		return false
	}
	at := f.Assignments(name, text.Range{First: l.First + 1, Last: l.Last})
	return len(at) == 1 && regexp.MustCompile(regexp.QuoteMeta(name)+`\s*(\+=\s*1\b|\+\+|=\s*`+regexp.QuoteMeta(name)+`\s*\+\s*1\b)`).MatchString(f.Code(at[0]))
}

var (
	// adds is a statement that adds an element to a sum.
	adds = regexp.MustCompile(`^(?:[\w.$>-]+\s*\+=\s*|([\w.$]+)\s*(?:=|<-)\s*([\w.$]+)\s*\+\s*)\(?(?:\(\w+(?:\s\w+)?\)\s*)?(?:float|double|int|int64|float64|u64)?\(?\s*([$A-Za-z_][\w.$]*(?:->\w+)*)((?:\[[^\[\]]*(?:\[[^\[\]]*\])?[^\[\]]*\])+)((?:\.|->)\w+)?\)?\s*;?$`)
	// beside is what may stand in such a loop beside it: numbers that are counted, places that are
	// worked out, borders that are left out.
	beside = regexp.MustCompile(`^(?:(?:const\s+|let\s+|var\s+|my\s+)?(?:[\w]+\s+)?([$A-Za-z_]\w*)\s*:?=\s*([^=].*?);?|[$\w]+\s*(?:\+\+|\+=\s*1);?|(?:\+\+)[$\w]+;?|if\b.*(?:continue|next|\{)?;?|continue;?|next;?|end|[{}\s]*)$`)
)

// addsUp is the loop of a line that may add up a range.
func addsUp(f *text.File, line profile.Line) (l text.Loop, ok bool) {
	return loopThat(f, line, func(l text.Loop) bool { _, is := windowOf(f, l, line); return is })
}

// windowOf decides whether a loop adds up a range that moves with the loop around it: for each
// pixel the sum of those around it, for each day that of the days before. What is multiplied by
// a weight or by something of the outer loop is another sum each time.
func windowOf(f *text.File, l text.Loop, best profile.Line) (x window, ok bool) {
	around := slices.DeleteFunc(f.Loops(l.First), func(o text.Loop) bool { return o.Within || o.First >= l.First })
	k := boundIn(f, l)
	if len(around) == 0 || len(k) != 1 || isStride(f, l) {
		return x, false
	}
	_, header := f.Statement(l.First)
	places := map[string]string{}
	var index string
	for n := header.Last + 1; n <= l.Last; {
		statement, lines := f.Statement(n)
		n = max(n, lines.Last) + 1
		code := strings.TrimSpace(statement)
		if m := adds.FindStringSubmatch(code); m != nil && (m[1] == m[2]) {
			x = window{spot: lineOf(best.Function, lines.First), over: rootOf(strings.TrimLeft(m[3], "$@")), what: "sum"}
			index += m[4]
			continue
		}
		m := beside.FindStringSubmatch(code)
		if m == nil {
			return x, false
		}
		if m[1] != "" {
			for i, part := range text.Arguments(m[1] + " = " + m[2]) { // int y = b + j, x = a + i
				name, value, is := strings.Cut(part, "=")
				if is || i == 0 {
					places[strings.TrimSpace(name)] = strings.TrimSpace(value)
				}
			}
		}
	}
	if index == "" {
		return x, false
	}
	for range mostSteps {
		for name, value := range places {
			index = regexp.MustCompile(`\b`+regexp.QuoteMeta(strings.TrimLeft(name, "$"))+`\b`).ReplaceAllLiteralString(index, value)
		}
	}
	if !slices.Contains(text.Names(index), k[0]) {
		return x, false
	}
	for _, o := range around {
		outer := boundIn(f, o)
		if isStride(f, o) || f.Changes(x.over, o.Range, text.Range{}) {
			return x, false
		}
		for _, i := range outer {
			if slices.Contains(text.Names(index), i) && isShifted(index, i, k[0]) || !slices.Contains(text.Names(index), i) && isPlain(index, k[0]) && slices.Contains(text.Names(l.Header), i) {
				x.loop, x.extent = o, strings.TrimSpace(l.Header)
				return x, true
			}
		}
	}
	return x, false
}

// isShifted says whether an index is the sum of two names, neither of them multiplied: the range
// of the inner one moves by one with the outer one.
func isShifted(index, outer, inner string) bool {
	o, i := regexp.QuoteMeta(outer), regexp.QuoteMeta(inner)
	return regexp.MustCompile(`(^|[\[(,+]\s*)(` + o + `\s*[-+]\s*` + i + `|` + i + `\s*\+\s*` + o + `)\s*($|[\]),+-])`).MatchString(index)
}

// isPlain says whether an index is a name and nothing else.
func isPlain(index, name string) bool { return strings.Trim(index, "[ ]") == name }

// windowCures are the usual ways to keep a sum over a range, by language.
var windowCures = map[string]string{
	"Python": "itertools.accumulate or numpy.cumsum once, then the difference of two of its elements; of pandas, rolling(n).mean()",
	"R":      "cumsum once, then the difference of two of its elements; stats::filter or data.table::frollmean",
	"Julia":  "cumsum once, then the difference of two of its elements",
}

func (r *reader) windowFinding(s judge.Subject, x window) judge.Found {
	place := ownline.Place(r.p, x.line)
	loopAt := at(place.File, x.loop.First)
	f := r.suspected(s, RuleWindow, place, x.rows, saving{share: x.share, least: 0.4, likely: 0.85,
		why: "adds up ranges; one element more and one less is left of each"}, x.over)
	f.Title = fmt.Sprintf("Each pass adds up nearly the same part of %s (%s)", x.over, at(place.File, place.Line))
	f.Fix.Steps = []string{"Keep the " + x.what + ": add what comes into the range and take off what leaves it"}
	switch {
	case strings.Contains(strings.ToLower(x.what), "max") || strings.Contains(strings.ToLower(x.what), "min"):
		f.Fix.Steps = []string{"Keep a queue of the candidates (a monotonic deque), which gives the " + x.what + " of a moving range in one step"}
	case windowCures[r.file(x.line.Function).Language()] != "":
		f.Fix.Steps = append(f.Fix.Steps, windowCures[r.file(x.line.Function).Language()])
	default:
		f.Fix.Steps = append(f.Fix.Steps, "Or prefix sums: made once, the difference of two gives any range; of a picture, by rows and then by columns")
	}
	f.Fix.Caveats = []string{"Sums of floats differ in their last digits", "A range of a few elements gains little"}
	f.Evidence = []finding.Evidence{
		r.quoted(place),
		{Kind: "repetition", Share: &x.share, Text: fmt.Sprintf("the range (%s) moves or grows by one with each pass of the loop at %s, which does not change %s", x.extent, loopAt, x.over)},
	}
	if x.loop.First != place.Line {
		f.Evidence = append(f.Evidence, finding.Evidence{Kind: "source", Text: fmt.Sprintf("%s: %s", loopAt, r.excerpt(place.File, x.loop.First))})
	}
	return f
}
