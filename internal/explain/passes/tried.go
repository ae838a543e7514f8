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

// RuleTried is of texts that are tested with one pattern after the other.
const RuleTried = "patterns-tried"

// triedOn is a text that is tested with several patterns, until one fits.
type triedOn struct {
	spot

	count int // how many, where they are written down one after the other; 0 for a loop over them
}

// matching are, by language, the asking of a pattern: the pattern and the text.
var matching = map[string]*regexp.Regexp{
	"Python":     regexp.MustCompile(`(?:([A-Za-z_][\w.\[\]]*)\.(?:search|match|fullmatch)\(\s*([A-Za-z_][\w.]*)\s*[,)]|\bre\.(?:search|match|fullmatch)\(\s*([^,]+),\s*([A-Za-z_][\w.]*)\s*[,)])`),
	"JavaScript": regexp.MustCompile(`(?:([A-Za-z_/][^\s(]*)\.(?:test|exec)\(\s*([A-Za-z_][\w.]*)\s*\)|([A-Za-z_][\w.]*)\.(?:match|search)\(\s*([A-Za-z_/][^\s)]*)\s*\))`),
	"Java":       regexp.MustCompile(`([A-Za-z_][\w.()]*)\.matcher\(\s*([A-Za-z_][\w.()]*)\s*\)`),
	"C":          regexp.MustCompile(`(?:([A-Za-z_][\w.]*)\.(?:IsMatch|Match)\(\s*([A-Za-z_][\w.]*)\s*[,)]|\bregex_(?:search|match)\(\s*([A-Za-z_][\w.]*)\s*,[^)]*?([A-Za-z_][\w.>-]*)\s*\)|\bregexec\(\s*&?([A-Za-z_][\w.>\[\]-]*)\s*,\s*([A-Za-z_][\w.>-]*)\s*,)`),
	"Go":         regexp.MustCompile(`([A-Za-z_][\w.]*)\.(?:MatchString|Match|FindStringSubmatch|FindString|FindStringIndex|FindStringSubmatchIndex|FindSubmatch|FindIndex)\(\s*([A-Za-z_][\w.]*)\s*\)`),
	"Rust":       regexp.MustCompile(`([A-Za-z_][\w.]*)\.(?:is_match|captures|find)\(\s*&?([A-Za-z_][\w.]*)\s*\)`),
	"Ruby":       regexp.MustCompile(`(?:([A-Za-z_@/][^\s(]*)\.match\??\(\s*([A-Za-z_@][\w.]*)\s*\)|([A-Za-z_@][\w.]*)\s*=~\s*([A-Za-z_/@][^\s]*))`),
	"PHP":        regexp.MustCompile(`\bpreg_match\(\s*([^,]+),\s*(\$[\w>\[\]'-]+)\s*[,)]`),
	"Perl":       regexp.MustCompile(`(\$\w+)\s*=~\s*(?:m\s*)?(?:qr)?[/{(]?\s*(\$\w+)|(\$\w+)\s*=~\s*(?:m\s*)?(/[^/]*/)`),
}

// mostTried is the number of patterns, written down one after the other, from which one that
// tells them apart is quicker.
const mostTried = 5

// tried gives them, the dearest first.
//
// Example. for rule, name in RULES: if rule.search(line): return name
func (r *reader) tried() []triedOn { return byLine(r, triedAt) }

// triedAt reads the statement of a line; at is where the first pattern is asked.
func triedAt(f *text.File, line int) (at int, x triedOn, ok bool) {
	_, lines := f.Statement(line)
	asked := patternsOf(f, lines)
	if len(asked) == 0 {
		return 0, x, false
	}
	if loops := f.Loops(line); len(loops) > 0 {
		l := loops[0]
		bound := boundIn(f, l)
		for _, pair := range asked {
			pattern, other := mentions(pair[0], bound), mentions(pair[1], bound)
			if pattern != other && (pattern || f.Language() == "Perl") && f.MayEnd(l.First, l.Last+1) {
				return lines.First, x, true
			}
		}
	}
	// One after the other, of the same text, in the statements of one function.
	fn, in := f.Function(line)
	const longest = 400
	if !in || fn.Last-fn.First > longest {
		return 0, x, false
	}
	byText := map[string][]int{}
	for n := fn.First + 1; n <= fn.Last; n++ {
		_, of := f.Statement(n)
		if of.First != n {
			continue
		}
		for _, pair := range patternsOf(f, of) {
			byText[pair[1]] = append(byText[pair[1]], n)
		}
	}
	for _, pair := range asked {
		if all := byText[pair[1]]; len(all) >= mostTried {
			return all[0], triedOn{count: len(all)}, true
		}
	}
	return 0, x, false
}

// patternsOf are the patterns that a statement asks, with the texts.
func patternsOf(f *text.File, lines text.Range) (out [][2]string) {
	form := matching[f.Language()]
	if form == nil || lines.First < 1 {
		return nil
	}
	for _, m := range form.FindAllStringSubmatch(f.Written(lines), -1) {
		var pair []string
		for _, part := range m[1:] {
			if part != "" {
				pair = append(pair, part)
			}
		}
		if len(pair) == 2 { //nolint:mnd // both
			out = append(out, [2]string{pair[0], pair[1]})
		}
	}
	return out
}

// setOf is what asks all patterns in one pass, by language. One alternation of all is none: an
// engine that backtracks searches for how a single pattern begins much faster (Python: 6 times,
// measured with fifteen patterns).
var setOf = map[string]string{
	"Python":     "google-re2's Set, or Hyperscan, ask all in one pass; one alternation of all is slower than fifteen patterns with words to search for",
	"JavaScript": "re2's set (node-re2), where there are many",
	"Java":       "Hyperscan or dk.brics.automaton, where there are many",
	"C":          "RE2::Set or Hyperscan, where there are many",
	"Go":         "strings.Contains or HasPrefix for what a pattern needs before it is asked",
	"Rust":       "regex::RegexSet asks all in one pass",
	"Ruby":       "include? or start_with? for what a pattern needs before it is asked",
	"PHP":        "str_contains or str_starts_with for what a pattern needs before it is asked",
	"Perl":       "One alternation of fixed words compiles into a table (a trie); of patterns with groups, index before each",
}

func (r *reader) triedFinding(s judge.Subject, x triedOn) judge.Found {
	place := ownline.Place(r.p, x.line)
	f := r.suspected(s, RuleTried, place, x.rows, saving{share: x.share, least: 0.2, likely: 0.6, why: "asks one pattern after the other"})
	f.Title = fmt.Sprintf("Many patterns are tried on each text; look up which fit (%s)", at(place.File, place.Line))
	f.Fix.Steps = []string{
		"What can be looked up first: a word of the text, in a table of the patterns that need it; then ask those alone",
		setOf[r.file(x.line.Function).Language()],
		"The patterns that fit most often first",
	}
	f.Fix.Caveats = []string{"Of patterns that fit the same text, the first in the order has to win as before"}
	why := "A text that only the last pattern fits is searched by all before it"
	if x.count > 0 {
		why = fmt.Sprintf("%d patterns are asked in this function; %s", x.count, strings.ToLower(why[:1])+why[1:])
	}
	f.Evidence = []finding.Evidence{r.quoted(place), {Kind: "repetition", Share: &x.share, Text: why}}
	return f
}
