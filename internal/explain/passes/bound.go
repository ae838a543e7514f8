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

// RuleBound is of sums that go on past what they are compared with.
const RuleBound = "sum-past-bound"

// bounded is a loop that sums to its end what can only grow, although the sum is compared with
// the least so far.
type bounded struct {
	spot

	sum, least string
	loop       text.Loop
	compared   string // the place where
}

var (
	// addsTo is an addition to a name, grows the same in its long form, and counted adds one.
	addsTo  = regexp.MustCompile(`([$@]?[A-Za-z_]\w*)\s*\+=\s*([^;]+)`)
	grows   = regexp.MustCompile(`([$@]?[A-Za-z_]\w*)\s*(?:<-|=)\s*([$@]?[A-Za-z_]\w*)\s*\+\s*([^;]+)`)
	counted = regexp.MustCompile(`([$@]?[A-Za-z_]\w*)\+\+|\+\+([$@]?[A-Za-z_]\w*)`)
	// wayOut is a way out of a loop.
	wayOut = regexp.MustCompile(`\b(break|return|goto|last|exit|throw|raise|leave)\b`)
	// stores is another effect of a loop than its sum.
	stores = regexp.MustCompile(`\]\s*[-+*/|^&]?=[^=]|(?:->|\.)\w+\s*[-+*/|^&]?=[^=]`)
	// neverLess are terms that are not negative: absolute values, squares, counts of bits,
	// comparisons.
	neverLess = regexp.MustCompile(`^(?:\([\w\s]+\)\s*)?(?:std::|[Mm]ath\.|np\.)?(?:f?abs[fl]?|labs|Abs|\w*popcount\w*|bitCount|OnesCount\w*|sqr|square)\s*\(|\.(?:abs|powi|count_ones|bit_count|abs_diff)\((?:2|\w[\w.\[\]]*)?\)(?:\s+as\s+\w+)?$|\*\*\s*2(?:\.0)?$|\^\s*2(?:\.0)?$|^(?:[\w.:]*\.)?pow[fl]?\(.*,\s*2(?:\.0)?f?\)$|[^=!<>]!=[^=]`)
	// rooted gives another name to a sum or its root.
	rooted = regexp.MustCompile(`([$@]?[A-Za-z_]\w*)\s*(?::?=|<-)\s*(?:[\w.:]*sqrtf?\()?([$@]?[A-Za-z_]\w*)(?:\.sqrt\(\))?\)?\s*;?\s*$`)
	// handsOver is the end of a function that returns a name or its root.
	handsOver = regexp.MustCompile(`^\s*(?:return\b\s*)?(?:\(?[\w.:]*sqrtf?\()?\(?([$@]?[A-Za-z_]\w*)\)?(?:\.sqrt\(\))?\)?\s*;?\s*\}?$`)
	// ordered compares two names.
	ordered = regexp.MustCompile(`([$@]?[A-Za-z_]\w*)\s*([<>])=?\s*([$@]?[A-Za-z_]\w*)\b`)
	// conditional begins a condition.
	conditional = regexp.MustCompile(`\b(if|unless|when)\b|\?`)
	// skipsRest is what is done with a candidate that has lost, before the others.
	skipsRest = regexp.MustCompile(`\b(continue|next|return)\b`)
)

// soon are the lines behind a sum in which it is compared.
const soon = 8

// sumsPastBound gives them, the dearest first.
//
// Example. for each row: d = 0; for i: d += abs(row[i] - x[i]); if (d < best) { best = d; … }
func (r *reader) sumsPastBound() []bounded {
	var out []bounded
	for _, t := range r.byLoop(summing) {
		if !r.isOften(t.events) || !r.isSure(t.share, leastShare) {
			continue
		}
		if x, ok := r.boundOf(t); ok {
			x.rows, x.share = t.rows, t.share
			out = append(out, x)
		}
	}
	sortDearest(out)
	return out
}

// summing is the outermost loop of a line that makes one sum.
func summing(f *text.File, line profile.Line) (l text.Loop, ok bool) {
	is := func(l text.Loop) bool { return sumIn(f, l) != "" }
	if l, ok = onlyInside(f, line, is); ok {
		return l, true
	}
	for _, outer := range f.LoopsFrom(int(line.Line)) {
		if sumIn(f, outer) == "" {
			break
		}
		l, ok = outer, true
	}
	return l, ok
}

// sumIn is the name to which a loop adds what is not negative, "" where it does anything else
// that stays, or can be left.
func sumIn(f *text.File, l text.Loop) (sum string) {
	if l.Last-l.First >= mostBody || hasFewPasses(l) {
		return ""
	}
	_, header := f.Statement(l.First)
	asked := false
	for n := header.Last; n <= l.Last; n++ {
		code := f.Code(n)
		if n == header.Last { // a body in the line of the header
			code = behindHeader(code)
		}
		if wayOut.MatchString(code) || stores.MatchString(code) {
			return ""
		}
		asks := conditional.MatchString(code)
		name, term := addition(code, asks || asked)
		asked = asks || asked && strings.Trim(code, "{} ") == ""
		if name == "" {
			continue
		}
		if sum != "" && name != sum || !isNotNegative(term) || f.Declares(name, text.Range{First: header.Last + 1, Last: l.Last}) {
			return ""
		}
		sum = name
	}
	for _, n := range f.Assignments(sum, l.Range) {
		if name, _ := addition(f.Code(n), true); name != sum {
			return "" // begun anew
		}
	}
	return sum
}

// addition is what a line adds to a name, and what; asked says whether it does so under a
// condition, so that adding one counts what is equal or different.
func addition(code string, asked bool) (name, term string) {
	if m := addsTo.FindStringSubmatch(code); m != nil {
		name, term = m[1], m[2]
	} else if m := grows.FindStringSubmatch(code); m != nil && m[1] == m[2] {
		name, term = m[1], m[3]
	} else if m := counted.FindStringSubmatch(code); m != nil && asked {
		return m[1] + m[2], "abs(1)"
	}
	term = strings.Trim(term, " })")
	if open := strings.Count(term, "(") - strings.Count(term, ")"); open > 0 {
		term += strings.Repeat(")", open)
	}
	if term == "1" && asked {
		term = "abs(1)"
	}
	return name, term
}

// isNotNegative says whether a term cannot be less than 0.
func isNotNegative(term string) bool {
	if neverLess.MatchString(term) {
		return true
	}
	// The product of a thing with itself: d*d, (x-y)*(x-y).
	whole := strings.ReplaceAll(term, " ", "")
	half := len(whole) / 2 //nolint:mnd // half of it
	return len(whole)%2 == 1 && whole[half] == '*' && whole[:half] == whole[half+1:]
}

// boundOf finds what the sum of a loop is compared with: behind it, or behind the call that
// gives it.
func (r *reader) boundOf(t *tally) (x bounded, ok bool) {
	f, sum := t.file, sumIn(t.file, t.loop)
	x = bounded{spot: lineOf(t.best.Function, t.loop.First), sum: strings.TrimLeft(sum, "$@"), loop: t.loop}
	fn, in := f.Function(t.loop.First)
	last := f.Len()
	if in {
		last = fn.Last
	}
	least, line, given := leastOf(f, []string{sum}, text.Range{First: t.loop.Last + 1, Last: min(last, t.loop.Last+soon)})
	if least != "" {
		x.least, x.compared = least, at(f.Path, line)
		return x, len(f.Loops(t.loop.First)) > 0
	}
	if !given || !in {
		return x, false
	}
	caller, ok := r.callerIn(t.rows, t.best.Function)
	cf := r.file(caller.Function)
	if !ok || cf == nil || len(cf.Loops(int(caller.Line))) == 0 {
		return x, false
	}
	statement, lines := cf.Statement(int(caller.Line))
	call := regexp.QuoteMeta(fn.Own()) + `\s*\(`
	behind := text.Range{First: lines.First, Last: min(cf.Len(), lines.Last+soon)}
	if m := regexp.MustCompile(`([$@]?[A-Za-z_]\w*)\s*(?::?=|<-)\s*[\w.$@:>-]*` + call).FindStringSubmatch(statement); m != nil && !smaller.MatchString(statement) {
		least, line, _ = leastOf(cf, []string{m[1]}, behind)
	} else {
		least, line = leastOfCall(cf, statement, call, behind)
	}
	x.least, x.compared = least, at(cf.Path, line)
	return x, least != ""
}

// leastOf finds the name that is set to one of some names where that is less, or says that the
// lines give one of them to the caller.
func leastOf(f *text.File, names []string, behind text.Range) (least string, line int, given bool) {
	for n := behind.First; n <= behind.Last; n++ {
		code := f.Code(n)
		if b := keepsLeast(code, names); b != "" {
			return b, n, false
		}
		for _, m := range ordered.FindAllStringSubmatch(code, -1) {
			left, right := slices.Contains(names, m[1]), slices.Contains(names, m[3])
			b, less := m[3], m[2] == "<"
			if right {
				b, less = m[1], m[2] == ">"
			}
			lost := skipsRest.MatchString(code) || n < f.Len() && skipsRest.MatchString(f.Code(n+1))
			if left != right && less != lost && isSetTo(f, b, names, text.Range{First: n, Last: min(f.Len(), n+3)}) {
				return b, n, false
			}
		}
		if m := rooted.FindStringSubmatch(code); m != nil && slices.Contains(names, m[2]) {
			names = append(names, m[1])
			continue
		}
		if m := handsOver.FindStringSubmatch(code); m != nil && slices.Contains(names, m[1]) {
			return "", n, true
		}
	}
	return "", 0, false
}

// keepsLeast is the name of best = min(best, sum).
func keepsLeast(code string, names []string) string {
	m := smaller.FindStringSubmatch(code)
	if m == nil {
		return ""
	}
	of := text.Names(m[2])
	if slices.Contains(of, m[1]) && slices.ContainsFunc(of, func(n string) bool { return slices.Contains(names, n) }) {
		return m[1]
	}
	return ""
}

// smaller sets a name to the less of two: best = min(best, d), best = best.min(d).
var smaller = regexp.MustCompile(`([$@]?[A-Za-z_]\w*)\s*(?::?=|<-)\s*((?:[\w.:]*\b(?:MIN|[fF]?[mM]in\w*)\s*!?\(|[$@]?\w+\.min\().*)`)

// isSetTo says whether lines give a name the value of one of others.
func isSetTo(f *text.File, name string, others []string, lines text.Range) bool {
	for n := lines.First; n <= lines.Last; n++ {
		code := f.Code(n)
		for _, o := range others {
			set := regexp.MustCompile(`(?:^|[^\w.$@])` + regexp.QuoteMeta(name) + `\s*(?:,[^=]*)?(?::?=|<-)\s*(?:\w+,\s*)?` + regexp.QuoteMeta(o) + `(?:\W|$)`)
			if set.MatchString(code) {
				return true
			}
		}
	}
	return false
}

// leastOfCall is the name that a call is compared with in its own statement, and that is set
// behind it.
func leastOfCall(f *text.File, statement, call string, behind text.Range) (least string, line int) {
	at := regexp.MustCompile(call).FindStringIndex(statement)
	if at == nil {
		return "", 0
	}
	inside, closed := text.Inside(statement, at[1])
	if !closed {
		return "", 0
	}
	if m := smaller.FindStringSubmatch(statement); m != nil && slices.Contains(text.Names(m[2]), m[1]) {
		return m[1], behind.First
	}
	rest := statement[at[1]+len(inside):]
	m := regexp.MustCompile(`^\)\s*<=?\s*([$@]?[A-Za-z_]\w*)\b`).FindStringSubmatch(rest)
	if m == nil || len(f.Assignments(m[1], text.Range{First: behind.First, Last: min(f.Len(), behind.First+3)})) == 0 {
		return "", 0
	}
	return m[1], behind.First
}

func (r *reader) boundedFinding(s judge.Subject, x bounded) judge.Found {
	place := ownline.Place(r.p, x.line)
	least := strings.TrimLeft(x.least, "$@")
	f := r.suspected(s, RuleBound, place, x.rows, saving{share: x.share, least: 0.1, likely: 0.4, why: "makes the sums; those of candidates that have lost can end early"}, x.sum)
	if r.p.Function(x.line.Function).Kind == profile.KindNative {
		// From 0.8 to 4 times as fast, by how near the candidates are: what is known of the same
		// loop in machine code stays.
		f.Gain, f.Removes, f.Takes, f.Yields = nil, false, false, false
	}
	f.Title = fmt.Sprintf("Sum goes on past the least so far; stop there (%s)", at(place.File, place.Line))
	f.Fix.Steps = []string{
		fmt.Sprintf("Leave the loop at %s as soon as %s has reached %s", at(place.File, x.loop.First), x.sum, least),
		"Of a loop that compilers vectorise, ask after each 8 or 16 elements, so that it stays so",
		"Likely candidates first: what they are compared with is small sooner",
	}
	f.Fix.Caveats = []string{"Where most candidates are near the best, or sums have a few terms, the question costs more than it saves"}
	f.Evidence = []finding.Evidence{
		r.quoted(place),
		{Kind: "repetition", Share: &x.share, Text: fmt.Sprintf("%s only grows, and is compared with %s at %s when the loop has ended", x.sum, least, x.compared)},
	}
	return f
}
