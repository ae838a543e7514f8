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

// RulePosition is of elements that are found by walking to their number, and of lengths that
// are measured on each pass.
const RulePosition = "position-per-pass"

// countedOut is a line that goes through something from its start to get at a position of it, or to
// measure it, for each pass.
type countedOut struct {
	spot

	call   string // as it is written
	length bool   // of the whole, in the condition of a loop
	cure   string
}

// positional is a form in which an element is asked for by its number where only a walk from the
// start finds it.
type positional struct {
	form *regexp.Regexp // what stands before the argument with the number
	// at is which argument has the number, from 0.
	at   int
	of   *regexp.Regexp // how the file declares what it is asked of, nil for anything; %s is its name
	cure string
}

// ofNumber is a form whose first argument, or what stands in its bracket, is the number.
func ofNumber(form, cure string) positional {
	return positional{form: regexp.MustCompile(form), cure: cure}
}

const (
	walkOnce   = "Go through it once with a loop, and do what is done at each position there"
	madeBefore = "Make the array once before the loop, and index that"
)

// positionals are those of the languages.
var positionals = map[string][]positional{
	"Rust": {
		ofNumber(`\.(?:chars|char_indices|graphemes|lines|split\w*|keys|values)\([^()]*\)(?:\.rev\(\))?\.(?:nth|skip)\(`,
			"Keep the offset in bytes and take the next from there: s[at..].chars().next(); or a Vec<char> that is made once"),
	},
	"PHP": {{form: regexp.MustCompile(`(\$\w+)->item\(`), of: regexp.MustCompile(`\bgetElementsByTagName(?:NS)?\(|->childNodes\b`),
		cure: "foreach ($items as $item), which goes on from where it is; or iterator_to_array($items) once"}, {form: regexp.MustCompile(`\b(?:mb_substr|iconv_substr|grapheme_substr)\(`), at: 1,
		cure: "mb_str_split($text) once, and foreach over that; of ASCII text $text[$i]"}},
	"Java": {
		{form: regexp.MustCompile(`\b(\w+)\.get\(`), of: regexp.MustCompile(`\bLinkedList\b`), cure: "An ArrayList; or an iterator, which goes on from where it is"},
		ofNumber(`\.(?:ElementAt|elementAt)\(`, "A list that is made once (ToList, toList), or foreach"),
		{form: regexp.MustCompile(`\.offsetByCodePoints\(`), at: 1, cure: "Keep the index, and go on with Character.charCount; or codePoints().toArray() once"},
	},
	"C": {
		{form: regexp.MustCompile(`\b(?:std::)?next\(\s*(\w+)\s*\.`), at: 1, of: regexp.MustCompile(`\b(?:list|set|map|multiset|multimap|forward_list)\s*<`), cure: "Keep the iterator and go on from it; or a std::vector"},
	},
	"Haskell": {ofNumber(`[\w)'\]]\s*!!\s*\(?`, "An array or vector (Data.Array, Data.Vector), a Data.Sequence, or zip with the numbers")},
	"OCaml":   {{form: regexp.MustCompile(`\bList\.nth(?:_opt)?\s+\(?`), cure: "An array (Array.of_list once), or List.iteri"}},
	"Elixir":  {{form: regexp.MustCompile(`\b(?:Enum|String)\.at\(`), at: 1, cure: "A tuple (elem) or a map by number; or Enum.with_index once"}},
	"Erlang":  {ofNumber(`\blists:nth\(`, "A tuple (element/2), an array, or a fold that carries the number")},
	"Python": {
		{form: regexp.MustCompile(`\bnext\(\s*(?:itertools\.)?islice\(`), at: 1, cure: walkOnce},
		ofNumber(`\b(?:list|sorted|tuple)\([^()]*(?:\(\))?\)\[`, madeBefore),
	},
	"Ruby":       {ofNumber(`\.(?:chars|lines|keys|values|to_a|codepoints)\[`, madeBefore)},
	"JavaScript": {ofNumber(`(?:\[\.\.\.[\w.]+(?:\(\))?\]|\bArray\.from\([^()]*(?:\(\))?\)|\bObject\.(?:keys|values|entries)\([^()]*\))\[`, madeBefore)},
	"Go":         {ofNumber(`\[\]rune\([^()]*\)\[`, "runes := []rune(s) once before the loop; or for i, r := range s")},
	"Perl":       {ofNumber(`\(\s*(?:keys|values)\s*%\$?\w+\s*\)\[`, madeBefore)},
	"Lua":        {{form: regexp.MustCompile(`\butf8\.offset\(`), at: 1, cure: "for at, code in utf8.codes(s), or a table of the characters that is made once"}},
}

// lengths measure a text from its start.
var lengths = map[string]struct {
	form *regexp.Regexp
	cure string
}{
	"C":    {regexp.MustCompile(`\b(?:strlen|wcslen)\(\s*\w+\s*\)`), "size_t n = strlen(text) once before the loop; where the loop shortens the text, set n there"},
	"PHP":  {regexp.MustCompile(`\b(?:mb|iconv|grapheme)_strlen\(\s*\$\w+`), "$n = mb_strlen($text) once before the loop"},
	"Rust": {regexp.MustCompile(`\b\w+\.chars\(\)\.count\(\)`), "let n = text.chars().count() once before the loop; or go on until chars() ends"},
}

// positions gives the lines that count from the start again, the dearest first.
//
// Example. while i < n: c = src.chars().nth(i) visits 1, 2, … n characters.
func (r *reader) positions() []countedOut {
	known := map[profile.Line]*countedOut{}
	for line := range r.innermost {
		f := r.file(line.Function)
		if f == nil || line.Line <= 0 {
			continue
		}
		statement, lines := f.Statement(int(line.Line))
		x, ok := r.positionIn(f, statement)
		if !ok {
			if x, ok = lengthIn(f, lines.First, statement); !ok {
				continue
			}
		}
		at := lineOf(line.Function, lines.First).line
		if known[at] == nil {
			x.line, x.rows = at, r.runsIn(f.Path, lines)
			known[at] = &x
		}
	}
	return enough(r, known)
}

// positionIn is a position in a statement that is counted from the start.
func (r *reader) positionIn(f *text.File, statement string) (x countedOut, ok bool) {
	for _, p := range positionals[f.Language()] {
		for _, m := range p.form.FindAllStringSubmatchIndex(statement, -1) {
			if p.of != nil && !r.isDeclared(f, statement[m[2]:m[3]], p.of) {
				continue
			}
			begin := m[1]
			if open := strings.LastIndexByte(statement[m[0]:m[1]], '('); p.at > 0 && open >= 0 {
				begin = m[0] + open + 1
			}
			inside, _ := text.Inside(statement, begin)
			arguments := text.Arguments(inside)
			if p.at >= len(arguments) || len(text.Names(arguments[p.at])) == 0 {
				continue // a constant
			}
			return countedOut{call: strings.TrimSpace(statement[m[0]:begin]) + inside, cure: p.cure}, true
		}
	}
	return x, false
}

// isDeclared says whether a file declares a name with a type, or makes it as one.
func (r *reader) isDeclared(f *text.File, name string, of *regexp.Regexp) bool {
	lines := r.declaring(f, of)
	if len(lines) == 0 {
		return false
	}
	as := regexp.MustCompile(`\b` + regexp.QuoteMeta(strings.TrimLeft(name, "$@")) + `\b`)
	return slices.ContainsFunc(lines, func(n int) bool {
		code := f.Code(n)
		t, at := of.FindStringIndex(code), as.FindStringIndex(code)
		return at != nil && (at[0] > t[0] || strings.ContainsAny(code[at[1]:t[0]], "=:"))
	})
}

// fileForm is a form that is looked for in a file.
type fileForm struct {
	path string
	form *regexp.Regexp
}

// declaring are the lines of a file that have a form: it is asked for at each hot line.
func (r *reader) declaring(f *text.File, of *regexp.Regexp) []int {
	k := fileForm{f.Path, of}
	lines, known := r.declared[k]
	if !known {
		for n := 1; n <= f.Len(); n++ {
			if of.MatchString(f.Code(n)) {
				lines = append(lines, n)
			}
		}
		r.declared[k] = lines
	}
	return lines
}

// lengthIn is the length that the condition of a loop measures on each pass.
func lengthIn(f *text.File, first int, statement string) (x countedOut, ok bool) {
	l, begins := f.Begins(first)
	of, known := lengths[f.Language()]
	if !begins || !known || l.Within {
		return x, false
	}
	condition := statement
	if parts := strings.SplitN(statement, ";", 3); len(parts) == 3 { //nolint:mnd // for (begin; condition; step)
		condition = parts[1]
	}
	call := of.form.FindString(condition)
	return countedOut{call: call, cure: of.cure, length: true}, call != ""
}

func (r *reader) positionFinding(s judge.Subject, x countedOut) judge.Found {
	place := ownline.Place(r.p, x.line)
	f := r.suspected(s, RulePosition, place, x.rows, saving{share: x.share, least: 0.5, likely: 0.9, why: "walks to where it was on the pass before"}, x.call)
	what, why := "Position counted from the start on each pass", "has no positions: each pass goes through all that stands before, so n passes visit some n²/2 elements"
	if x.length {
		what, why = "Length measured on each pass", "goes through all of the text to find its end, on each pass of the loop"
	}
	f.Title = fmt.Sprintf("%s (%s)", what, at(place.File, place.Line))
	f.Fix.Steps = []string{x.cure}
	f.Evidence = []finding.Evidence{r.quoted(place), {Kind: "repetition", Share: &x.share, Text: strings.TrimSpace(x.call) + " " + why}}
	return f
}
