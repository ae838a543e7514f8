// Package pattern says of a regular expression whether a backtracking engine may try it again
// and again on one text.
//
// It owns three questions: can one text be taken in many ways by repetitions within a repetition
// (exponential), does a search without an anchor begin with a repetition, so that it is tried
// from each character of a run (quadratic), and does a run end the pattern behind a lazy repetition
// that can take the same (quadratic, too). It takes the text of a pattern and gives the part
// that does so. It must never read a file, and knows nothing of profiles.
//
// How. The pattern is parsed by regexp/syntax. Of a repetition without a bound the body is looked
// at: it is ambiguous if it has a repetition of its own, and all that must stand beside that in
// each round can be taken by the inner one, too. What can fail has to follow, or nothing is
// taken back. This is a sufficient test on the shape, not a decision procedure; see Weideman et
// al., "Analyzing matching time behavior of backtracking regular expression matchers", 2016.
//
// Example. (\w+\s*,?)+: is ambiguous: "abc" is one round or three. (\w+,)+: is not.
package pattern

import (
	"regexp/syntax"
	"strings"
)

// Kind is how the time grows with the text.
type Kind uint8

// The kinds.
const (
	Plain       Kind = iota // not known to grow faster than the text
	Trimming                // a run before the end is tried from each character that a lazy part takes
	Quadratic               // a run is tried from each of its characters
	Exponential             // a text is taken apart in all ways
)

// Of looks at a pattern. search says that it is looked for anywhere in a text.
func Of(pattern string, search bool) (kind Kind, part string) {
	tree, err := syntax.Parse(plainer.Replace(pattern), syntax.Perl)
	if err != nil {
		return Plain, ""
	}
	if part := ambiguous(tree, false); part != nil {
		return Exponential, part.String()
	}
	if search {
		if run := leadingRun(tree); run != nil {
			return Quadratic, run.String()
		}
	}
	if run := trailingRun(tree); run != nil {
		return Trimming, run.String()
	}
	return Plain, ""
}

// plainer takes away what regexp/syntax does not know, and what changes nothing here: possessive
// and atomic forms end backtracking, and stay an error.
var plainer = strings.NewReplacer(`(?=`, `(?:`, `(?<!`, `(?:`, `(?<=`, `(?:`, `\/`, `/`, `\h`, `[ \t]`, `\Z`, `\z`, `\_`, `_`, `\-`, `-`, `\"`, `"`, `\'`, `'`)

// ambiguous finds a repetition whose rounds can be cut in many ways; fails says whether something
// that can fail follows.
func ambiguous(re *syntax.Regexp, fails bool) *syntax.Regexp {
	switch re.Op { //nolint:exhaustive // the others have no parts
	case syntax.OpConcat:
		for i, sub := range re.Sub {
			after := fails
			for _, next := range re.Sub[i+1:] {
				after = after || canFail(next)
			}
			if part := ambiguous(sub, after); part != nil {
				return part
			}
		}
	case syntax.OpCapture, syntax.OpAlternate, syntax.OpQuest:
		for _, sub := range re.Sub {
			if part := ambiguous(sub, fails); part != nil {
				return part
			}
		}
	case syntax.OpStar, syntax.OpPlus, syntax.OpRepeat:
		if isUnbounded(re) && fails && isAmbiguousBody(re.Sub[0]) {
			return re
		}
		// Each round but the last is followed by another.
		return ambiguous(re.Sub[0], fails || canFail(re.Sub[0]))
	}
	return nil
}

func isUnbounded(re *syntax.Regexp) bool {
	return re.Op == syntax.OpStar || re.Op == syntax.OpPlus || re.Op == syntax.OpRepeat && re.Max < 0
}

// canFail says whether a part may not match where it is tried.
func canFail(re *syntax.Regexp) bool {
	switch re.Op { //nolint:exhaustive // the others can
	case syntax.OpEmptyMatch, syntax.OpStar, syntax.OpQuest:
		return false
	case syntax.OpCapture:
		return canFail(re.Sub[0])
	case syntax.OpConcat:
		for _, sub := range re.Sub {
			if canFail(sub) {
				return true
			}
		}
		return false
	case syntax.OpRepeat:
		return re.Min > 0
	}
	return true
}

// isAmbiguousBody says whether the rounds of a repetition of this can be cut in many ways.
func isAmbiguousBody(body *syntax.Regexp) bool {
	for body.Op == syntax.OpCapture {
		body = body.Sub[0]
	}
	parts := []*syntax.Regexp{body}
	switch body.Op { //nolint:exhaustive // the others are one part
	case syntax.OpConcat:
		parts = body.Sub
	case syntax.OpAlternate:
		for _, sub := range body.Sub {
			if isAmbiguousBody(sub) {
				return true
			}
		}
		return false
	}
	for i, inner := range parts {
		for inner.Op == syntax.OpCapture {
			inner = inner.Sub[0]
		}
		if !isUnbounded(inner) {
			continue
		}
		of, known := runes(inner.Sub[0])
		if !known {
			continue
		}
		all := true
		for k, other := range parts {
			if k == i || !canFail(other) {
				continue
			}
			set, known := runes(other)
			all = all && known && overlap(of, set)
		}
		if all {
			return true
		}
	}
	return false
}

// blank is a space: runs of what may have one are long, those of words and numbers are not.
var blank = []rune{' ', ' '}

// leadingRun is the repetition with which a pattern begins, that something which can fail follows.
func leadingRun(re *syntax.Regexp) *syntax.Regexp {
	for re.Op == syntax.OpCapture {
		re = re.Sub[0]
	}
	if re.Op != syntax.OpConcat || len(re.Sub) < 2 { //nolint:mnd // a run and what follows
		return nil
	}
	first := re.Sub[0]
	for first.Op == syntax.OpCapture {
		first = first.Sub[0]
	}
	if !isUnbounded(first) {
		return nil
	}
	if of, known := runes(first.Sub[0]); !known || !overlap(of, blank) {
		return nil
	}
	for _, next := range re.Sub[1:] {
		if canFail(next) {
			return first
		}
	}
	return nil
}

// trailingRun is the run that ends a pattern behind a lazy repetition that can take what the run
// takes: before each step of the lazy one the run is tried, and fails where the text goes on.
//
// Example. ^\s*(.*?)\s*$ tries a gap of n blanks within the text from each of them.
func trailingRun(re *syntax.Regexp) *syntax.Regexp {
	for re.Op == syntax.OpCapture {
		re = re.Sub[0]
	}
	if re.Op != syntax.OpConcat || len(re.Sub) < 3 { //nolint:mnd // the lazy part, the run, and the end
		return nil
	}
	lazy, run, end := re.Sub[len(re.Sub)-3], re.Sub[len(re.Sub)-2], re.Sub[len(re.Sub)-1]
	for lazy.Op == syntax.OpCapture {
		lazy = lazy.Sub[0]
	}
	if lazy.Op == syntax.OpConcat {
		lazy = lazy.Sub[len(lazy.Sub)-1]
	}
	if end.Op != syntax.OpEndText && end.Op != syntax.OpEndLine || !isUnbounded(lazy) || lazy.Flags&syntax.NonGreedy == 0 || !isUnbounded(run) {
		return nil
	}
	of, known := runes(run.Sub[0])
	with, both := runes(lazy.Sub[0])
	if !known || !both || !overlap(of, blank) || !overlap(of, with) {
		return nil
	}
	return run
}

// runes are the characters of a part that takes one, as ranges; of a repetition those of its
// body, and of a longer text the first.
func runes(re *syntax.Regexp) (set []rune, known bool) {
	switch re.Op { //nolint:exhaustive // of the others none are known
	case syntax.OpLiteral:
		return []rune{re.Rune[0], re.Rune[0]}, true
	case syntax.OpCharClass:
		return re.Rune, true
	case syntax.OpAnyChar, syntax.OpAnyCharNotNL:
		return []rune{0, 0x10FFFF}, true
	case syntax.OpCapture, syntax.OpPlus, syntax.OpStar, syntax.OpQuest, syntax.OpRepeat:
		return runes(re.Sub[0])
	case syntax.OpConcat:
		return runes(re.Sub[0])
	}
	return nil, false
}

func overlap(a, b []rune) bool {
	for i := 0; i+1 < len(a); i += 2 {
		for k := 0; k+1 < len(b); k += 2 {
			if a[i] <= b[k+1] && b[k] <= a[i+1] {
				return true
			}
		}
	}
	return false
}
