package passes

import (
	"cmp"
	"fmt"
	"regexp"
	"strings"

	"whyhot/internal/explain/judge"
	"whyhot/internal/explain/ownline"
	"whyhot/internal/explain/text"
	"whyhot/internal/finding"
	"whyhot/internal/profile"
)

// RuleCompared is of objects that are compared by way of text.
const RuleCompared = "compared-by-text"

// comparedByText is a comparison of two objects that writes both as text.
type comparedByText struct {
	spot

	how string
}

// textComparisons are, by language, what writes an object on both sides of a comparison.
var textComparisons = map[string]*regexp.Regexp{
	"JavaScript": regexp.MustCompile(`\b(JSON\.stringify)\([^=!]*[=!]==?\s*JSON\.stringify\(`),
	"Python":     regexp.MustCompile(`\b((?:json|orjson|ujson|pickle)\.dumps|repr|str)\([^=!]*[=!]=\s*(?:(?:json|orjson|ujson|pickle)\.dumps|repr|str)\(`),
	"Ruby":       regexp.MustCompile(`\b?(\.to_json|\.inspect|Marshal\.dump)\b[^=!]*[=!]=.*(?:\.to_json|\.inspect|Marshal\.dump)\b`),
	"PHP":        regexp.MustCompile(`\b(serialize|json_encode|print_r|var_export)\([^=!]*[=!]==?\s*(?:serialize|json_encode|print_r|var_export)\(`),
	"Java":       regexp.MustCompile(`(\.toString|\.writeValueAsString|\.toJson|\.Serialize)\([^)]*\)\.[eE]quals\(|(\.writeValueAsString|\.toJson|JsonSerializer\.Serialize|JsonConvert\.SerializeObject)\([^=!]*[=!]=\s*[\w.]*(?:writeValueAsString|toJson|Serialize\w*)\(`),
	"Go":         regexp.MustCompile(`\b(fmt\.Sprint\w*)\([^=!]*[=!]=\s*fmt\.Sprint\w*\(`),
	"Rust":       regexp.MustCompile(`\b(format!|serde_json::to_string|to_string)\([^=!]*[=!]=.*(?:format!|to_string)\(`),
}

// comparisons gives them, the dearest first.
//
// Example. if (JSON.stringify(a) === JSON.stringify(b)) for each contact.
func (r *reader) comparisons() []comparedByText {
	known := map[profile.Line]*comparedByText{}
	for _, h := range r.hottest {
		f := r.file(h.line.Function)
		if f == nil || !h.calls || textComparisons[f.Language()] == nil {
			continue
		}
		line := int(h.line.Line)
		if f.Language() == "JavaScript" && r.runs(h, stringifies.MatchString) {
			line = onlyLine(f, func(code string) bool { return strings.Contains(code, "JSON.stringify(") }, line)
		}
		statement, _ := f.Statement(line)
		m := textComparisons[f.Language()].FindStringSubmatch(statement)
		if m == nil {
			continue
		}
		gather(known, lineOf(h.line.Function, line).line, comparedByText{how: cmp.Or(m[1], m[len(m)-1])}, h.rows)
	}
	return enough(r, known)
}

// stringifies is V8's function, below code of which a recording knows no line.
var stringifies = regexp.MustCompile(`(?i)^stringify$|JsonStringif`)

// onlyLine is the one line of a file that is of a kind, else another: where there is none, or are
// several.
func onlyLine(f *text.File, is func(code string) bool, other int) int {
	found := 0
	for n := 1; n <= f.Len(); n++ {
		if is(f.Code(n)) {
			if found > 0 {
				return other
			}
			found = n
		}
	}
	return cmp.Or(found, other)
}

// comparesLess is how a language compares parts.
var comparesLess = map[string]string{
	"JavaScript": "a.id === b.id && a.name === b.name …, or fast-deep-equal (util.isDeepStrictEqual is slower, but allocates no text)",
	"Python":     "a == b: dicts, lists, tuples and dataclasses compare their parts, and end at the first that differs",
	"Ruby":       "a == b: hashes, arrays and Structs compare their parts",
	"PHP":        "$a == $b compares arrays and objects of one class by their parts, === arrays in their order too",
	"Java":       "equals of records, or Objects.equals for each field",
	"Go":         "a == b for structs of comparable fields; slices.Equal, maps.Equal for others",
	"Rust":       "#[derive(PartialEq)] and a == b",
}

func (r *reader) comparedFinding(s judge.Subject, x comparedByText) judge.Found {
	place := ownline.Place(r.p, x.line)
	f := r.suspected(s, RuleCompared, place, x.rows, saving{share: x.share, least: 0.4, likely: 0.85, why: "writes both; a comparison of the parts ends at the first that differs"}, x.how)
	f.Title = fmt.Sprintf("Objects compared by way of text; compare their parts (%s)", at(place.File, place.Line))
	f.Fix.Steps = []string{
		comparesLess[r.file(x.line.Function).Language()],
		"Of objects that are compared often: a version that each change counts up, or a hash that is kept",
	}
	f.Fix.Caveats = []string{"The text may leave out parts, or depend on the order of keys: say which parts count"}
	f.Evidence = []finding.Evidence{
		r.quoted(place),
		{Kind: "repetition", Share: &x.share, Text: x.how + " visits all of both objects and allocates a text for each, also where the first part differs"},
	}
	return f
}
