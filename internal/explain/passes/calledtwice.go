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

// RuleCalledTwice is of calls that are made again at once, with the same arguments.
const RuleCalledTwice = "called-twice"

// calledTwice is a call that is written again with the same arguments, closely behind the
// first.
type calledTwice struct {
	spot

	call  string // as it is written
	times int
	again int // line of the last of them
}

// otherBranch begins what runs instead of what stands above.
var otherBranch = regexp.MustCompile(`\b(else|elif|elsif|elseif|case|when|catch|except|rescue|default)\b|^\s*\|`)

// callsTwice gives them, the dearest first.
//
// Example. if (order.total() > 0) sum += order.total(); where total goes through all lines.
func (r *reader) callsTwice() []calledTwice {
	known := map[profile.Line]*calledTwice{}
	for _, h := range r.hottest {
		f := r.file(h.line.Function)
		if f == nil || !h.calls || h.callee == h.line.Function {
			continue
		}
		statement, lines := f.Statement(int(h.line.Line))
		if fn, in := f.Function(lines.First); in && fn.First == lines.First {
			continue // what stands in the header of a function is no call
		}
		_, name := ownline.Parts(r.p.Function(h.callee).Name)
		calls := f.Calls(statement)
		at := slices.IndexFunc(calls, func(c text.Call) bool { return c.Last() == name })
		if name == "" || at < 0 || !r.givesSame(f, h, calls[at]) {
			continue
		}
		c := calls[at]
		x := calledTwice{spot: lineOf(h.line.Function, lines.First), call: asWritten(f, c, lines)}
		x.times, x.again = repeatsOf(f, c, x.call, statement, lines)
		if x.times < 2 || known[x.line] != nil {
			continue
		}
		for _, o := range r.hottest {
			if o.callee == h.callee && o.line.Function == h.line.Function && int(o.line.Line) >= lines.First && int(o.line.Line) <= x.again {
				x.rows = joinRows(x.rows, o.rows)
			}
		}
		known[x.line] = &x
	}
	return enough(r, known)
}

// givesSame says whether a call gives the same for the same, by the text of what it calls, or by
// its name where that is not the program's.
func (r *reader) givesSame(f *text.File, h *hot, c text.Call) bool {
	own := r.lines.IsOwn(h.callee)
	return namesSame(f, c, own) && (!own || r.isPure(h.callee))
}

// compactly is a call as it is written, without spaces.
func compactly(c text.Call) string { return withoutSpaces(c.Name + "(" + c.Args + ")") }

// withoutSpaces leaves out those that divide no words: return f(x) stays two words.
func withoutSpaces(code string) string {
	return besideSigns.ReplaceAllString(strings.TrimSpace(code), "$1$2")
}

var besideSigns = regexp.MustCompile(`\s*([^\w\s])\s*|(\S)\s+$`)

// asWritten is a call as it is written, without spaces: what is in its texts counts, too. "" where
// its end is not found.
//
// Example. Of get(f"{kind}.html") the code is get(f" kind      "), which get(f"{kind}.txt") is, too.
func asWritten(f *text.File, c text.Call, lines text.Range) string {
	const quotes = "\"'`"
	if !strings.ContainsAny(c.Args, quotes) {
		return compactly(c)
	}
	all, name := withoutSpaces(f.Written(lines)), withoutSpaces(c.Name)+"("
	begin := strings.Index(all, name)
	if begin < 0 {
		return ""
	}
	depth, quote := 1, byte(0)
	for i := begin + len(name); i < len(all); i++ {
		switch one := all[i]; {
		case quote != 0 && one == '\\':
			i++
		case quote != 0:
			if one == quote {
				quote = 0
			}
		case strings.IndexByte(quotes, one) >= 0:
			quote = one
		case one == '(':
			depth++
		case one == ')':
			if depth--; depth == 0 {
				return all[begin : i+1]
			}
		}
	}
	return ""
}

// repeatsOf counts a call in its statement and the ones closely behind it, as long as nothing
// changes what it is called with and no other branch begins; last is the line of the last one.
func repeatsOf(f *text.File, c text.Call, as, statement string, lines text.Range) (times, last int) {
	if as == "" {
		return 0, lines.Last
	}
	texts := as != compactly(c)
	same := func(times int, of text.Range) int {
		if texts {
			times = min(times, strings.Count(withoutSpaces(f.Written(of)), as))
		}
		return times
	}
	call := regexp.MustCompile(`(?:^|[^\w.$@>:])` + regexp.QuoteMeta(compactly(c)))
	plain := withoutSpaces(statement)
	all := call.FindAllStringIndex(plain, -1)
	times, last = same(len(all), lines), lines.Last
	if choice := strings.IndexByte(plain, '?'); choice >= 0 && len(all) > 0 && choice < all[0][0] {
		return 0, last // one of two branches
	}
	names := text.Names(c.Name + "(" + c.Args + ")")
	changes := func(line int) bool {
		return slices.ContainsFunc(names, func(n string) bool {
			return f.Changes(n, text.Range{First: line, Last: line}, text.Range{})
		})
	}
	for n := lines.First; n <= lines.Last; n++ {
		if changes(n) {
			return 0, last
		}
	}
	end := f.Len()
	if fn, in := f.Function(lines.First); in {
		end = fn.Last
	}
	for n := lines.Last + 1; n <= min(end, lines.Last+nearby); n++ {
		code := f.Code(n)
		if otherBranch.MatchString(code) {
			break
		}
		if k := same(len(call.FindAllString(withoutSpaces(code), -1)), text.Range{First: n, Last: n}); k > 0 {
			times, last = times+k, n
		}
		if changes(n) {
			break
		}
	}
	return times, last
}

func (r *reader) calledTwiceFinding(s judge.Subject, x calledTwice) judge.Found {
	place := ownline.Place(r.p, x.line)
	spare := float64(x.times-1) / float64(x.times)
	f := r.suspected(s, RuleCalledTwice, place, x.rows, saving{share: x.share, least: 0.5 * spare, likely: 0.9 * spare, why: "is in these calls, of which one stays"}, x.call)
	f.Gain.High = min(f.Gain.High, 1.1*spare*x.share)
	f.Title = fmt.Sprintf("Same call made twice in a row; keep its result (%s)", at(place.File, place.Line))
	f.Fix.Steps = []string{fmt.Sprintf("Call %s once, and use what it gave (lines %d to %d)", x.call, place.Line, x.again)}
	f.Fix.Caveats = []string{"This is read from the text: a call that changes something has to stay"}
	f.Evidence = []finding.Evidence{
		r.quoted(place),
		{Kind: "repetition", Share: &x.share, Text: fmt.Sprintf("%s is written %d times in lines %d to %d, and nothing there changes what it is called with", x.call, x.times, place.Line, x.again)},
	}
	return f
}
