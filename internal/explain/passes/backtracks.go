package passes

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"whyhot/internal/explain/judge"
	"whyhot/internal/explain/ownline"
	"whyhot/internal/explain/pattern"
	"whyhot/internal/finding"
	"whyhot/internal/profile"
)

// RulePattern is of regular expressions that backtrack.
const RulePattern = "pattern-backtracks"

// backtracking is a regular expression that a backtracking engine tries again and again.
type backtracking struct {
	spot

	text, part string // the pattern, and the repetition in it
	kind       pattern.Kind
	at         int // the line that has it
}

var (
	// engines are functions of backtracking engines. Go's, Rust's and RE2 take linear time.
	engines = regexp.MustCompile(`(?i)^_?sre_|^pattern_(scanner|sub)|irregexp|RegExp(Exec|Execute|Replace|Split|Interpreter|Impl|Prototype\w*|\.\w+|$)|^V8::RegExp|^pcre2?_(exec|match|jit|dfa)|^match$|^internal_match|^(onig_|match_at|forward_search|rb_reg_)|^Perl_(regexec|pp_match|pp_subst)|^S_reg(match|try|repeat)|java\.util\.regex\.|std::__detail::_Executor|System\.Text\.RegularExpressions|^php_pcre_`)
	// literals of patterns in a line, as they are written: of a string what is quoted, and what
	// stands between slashes behind an operator, a bracket or a comma.
	quotedPattern  = regexp.MustCompile("\\b[rR]?[rubRUB]?\"((?:[^\"\\\\]|\\\\.)*)\"|\\b[rR]?'((?:[^'\\\\]|\\\\.)*)'|@\"((?:[^\"]|\"\")*)\"|\"((?:[^\"\\\\]|\\\\.)*)\"|'((?:[^'\\\\]|\\\\.)*)'")
	slashedPattern = regexp.MustCompile(`(?:[=(,:!&|~]\s*|\b(?:return|qr|m|s|split|when|in)\s*|^\s*)/((?:[^/\\\n\[]|\\.|\[(?:[^\]\\]|\\.)*\])+)/`)
	// bracedPattern is one between other signs, of Perl and Ruby.
	bracedPattern = regexp.MustCompile(`(?:\b(?:qr|m|s)|%r)\s*(?:\{((?:[^{}\\]|\\.|\{\d*,?\d*\})+)\}|\|((?:[^|\\]|\\.)+)\||!((?:[^!\\]|\\.)+)!|#((?:[^#\\]|\\.)+)#)`)
	// makesPattern is what a line has that makes a pattern of a text.
	makesPattern = regexp.MustCompile(`\b(?:re|regex|Pattern|Regex|RegExp|Regexp|regexp)\b|\bqr\b|\bpreg_\w+\s*\(|\.(?:matches|replaceAll|replaceFirst|split|match|search|replace|test|sub|gsub|scan)\s*\(|std::\w*regex|=~|/`)
	// anchoredCalls look for a pattern at one place only.
	anchoredCalls = regexp.MustCompile(`\.(?:match|fullmatch|matches|lookingAt)\s*\(`)
	// doubled are escapes of strings in which a backslash is doubled.
	doubled = []string{"Java", "C", "PHP"}
)

// backtracks gives the hot patterns that take time quadratic in the text or worse, the dearest
// first.
//
// Example. HEADER.match(line) with HEADER = re.compile(r"^((?:[\w.-]+\s*,?\s*)+):"): a line
// without a colon is cut into words in all ways.
func (r *reader) backtracks() []backtracking {
	known := map[profile.Line]*backtracking{}
	for _, h := range r.hottest {
		f := r.file(h.line.Function)
		if f == nil || !h.calls || !r.runs(h, engines.MatchString) {
			continue
		}
		_, lines := f.Statement(int(h.line.Line))
		source, ok := r.facts.Source(f.Path)
		if !ok {
			continue
		}
		if x, ok := patternAt(source, lines.First, lines.Last, f.Language()); ok {
			gather(known, h.line, x, h.rows)
		}
	}
	return enough(r, known)
}

// patternAt finds one in some lines, or where a name that they use is given its pattern.
func patternAt(source []string, first, last int, language string) (x backtracking, ok bool) {
	statement := strings.Join(source[first-1:min(last, len(source))], "\n")
	search := !(anchoredCalls.MatchString(statement) && slices.Contains([]string{"Python", "Java"}, language))
	if x, ok = worst(statement, language, search); ok {
		x.at = first
		return x, true
	}
	for _, name := range anyName.FindAllString(statement, -1) {
		is := regexp.MustCompile(`(?:^|[^\w$.])[$@%]?` + regexp.QuoteMeta(name) + `\b\s*(?::[^=]*)?(?::?=>?|<-)[^=~]`)
		for n, line := range source {
			at := is.FindStringIndex(line)
			if at == nil || n+1 >= first && n+1 <= last {
				continue
			}
			const more = 2 // lines of a call that is broken
			if x, ok = worst(line[at[1]-1:]+strings.Join(source[n+1:min(n+1+more, len(source))], " "), language, search); ok {
				x.at = n + 1
				return x, true
			}
		}
	}
	return x, false
}

var anyName = regexp.MustCompile(`\b[A-Za-z_]\w*\b`)

// worst is the worst of the patterns in a text.
func worst(line, language string, search bool) (x backtracking, ok bool) {
	if !makesPattern.MatchString(line) {
		return x, false
	}
	take := func(p string, delimited bool) {
		if delimited && len(p) > 2 && strings.ContainsRune("/#~@%", rune(p[0])) { // preg_match('/…/i')
			if end := strings.LastIndexByte(p, p[0]); end > 0 {
				p = p[1:end]
			}
		}
		if kind, part := pattern.Of(p, search); kind > x.kind {
			x.kind, x.text, x.part = kind, p, part
		}
	}
	for _, m := range slashedPattern.FindAllStringSubmatch(line, -1) {
		if slices.Contains([]string{"JavaScript", "Ruby", "Perl"}, language) {
			take(m[1], false)
		}
	}
	for _, m := range bracedPattern.FindAllStringSubmatch(line, -1) {
		if slices.Contains([]string{"Ruby", "Perl"}, language) {
			take(strings.Join(m[1:], ""), false)
		}
	}
	for _, m := range quotedPattern.FindAllStringSubmatch(line, -1) {
		p := strings.Join(m[1:], "")
		if slices.Contains(doubled, language) && !strings.HasPrefix(m[0], "@") {
			p = strings.ReplaceAll(p, `\\`, `\`)
		}
		take(p, language == "PHP")
	}
	return x, x.kind > pattern.Plain
}

func (r *reader) backtracksFinding(s judge.Subject, x backtracking) judge.Found {
	place := ownline.Place(r.p, x.line)
	f := r.suspected(s, RulePattern, place, x.rows, saving{share: x.share, least: 0.3, likely: 0.85, why: "is in the engine, which comes back to the same text"}, x.text)
	where := at(place.File, x.at)
	why := "can take the same text in several ways, or from several places: what does not match at the end is tried again for each"
	switch x.kind {
	case pattern.Exponential:
		f.Title = fmt.Sprintf("Pattern backtracks: a repetition within a repetition (%s)", where)
		f.Fix.Steps = []string{
			fmt.Sprintf("In %s let one repetition alone take a character: leave the inner one, or ask for a separator between two rounds that it cannot take", x.part),
			"Or let it give nothing back: an atomic group (?>…) or x++ (Java, PCRE, Perl, Ruby; Python from 3.11)",
			"Or RE2, which takes linear time for every pattern",
		}
	case pattern.Trimming:
		f.Title = fmt.Sprintf("Lazy pattern tries the end at each character (%s)", where)
		f.Fix.Steps = []string{
			"Cut both ends with a pattern each, or with the language's own trim: s/^\\s+//, then /^(.*\\S)/s for the rest; trim, strip",
			fmt.Sprintf("Or let the part before %s be greedy and end with what the run cannot take: (.*\\S) goes back from the end", x.part),
		}
		why = "follows a lazy repetition that can take the same: a gap within the text is tried from each of its characters, up to where the text goes on"
	default:
		f.Title = fmt.Sprintf("Pattern begins with a repetition: each place is tried (%s)", where)
		f.Fix.Steps = []string{
			fmt.Sprintf("Begin at the start of a run only: a look-behind that forbids one more of %s before it, or an anchor", x.part),
			"At the end of a text: trimEnd, rstrip, or a loop from the end; else look for the fixed part first, and go back from there",
		}
	}
	f.Fix.Caveats = []string{"This is read from the pattern: where the texts are short, or nearly all match, it takes no longer than another"}
	f.Evidence = []finding.Evidence{
		{Kind: "source", Text: fmt.Sprintf("%s: %s", where, r.excerpt(place.File, x.at))},
		{Kind: "repetition", Share: &x.share, Text: x.part + " " + why},
	}
	return f
}
