package passes

import (
	"regexp"
	"slices"
	"strings"

	"whyhot/internal/explain/ownline"
	"whyhot/internal/explain/text"
	"whyhot/internal/profile"
)

// mostBody are the lines of a loop that only searches.
const mostBody = 12

// equals is a comparison of two things in a condition.
var equals = regexp.MustCompile(`([\w.$@>\[\]()'" -]+?)\s*(===?|\beq\b|\.equals\(|\.Equals\(|\.equals_ignore_case\(|\.eq\()\s*([^=&|){;?]+)|\b(?:strcmp|strcasecmp|memcmp|bytes\.Equal|strings\.EqualFold|string\.Equals)\s*\(([^,]+),([^,)]+)`)

// nested finds the loops of the program that search a collection on each pass of another
// loop: most of what runs is on their own lines, they are short, and compare what they go
// through with what they do not.
//
// Example. For each order, the customers are gone through from the first to find the one
// whose id is the order's: 62% of the CPU is on those three lines.
func (r *reader) nested() []scan {
	var out []scan
	for _, t := range r.byLoop(r.searching) {
		if t.share < leastNested*r.part || !r.isOften(t.events) {
			continue
		}
		x, _, ok := r.searchIn(t.file, t.best)
		if statement, _ := t.file.Statement(int(t.best.Line)); !ok && len(searchesOf(statement)) == 0 {
			x, ok = r.search(t.file, t.loop, t.best)
		}
		if ok && !isShort(t.file, x.over) {
			x.rows, x.share = t.rows, t.share
			out = append(out, x)
		}
	}
	return out
}

// searching is the loop of a line that may search: the call of a search, the only loop that
// searches in optimised JavaScript, or the innermost one.
func (r *reader) searching(f *text.File, line profile.Line) (l text.Loop, ok bool) {
	if _, l, ok := r.searchIn(f, line); ok {
		return l, true
	}
	return loopThat(f, line, func(l text.Loop) bool { _, searches := r.search(f, l, line); return searches })
}

// loopThat is the one loop of a kind that a line of optimised JavaScript stands for, or the
// innermost one around a line, or that the line begins, with a short body.
func loopThat(f *text.File, line profile.Line, is func(text.Loop) bool) (l text.Loop, ok bool) {
	if l, ok = onlyInside(f, line, is); ok {
		return l, true
	}
	for _, l := range f.LoopsFrom(int(line.Line)) {
		if !l.Within && l.Last-l.First < mostBody {
			return l, true
		}
	}
	return l, false
}

// onlyInside is the one loop of some kind in the loop or function that a line of JavaScript
// stands for: of code that a JIT compiler has optimised, a recording knows no other line.
func onlyInside(f *text.File, line profile.Line, is func(text.Loop) bool) (l text.Loop, ok bool) {
	if f.Language() != "JavaScript" {
		return l, false
	}
	around := text.Range{First: int(line.Line), Last: int(line.Line)}
	if fn, in := f.Function(int(line.Line)); in {
		around.Last = fn.Last
	}
	if loops := f.LoopsFrom(int(line.Line)); len(loops) > 0 {
		around = loops[0].Range
	}
	if around.Last-around.First > longFunction {
		around.Last = around.First
	}
	n := 0
	for at := around.First; at <= around.Last; at++ {
		if begun, begins := f.Begins(at); begins && is(begun) {
			l = begun
			n++
		}
	}
	return l, n == 1
}

// search decides whether a loop searches, and finds what is around it.
func (r *reader) search(f *text.File, l text.Loop, best profile.Line) (x scan, ok bool) {
	_, header := f.Statement(l.First)
	if strings.HasPrefix(strings.TrimSpace(l.Header), "while") {
		return r.searchWhile(f, l, best)
	}
	bound := boundIn(f, l)
	if len(bound) == 0 {
		return x, false
	}
	left := slices.DeleteFunc(text.Names(l.Header), func(n string) bool { return slices.Contains(bound, n) })
	compared, line := comparison(f, l, header, bound)
	if compared == nil {
		return x, false
	}
	// An index goes through what it is an index of.
	indexed := indexedBy(compared, bound)
	if counts.MatchString(l.Header) && (indexed == "" || compared.isBare(bound)) || !onlySearches(f, l, header, line) {
		return x, false
	}
	if indexed != "" {
		left = []string{indexed}
	}
	if len(left) == 0 {
		return x, false
	}
	over := strings.TrimLeft(left[len(left)-1], "&*")
	x = scan{spot: lineOf(best.Function, line), over: strings.TrimLeft(over, "$@"), nested: true}
	return r.around(f, l, x, compared.without(bound), best)
}

// around finds the loop around a search, in which the collection stays the same and what is
// looked for does not.
func (r *reader) around(f *text.File, l text.Loop, x scan, sought string, best profile.Line) (scan, bool) {
	over := x.over
	outer := slices.DeleteFunc(f.Loops(l.First), func(o text.Loop) bool { return o.First >= l.First })
	if len(outer) > 0 {
		o := outer[0]
		if f.Rebinds(over, o.Range, l.Range) || !slices.ContainsFunc(text.Names(sought), func(n string) bool { return f.Changes(n, o.Range, text.Range{}) }) {
			return x, false
		}
		x.loop, x.loopIn = o, f.Path
		return x, true
	}
	caller, ok := r.callerIn(r.innermost[best], best.Function)
	if ok && l.Has(int(caller.Line)) && r.file(caller.Function) == f { // a generator, or a function given to the call
		caller, ok = r.callerIn(r.innermost[best], caller.Function)
	}
	if !ok {
		return x, false
	}
	loop, in, ok := r.loopCalling(caller, r.ownName(best.Function))
	if !ok {
		loop, in, ok = r.loopFurtherOut(over, r.innermost[best], caller)
	}
	if !ok {
		return x, false
	}
	// What the caller gives must be the same collection each time, and what is looked for must
	// be given.
	fn, isIn := f.Function(l.First)
	if !isIn || f.Rebinds(over, text.Range{First: fn.First + 1, Last: l.First - 1}, text.Range{}) || !r.isGivenSame(f, fn, over, caller, loop) {
		return x, false
	}
	given := f.Parameters(fn)
	if !slices.ContainsFunc(text.Names(sought), func(n string) bool {
		return slices.Contains(given, n) || f.Changes(n, fn.Range, text.Range{})
	}) {
		return x, false
	}
	x.loop, x.loopIn = loop, in
	return x, true
}

// mostOut is how many functions further out the loop is looked for that a search repeats in.
const mostOut = 3

// loopFurtherOut is the loop around a call further out, where the functions between pass on
// what is looked for, and none of them makes the collection or is given it.
//
// Example. @invoices.find { |inv| inv.number == number } in invoice_for(number), which book
// calls, which a loop over all payments calls.
func (r *reader) loopFurtherOut(over string, rows []int32, caller profile.Line) (l text.Loop, in string, ok bool) {
	for range mostOut {
		f := r.file(caller.Function)
		if f == nil {
			return l, "", false
		}
		if fn, is := f.Function(int(caller.Line)); !is || slices.Contains(f.Parameters(fn), over) || f.Rebinds(over, fn.Range, text.Range{}) {
			return l, "", false
		}
		called := r.ownName(caller.Function)
		if caller, ok = r.callerIn(rows, caller.Function); !ok {
			return l, "", false
		}
		if l, in, ok = r.loopCalling(caller, called); ok {
			return l, in, !r.file(caller.Function).Rebinds(over, l.Range, text.Range{})
		}
	}
	return l, "", false
}

// callerIn is the own line that calls a function in most of some samples.
func (r *reader) callerIn(rows []int32, id profile.FunctionID) (profile.Line, bool) {
	callers := map[profile.Line]int64{}
	for _, row := range rows {
		if caller, is := r.callerOf(row, id); is {
			callers[caller]++
		}
	}
	return ownline.Heaviest(callers)
}

var (
	// counts are headers of loops over numbers.
	counts = regexp.MustCompile(`;.*;|\brange\b\s*\(|\.\.|\bseq\w*\s*\(|=\s*\d+\s*,|\bupto\b|\btimes\b|\d+:\w`)
	// another is what a loop does where the comparison fails, beside going on.
	another = regexp.MustCompile(`\belse\b|\bcontinue\b|\belif\b|\belsif\b|\belseif\b`)
	// table is an element of a table that is filled.
	table = regexp.MustCompile(`\w\[[^\]]*\]\[[^\]]*\]\s*([-+*]?=[^=])|\w\[[^\],]+,[^\]]+\]\s*([-+*]?=[^=]|<-)`)
)

// isBare says whether a side of a comparison is nothing but a name of the loop.
func (p *pair) isBare(bound []string) bool {
	return slices.ContainsFunc(bound, func(b string) bool {
		return strings.Trim(p[0], " (") == b || strings.Trim(p[1], " )") == b
	})
}

// onlySearches says whether a loop does nothing but look for what is equal: it has no other work
// for what is not, and none beside. What stands before the comparison may only give a name to
// the element.
func onlySearches(f *text.File, l text.Loop, header text.Range, compared int) bool {
	_, condition := f.Statement(compared)
	for n := header.Last + 1; n <= l.Last; n++ {
		code := strings.TrimSpace(f.Code(n))
		switch {
		case another.MatchString(code) || table.MatchString(code):
			return false
		case n < condition.First && strings.Contains(code, "("):
			return false
		case n > condition.Last && !f.IsAround(condition.First, n) && strings.Trim(code, "{}()[];, ") != "" && code != "end":
			return false
		}
	}
	return true
}

// callerOf is the own line that calls a function in a sample.
func (r *reader) callerOf(row int32, id profile.FunctionID) (line profile.Line, ok bool) {
	inside := false
	for _, loc := range r.p.Stack(r.p.Samples()[row].Stack) {
		for _, l := range r.p.Lines(loc) {
			switch {
			case l.Function == id:
				inside = true
			case inside && r.lines.IsOwn(l.Function) && l.Line > 0:
				return l, true
			}
		}
	}
	return line, false
}

// pair are the two sides of a comparison.
type pair [2]string

// without is the side that has none of some names.
func (p *pair) without(bound []string) string {
	if mentions(p[0], bound) {
		return p[1]
	}
	return p[0]
}

// comparison is the one in a loop of what it goes through with what it does not, and its line.
func comparison(f *text.File, l text.Loop, header text.Range, bound []string) (p *pair, line int) {
	for n := header.Last; n <= l.Last; n++ {
		code := f.Code(n)
		if !strings.Contains(code, "=") && !strings.Contains(code, "eq") && !strings.Contains(code, "cmp") && !strings.Contains(code, "qual") {
			continue
		}
		if loops := f.Loops(n); n > header.Last && len(loops) > 0 && loops[0].First != l.First {
			return nil, 0 // a loop of its own
		}
		for _, m := range equals.FindAllStringSubmatch(code, -1) {
			a, b := m[1], m[3]
			if m[4] != "" {
				a, b = m[4], m[5]
			}
			a, b = afterWord(a), beforeWord(b)
			if mentions(a, bound) != mentions(b, bound) && len(text.Names(a)) > 0 && len(text.Names(b)) > 0 {
				return &pair{a, b}, n
			}
		}
	}
	return nil, 0
}

// afterWord is an expression without the words of a statement before it.
func afterWord(s string) string {
	for _, w := range []string{"if ", "if(", "when ", "unless ", "elsif ", "elif ", "return ", "and ", "or ", "not "} {
		if at := strings.LastIndex(s, w); at >= 0 {
			s = s[at+len(w):]
		}
	}
	return s
}

// beforeWord is an expression without what a word joins to it.
func beforeWord(s string) string { return joining.Split(s, 2)[0] } //nolint:mnd // the expression and the rest

var joining = regexp.MustCompile(`\b(?:and|or|if|else|unless)\b`)

// indexedBy is what one side of a comparison takes an element of, by a name of the loop:
// customers of customers[i].id.
func indexedBy(p *pair, bound []string) string {
	for _, side := range p {
		for _, b := range bound {
			re := regexp.MustCompile(`([$@]?[A-Za-z_][\w.]*(?:->\w+)*)\s*[\[(]\s*` + regexp.QuoteMeta(b) + `\s*[\])]`)
			if m := re.FindStringSubmatch(side); m != nil {
				return m[1]
			}
		}
	}
	return ""
}

// fewElements are too few for a look-up to be better than a search.
const fewElements = 32

// isShort says whether a collection is written out in the text, with few elements.
func isShort(f *text.File, name string) bool {
	for _, n := range f.Assignments(name, text.Range{First: 1, Last: len(f.Lines)}) {
		statement, _ := f.Statement(n)
		_, value, ok := strings.Cut(statement, "=")
		value = strings.TrimLeft(value, "=<- :newctupl")
		if ok && value != "" && strings.ContainsAny(value[:1], "[{") && !strings.Contains(value, " for ") && strings.Count(value, ",") < fewElements && len(strings.TrimRight(value, " ;")) > len("[]") {
			return true
		}
	}
	return false
}
