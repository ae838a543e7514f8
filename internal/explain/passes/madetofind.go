package passes

import (
	"regexp"
	"slices"
	"strings"

	"whyhot/internal/explain/ownline"
	"whyhot/internal/explain/text"
	"whyhot/internal/profile"
)

var (
	// through is the header of a loop over the elements of something.
	through = regexp.MustCompile(`\bfor\b.*(?:\brange\s+|\bin\s+|\bof\s+|[^:]:\s+)(.+?)\s*(?:\)\s*\{?|\{|:|\bdo)?\s*$|\bforeach\b[^(]*\(\s*(.+?)\s+as\b`)
	// keepsAs gives a name to a value.
	keepsAs = regexp.MustCompile(`^\s*(?:(?:const|let|var|auto|my|val|final|std::vector<[^=]*>|[A-Z]\w*(?:<[^=]*>)?(?:\[\])?)\s+(?:mut\s+)?)?([$@]?[A-Za-z_]\w*)(?:\s*:\s*[^=]+)?\s*:?=\s*[^=]`)
	// oneAtATime are functions that make an element when it is asked for.
	oneAtATime = regexp.MustCompile(`\byield\b|\biter\.Seq|\bimpl\s+Iterator|\bStream<|\bSequence<|\bfunction\s*\*|\bIEnumerable<`)
	// collects is what a loop does that uses more than one element.
	collects = regexp.MustCompile(`\bappend\b|\.(?:push\w*|add|Add|append|insert|emplace\w*|extend)\(|<<|\+=|\+\+|\]\s*=[^=]`)
)

// leastMade is the share of the CPU from which a collection counts that is made to find one of
// its elements: the loop that looks for it has less.
const leastMade = 0.2

// madeToFind are collections that a function of the program makes, and of which the caller looks
// for one element.
//
// Example. moves := position.ValidMoves(); for _, m := range moves { if fits(m) { found = m; break } }
func (r *reader) madeToFind() []wholeForOne {
	var out []wholeForOne
	for _, h := range r.hottest {
		f := r.file(h.line.Function)
		if f == nil || !h.calls || !r.isSure(h.share, leastMade) || !r.lines.IsOwn(h.callee) {
			continue
		}
		_, callee := ownline.Parts(r.p.Function(h.callee).Name)
		l, ok := searchOf(f, int(h.line.Line), callee)
		if !ok || r.isLazy(h.callee, callee) || r.p.Share(r.runsIn(f.Path, l.Range)) > 2*h.share {
			continue
		}
		out = append(out, wholeForOne{spot: h.where(), text: callee, search: true})
	}
	sortDearest(out)
	return out
}

// searchOf is the loop that looks for one of what a call in a line gives: the line begins it,
// or it goes through the name that the line gives to all.
func searchOf(f *text.File, line int, callee string) (l text.Loop, ok bool) {
	statement, lines := f.Statement(line)
	if !strings.Contains(statement, callee) {
		return l, false
	}
	if l, ok = f.Begins(lines.First); ok {
		m := through.FindStringSubmatch(statement)
		return l, m != nil && strings.Contains(m[1]+m[2], callee+"(") && findsOne(f, l)
	}
	m := keepsAs.FindStringSubmatch(statement)
	fn, in := f.Function(line)
	if m == nil || !in {
		return l, false
	}
	name := m[1]
	for n := lines.Last + 1; n <= min(fn.Last, lines.Last+soon); n++ {
		if l, ok = f.Begins(n); !ok {
			continue
		}
		_, header := f.Statement(n)
		over := through.FindStringSubmatch(l.Header)
		if over == nil || strings.Trim(over[1]+over[2], "&*() ") != name || !findsOne(f, l) {
			return l, false
		}
		for at := lines.Last + 1; at <= fn.Last; at++ {
			if (at < n || at > header.Last) && slices.Contains(text.Names(f.Code(at)), name) {
				return l, false // used for something else as well
			}
		}
		return l, true
	}
	return l, false
}

// findsOne says whether a loop ends at an element, and collects nothing.
func findsOne(f *text.File, l text.Loop) bool {
	_, header := f.Statement(l.First)
	ends := false
	for n := header.Last + 1; n <= l.Last; n++ {
		code := f.Code(n)
		if collects.MatchString(code) {
			return false
		}
		if inner := f.Loops(n); ending.MatchString(code) && len(inner) > 0 && inner[0].First == l.First {
			ends = true
		}
	}
	return ends
}

// ending is what ends a loop.
var ending = regexp.MustCompile(`\b(break|return|last)\b`)

// isLazy says whether a function hands out one element at a time.
func (r *reader) isLazy(id profile.FunctionID, name string) bool {
	f := r.file(id)
	if f == nil {
		return true // not known
	}
	of := definitions(f, name)
	return len(of) == 0 || slices.ContainsFunc(of, func(d definition) bool {
		for n := d.fn.First; n <= d.fn.Last; n++ {
			if oneAtATime.MatchString(f.Code(n)) {
				return true
			}
		}
		return false
	})
}
