package passes

import (
	"fmt"
	"regexp"
	"slices"

	"whyhot/internal/explain/judge"
	"whyhot/internal/explain/ownline"
	"whyhot/internal/explain/text"
	"whyhot/internal/finding"
	"whyhot/internal/profile"
)

// RuleByChar is of interpreted loops that go through a text one character at a time.
const RuleByChar = "text-by-character"

// byChar is such a loop.
type byChar struct {
	spot // the header of the loop

	over string // the text
	at   int    // the line that takes a character
}

// leastByChar is the share of the CPU from which such a loop is told: a parser goes through its text
// in one way or the other.
const leastByChar = 0.4

var (
	// takes are how interpreted languages take one character of a text: what gets it, the text and
	// the index; or the text and the index alone.
	takes = map[string]*regexp.Regexp{
		"PHP":    regexp.MustCompile(`(?:(\$\w+)\s*=\s*)?(\$\w+(?:->\w+)*)\[\s*(\$\w+(?:->\w+)*)(?:\s*[-+]\s*\d+)?\s*\]|(?:(\$\w+)\s*=\s*)?\bsubstr\(\s*(\$\w+(?:->\w+)*)\s*,\s*(\$\w+(?:->\w+)*)\s*,\s*1\s*\)`),
		"Python": regexp.MustCompile(`(?:\b(\w+)\s*=\s*)?\b((?:self\.)?\w+)\[\s*((?:self\.)?\w+)(?:\s*[-+]\s*\d+)?\s*\]`),
		"Ruby":   regexp.MustCompile(`(?:\b(\w+)\s*=\s*)?(@?\w+)\[\s*(@?\w+)(?:\s*[-+]\s*\d+)?(?:\s*,\s*1)?\s*\]`),
		"Perl":   regexp.MustCompile(`(?:(\$\w+)\s*=\s*)?\bsubstr\s*\(?\s*(\$\w+)\s*,\s*(\$\w+)\s*,\s*1\b`),
		"Lua":    regexp.MustCompile(`(?:\b(\w+)\s*=\s*)?\b(\w+):(?:sub\(\s*(\w+)\s*,\s*\w+\s*\)|byte\(\s*(\w+)\s*\))|(?:\b(\w+)\s*=\s*)?\bstring\.(?:sub|byte)\(\s*(\w+)\s*,\s*(\w+)`),
	}
	// eachChar are headers of loops over the characters of a text: the character and the text.
	eachChar = map[string]*regexp.Regexp{
		"Python": regexp.MustCompile(`\bfor\s+(?:\w+\s*,\s*)?(\w+)\s+in\s+(?:enumerate\(\s*)?((?:self\.)?\w+)\)?\s*:`),
		"Ruby":   regexp.MustCompile(`(@?\w+)\.(?:each_char|chars\.each\w*)\b.*\|\s*(\w+)`),
	}
	// oneChar is a comparison with a text of one character, as it is written.
	oneChar = regexp.MustCompile(`(?:===?|!==?|~=|\beq|\bne)\s*(?:"(?:\\.|[^"\\])"|'(?:\\.|[^'\\])')|(?:"(?:\\.|[^"\\])"|'(?:\\.|[^'\\])')\s*(?:===?|!==?|~=|\beq\b|\bne\b)|\b(?:case|when)\s+(?:"(?:\\.|[^"\\])"|'(?:\\.|[^'\\])')`)
	// inOneStep says what goes over the characters between in one call.
	inOneStep = map[string]string{
		"PHP":    "strpos, strcspn or strspn to the next character that matters (preg_match with an offset for a pattern), and substr for what lies between",
		"Python": "str.find, or a compiled expression with finditer, to the next character that matters, and a slice for what lies between",
		"Ruby":   "StringScanner (scan_until, skip), or index with an expression, to the next character that matters",
		"Perl":   `an expression with /\G…/gc, or index, to the next character that matters`,
		"Lua":    "string.find with a pattern to the next character that matters, and string.sub for what lies between",
	}
)

// byChars gives them, the dearest first.
//
// Example. for ($i = 0; $i < $len; $i++) { $char = $text[$i]; $buffer .= $char; if ($char === "\n") … }
func (r *reader) byChars() []byChar {
	type key struct {
		file  string
		first int
	}
	seen := map[key]bool{}
	var out []byChar
	for _, h := range r.hottest {
		line := h.line
		f := r.file(line.Function)
		if f == nil || takes[f.Language()] == nil {
			continue
		}
		for _, l := range f.LoopsFrom(int(line.Line)) {
			k := key{f.Path, l.First}
			if seen[k] {
				continue
			}
			seen[k] = true
			over, at, ok := charsOf(f, l)
			if !ok {
				continue
			}
			x := byChar{spot: lineOf(line.Function, l.First), over: over, at: at}
			x.rows = r.within(f, l)
			x.share = r.p.Share(x.rows)
			if r.isSure(x.share, leastByChar*r.part) && r.isOften(int64(len(x.rows))) {
				out = append(out, x)
			}
		}
	}
	sortDearest(out)
	return out
}

// within are the rows that have a line of a loop on their stack.
func (r *reader) within(f *text.File, l text.Loop) (rows []int32) {
	for id, s := range r.stacks() {
		if slices.ContainsFunc(r.p.Stack(profile.StackID(id)), func(loc profile.LocationID) bool { //nolint:gosec // stacks are numbered so
			return slices.ContainsFunc(r.p.Lines(loc), func(at profile.Line) bool {
				return l.Has(int(at.Line)) && r.file(at.Function) == f
			})
		}) {
			rows = append(rows, s.rows...)
		}
	}
	slices.Sort(rows)
	return rows
}

// charsOf says which text a loop takes one character after the other of, and where: it compares
// characters with ones that are written out.
func charsOf(f *text.File, l text.Loop) (over string, at int, ok bool) {
	language := f.Language()
	char := ""
	if each := eachChar[language]; each != nil {
		if m := each.FindStringSubmatch(f.Code(l.First)); m != nil {
			char, over, at = m[1], m[2], l.First
			if language == "Ruby" {
				char, over = m[2], m[1]
			}
		}
	}
	bound := boundIn(f, l)
	compares := false
	for n := l.First; n <= l.Last; n++ {
		code := f.Code(n)
		if char == "" && n > l.First {
			for _, m := range takes[language].FindAllStringSubmatch(code, -1) {
				got, of, index := joined(m[1:])
				if slices.Contains(bound, index) || f.Changes(index, l.Range, text.Range{}) {
					char, over, at = got, of, n
					if got == "" {
						char = of
					}
					break
				}
			}
		}
		if char != "" && oneChar.MatchString(f.Lines[n-1]) && (mentions(code, []string{char}) || isCase.MatchString(code)) {
			compares = true
		}
	}
	return over, at, char != "" && compares && (isOfText[language] || namesText.MatchString(over))
}

var (
	// isOfText are the languages in which what takes a character takes nothing else; elsewhere the name
	// has to say that it is a text and no list.
	isOfText  = map[string]bool{"Perl": true, "Lua": true}
	namesText = regexp.MustCompile(`(?i)(?:^|_|\W)(?:\w*(?:text|str|string|source|src|content|html|xml|json|markup|template|markdown|line|word|buffer|buf|expr|expression|pattern|query|sql|csv|chars))$|^\W*s$`)
)

// isCase is a branch of a choice by a value.
var isCase = regexp.MustCompile(`^\s*(case|when)\b`)

// joined are the character, the text and the index of a match, whichever of its forms it has.
func joined(groups []string) (char, over, index string) {
	var found []string
	for _, g := range groups {
		if g != "" {
			found = append(found, g)
		}
	}
	switch n := len(found); {
	case n >= 3: //nolint:mnd // all of them
		return found[0], found[1], found[2]
	case n == 2: //nolint:mnd // without what gets it
		return "", found[0], found[1]
	}
	return "", "", ""
}

func (r *reader) byCharFinding(s judge.Subject, x byChar) judge.Found {
	place := ownline.Place(r.p, x.line)
	f := r.suspected(s, RuleByChar, place, x.rows, saving{share: x.share, least: 0.15, likely: 0.5, why: "is in the loop, most of it for characters that nothing is done about"}, x.over)
	file := r.file(x.line.Function)
	f.Title = fmt.Sprintf("A loop takes %s one character at a time (%s)", x.over, at(place.File, place.Line))
	f.Fix.Steps = []string{"Let one call go on to where something happens: " + inOneStep[file.Language()],
		"Where each character counts, ask about it inline: a call for each costs more than the comparison"}
	f.Fix.Caveats = []string{"Where nearly each character is one that matters, little is saved"}
	f.Evidence = []finding.Evidence{
		r.quoted(place),
		{Kind: "source", Text: fmt.Sprintf("%s: %s", at(file.Path, x.at), r.excerpt(file.Path, x.at))},
	}
	return f
}
