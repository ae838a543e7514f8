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

// RuleReturned is of functions that give a copy of what is kept.
const RuleReturned = "copy-returned"

// returned is a function that gives a copy of what is kept elsewhere, each time it is called.
type returned struct {
	spot

	what   string       // what is copied, as it is written
	caller profile.Line // the own line that calls it most, none where the stacks have none
}

// gets are, by language, statements that give a copy of a member; the group is the member.
var gets = map[string]*regexp.Regexp{
	"C":          regexp.MustCompile(`\breturn\s+((?:\*\s*)?(?:this->)?[A-Za-z_]\w*(?:(?:\.|->)\w+|\[[^\]]*\])*)\s*;`),
	"Rust":       regexp.MustCompile(`^[\s{]*(?:return\s+)?(self(?:\.\w+)+)\.(?:clone|to_vec|to_owned|to_string)\(\)[\s;}]*$`),
	"Java":       regexp.MustCompile(`\breturn\s+(?:new\s+\w+(?:<[^>]*>)?\(\s*((?:this\.)?\w+)\s*\)|(?:List|Set|Map)\.copyOf\(\s*((?:this\.)?\w+)\s*\)|((?:this\.)?\w+)\.(?:clone|toList|toMutableList|toSet|toMap|ToList|ToArray|ToDictionary)\(\))\s*;?`),
	"JavaScript": regexp.MustCompile(`\breturn\s+(?:\[\s*\.\.\.\s*(this\.[\w.#]+)\s*\]|\{\s*\.\.\.\s*(this\.[\w.#]+)\s*\}|(this\.[\w.#]+)\.slice\(\s*\)|structuredClone\(\s*(this\.[\w.#]+)\s*\)|Array\.from\(\s*(this\.[\w.#]+)\s*\)|Object\.assign\(\s*\{\s*\},\s*(this\.[\w.#]+)\s*\))`),
	"Python":     regexp.MustCompile(`\breturn\s+(?:(?:list|dict|set|copy\.copy|copy\.deepcopy|deepcopy)\(\s*(self\.[\w.]+)\s*\)|(self\.[\w.]+)\.copy\(\s*\)|(self\.[\w.]+)\[:\])\s*$`),
	"Ruby":       regexp.MustCompile(`^\s*(?:return\s+)?(@\w+)\.(?:dup|clone|deep_dup|to_a|to_h)\s*$`),
	"Go":         regexp.MustCompile(`\breturn\s+(?:(?:slices|maps)\.Clone\(\s*(\w+\.\w+)\s*\)|append\(\s*\[\][\w.*\[\]]+(?:\(nil\)|\{\}),\s*(\w+\.\w+)\.\.\.\s*\))`),
}

// returned gives them, the dearest first.
func (r *reader) returned() []returned {
	byLine := map[profile.Line]*returned{}
	for _, h := range r.hottest {
		f := r.file(h.line.Function)
		if f == nil || gets[f.Language()] == nil || f.Language() == "C" && !(h.calls && r.isCopying(h)) {
			continue
		}
		what, ok := copiedMember(f, int(h.line.Line))
		if !ok {
			continue
		}
		x := byLine[h.line]
		if x == nil {
			x = &returned{spot: spot{line: h.line}, what: what}
			x.caller, _ = h.caller()
			byLine[h.line] = x
		}
		x.rows = joinRows(x.rows, h.rows)
	}
	return enough(r, byLine)
}

// copiedMember is what a line gives a copy of: nothing of its function's own, which in C++ is
// moved, and no parameter.
//
// Example. std::vector<Shipment> all() const { return items_; }
func copiedMember(f *text.File, line int) (what string, ok bool) {
	statement, lines := f.Statement(line)
	m := gets[f.Language()].FindStringSubmatch(statement)
	if m == nil {
		return "", false
	}
	what = strings.Join(m[1:], "") // one of the forms has matched
	fn, in := f.Function(line)
	if !in && lines.First != line {
		return "", false
	}
	root := rootOf(strings.TrimPrefix(strings.TrimLeft(what, "* "), "this->"))
	if in && (slices.Contains(withoutReceiver(f, fn), root) || root != "this" && root != "self" && len(f.Assignments(root, fn.Range)) > 0 || f.Declares(root, text.Range{First: fn.First + 1, Last: line})) {
		return "", false
	}
	return what, true
}

func (r *reader) returnedFinding(s judge.Subject, x returned) judge.Found {
	place := ownline.Place(r.p, x.line)
	f := r.suspected(s, RuleReturned, place, x.rows, saving{share: x.share, least: 0.5, likely: 0.95, why: "makes the copies"}, x.what)
	f.Title = fmt.Sprintf("Each call gets a copy of %s; give it itself (%s)", x.what, at(place.File, place.Line))
	f.Fix.Steps = []string{givesItself[r.file(x.line.Function).Language()]}
	f.Fix.Caveats = []string{"Callers that change their copy need one still; and nobody may change or free it while they read"}
	why := "a copy of all of it is made below this line, each time it is asked for"
	if x.caller != (profile.Line{}) {
		by := ownline.Place(r.p, x.caller)
		why += ", most of it for " + at(by.File, by.Line)
	}
	f.Evidence = []finding.Evidence{r.quoted(place), {Kind: "repetition", Share: &x.share, Text: why}}
	return f
}

// givesItself is how a function gives what it keeps, by language.
var givesItself = map[string]string{
	"C":          "Return a const reference (const std::vector<T> &), a std::span or a std::string_view, and take it by const auto & in the caller",
	"Rust":       "Return a reference: &[T], &str or &T",
	"Java":       "Collections.unmodifiableList (…Map, …Set) gives a view without a copy; or keep an immutable collection, made once when it changes",
	"JavaScript": "Return the object itself, frozen if need be (Object.freeze), or an iterator",
	"Python":     "Return it itself, a tuple that is kept, types.MappingProxyType, or an iterator",
	"Ruby":       "Return it itself, frozen if need be, or each",
	"Go":         "Return the slice or map itself, or an iterator (iter.Seq)",
}
