package passes

import (
	"fmt"
	"regexp"

	"whyhot/internal/explain/judge"
	"whyhot/internal/explain/ownline"
	"whyhot/internal/explain/text"
	"whyhot/internal/finding"
)

// RuleReplaced is of texts that are gone through once for each of several replacements.
const RuleReplaced = "replaced-per-pattern"

// replacing is a text that several replacements go through, one after the other.
type replacing struct {
	spot

	loop int // where the loop over the replacements begins; 0 where they are written down
}

// replaces are, by language, an assignment of a text in which something was replaced to the same
// name: what is assigned to, and what it was made of.
var replaces = map[string][]*regexp.Regexp{
	"Python":     toItself(`(\w[\w.]*)\.replace\(`, `re\.sub\([^,]+,[^,]+,\s*(\w[\w.]*)\s*[,)]`, `\w+\.sub\([^,()]+,\s*(\w[\w.]*)\s*[,)]`),
	"JavaScript": toItself(`(\w[\w.]*)\.replace(?:All)?\(`, `(\w[\w.]*)\.split\([^()]*\)\.join\(`),
	"Java":       toItself(`(\w[\w.]*)\.(?:replace|replaceAll)\(`),
	"C":          toItself(`(\w[\w.]*)\.Replace\(`, `Regex\.Replace\(\s*(\w[\w.]*)\s*,`),
	"Go":         toItself(`(?:strings|bytes)\.Replace(?:All)?\(\s*(\w[\w.]*)\s*,`, `\w+\.ReplaceAll(?:String)?\(\s*(\w[\w.]*)\s*,`),
	"Rust":       toItself(`(\w[\w.]*)\.replace\(`),
	"Ruby":       append(toItself(`(\w[\w.]*)\.(?:gsub|tr|sub)\(`), regexp.MustCompile(`^\s*(\w[\w.]*)\.gsub!\(`)),
	"PHP":        toItself(`(?:str_replace|preg_replace|str_ireplace)\([^,]+,[^,]+,\s*(\$\w+)\s*[,)]`),
	"Perl":       {regexp.MustCompile(`(\$\w+)\s*=~\s*s[/{|#].*\$`)},
}

// toItself are assignments to the name that a form has in its group.
func toItself(forms ...string) (out []*regexp.Regexp) {
	for _, form := range forms {
		out = append(out, regexp.MustCompile(`([$\w][\w.]*)\s*=\s*`+form))
	}
	return out
}

// mostReplaced is the number of replacements, written down one after the other, from which one
// pass is quicker.
const mostReplaced = 5

// chained is a replacement in a row of them.
var chained = regexp.MustCompile(`\.\s*(?:replace|replaceAll|Replace|gsub)\(`)

// replacements gives them, the dearest first.
//
// Example. for name, char in ENTITIES.items(): line = line.replace(name, char)
func (r *reader) replacements() []replacing { return byLine(r, replacedAt) }

// replacedAt reads the statement of a line: a replacement in a loop whose names it uses, or one of
// several behind each other. at is where the first of them stands.
func replacedAt(f *text.File, line int) (at int, x replacing, ok bool) {
	statement, lines := f.Statement(line)
	if len(chained.FindAllString(statement, -1)) >= mostReplaced {
		return lines.First, x, true
	}
	name := replacedName(f, lines)
	if name == "" {
		return 0, x, false
	}
	if loops := f.Loops(line); len(loops) > 0 {
		l := loops[0]
		for _, bound := range text.Names(l.Header) {
			if bound != name && !isAssignedIn(f, name, l) && regexp.MustCompile(`(?:^|[^\w])`+regexp.QuoteMeta(bound)+`\b`).MatchString(f.Written(lines)) {
				return lines.First, replacing{loop: l.First}, true
			}
		}
	}
	first, n := lines.First, 1
	for before := lines.First - 1; before > 0; before-- {
		_, above := f.Statement(before)
		if above.First < 1 || replacedName(f, above) != name {
			break
		}
		first, n, before = above.First, n+1, above.First
	}
	for after := lines.Last + 1; after <= f.Len(); after++ {
		_, below := f.Statement(after)
		if below.First < 1 || replacedName(f, below) != name {
			break
		}
		n, after = n+1, below.Last
	}
	return first, x, n >= mostReplaced
}

// replacedName is the name of the text in which a statement replaces something, "" for none.
func replacedName(f *text.File, lines text.Range) string {
	statement := f.Written(lines)
	for _, form := range replaces[f.Language()] {
		m := form.FindStringSubmatch(statement)
		switch {
		case m == nil:
		case len(m) == 2, m[1] == m[2]:
			return m[1]
		}
	}
	return ""
}

// isAssignedIn says whether a pass of a loop begins with another text: it is then the texts that
// the loop goes over, not the replacements.
func isAssignedIn(f *text.File, name string, l text.Loop) bool {
	if regexp.MustCompile(`(?:^|[^\w$@.])` + regexp.QuoteMeta(name) + `\b`).MatchString(l.Header) {
		return true
	}
	begins := regexp.MustCompile(`(?:^|[^\w$@.])` + regexp.QuoteMeta(name) + `\s*:?=[^=]`)
	for n := l.First + 1; n <= l.Last; n++ {
		if code := f.Code(n); begins.MatchString(code) {
			_, lines := f.Statement(n)
			if replacedName(f, lines) != name {
				return true
			}
		}
	}
	return false
}

// replacedOnce is how a language replaces all in one pass.
var replacedOnce = map[string]string{
	"Python":     "One pass: re.sub over the alternatives, compiled once, and a function that looks the match up in the dict; of single characters text.translate(table)",
	"JavaScript": "One pass: text.replace(/a|b|…/g, m => table[m]), the expression made once",
	"Java":       "One pass: one Pattern of the alternatives and Matcher.replaceAll(m -> table.get(m.group())), or a loop that appends to a StringBuilder",
	"C":          "One pass: Regex.Replace with a function that looks the match up, or a loop that appends to a StringBuilder",
	"Go":         "One pass: strings.NewReplacer(old, new, …), made once; of regular expressions one of the alternatives",
	"Rust":       "One pass: aho_corasick's replace_all, or a loop over the characters that pushes to a String",
	"Ruby":       "One pass: text.gsub(Regexp.union(table.keys), table); of single characters tr",
	"PHP":        "One pass: strtr($text, $table); of expressions preg_replace_callback over the alternatives",
	"Perl":       "One pass: s/($all)/$table{$1}/g with $all = join '|', map quotemeta, keys %table, compiled once",
}

func (r *reader) replacedFinding(s judge.Subject, x replacing) judge.Found {
	place := ownline.Place(r.p, x.line)
	f := r.suspected(s, RuleReplaced, place, x.rows, saving{share: x.share, least: 0.2, likely: 0.65, why: "goes through the text for each replacement"})
	f.Title = fmt.Sprintf("Text searched for each replacement; use one pass (%s)", at(place.File, place.Line))
	f.Fix.Steps = []string{replacedOnce[r.file(x.line.Function).Language()]}
	f.Fix.Caveats = []string{"One pass does not replace in what a replacement put in; longer alternatives stand before shorter ones"}
	why := "Each replacement goes through the whole text, whether it finds anything or not, and those that do copy it"
	if x.loop > 0 {
		why += fmt.Sprintf("; the loop at line %d goes over the replacements", x.loop)
	}
	f.Evidence = []finding.Evidence{r.quoted(place), {Kind: "repetition", Share: &x.share, Text: why}}
	return f
}
