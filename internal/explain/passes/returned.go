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

// member is what stands elsewhere in C++, and empty what is given where there is none.
const (
	member = `((?:\*\s*)?(?:this->)?[A-Za-z_]\w*(?:(?:\.|->)\w+|\[[^\]]*\])*)`
	empty  = `(?:[\w:]+(?:<[^;?]*>)?)?\s*(?:\(\s*\)|\{\s*\})`
)

// works is a line of C++ that does something else before it returns: a whole function in a line.
var works = regexp.MustCompile(`;.*\breturn\b`)

// gets are, by language, statements that give a copy of a member; the group is the member.
var gets = map[string]*regexp.Regexp{
	"C":          regexp.MustCompile(`\breturn\s+(?:[^;?]*\?\s*` + empty + `\s*:\s*)?` + member + `\s*;|\breturn\s+[^;?]*\?\s*` + member + `\s*:\s*` + empty + `\s*;`),
	"Rust":       regexp.MustCompile(`^[\s{]*(?:return\s+)?(self(?:\.\w+)+)\.(?:clone|to_vec|to_owned|to_string)\(\)[\s;}]*$`),
	"Java":       regexp.MustCompile(`\breturn\s+(?:new\s+\w+(?:<[^>]*>)?\(\s*((?:this\.)?\w+)\s*\)|(?:List|Set|Map)\.copyOf\(\s*((?:this\.)?\w+)\s*\)|((?:this\.)?\w+)\.(?:clone|toList|toMutableList|toSet|toMap|ToList|ToArray|ToDictionary)\(\))\s*;?`),
	"JavaScript": regexp.MustCompile(`\breturn\s+(?:\[\s*\.\.\.\s*(this\.[\w.#]+)\s*\]|\{\s*\.\.\.\s*(this\.[\w.#]+)\s*\}|(this\.[\w.#]+)\.slice\(\s*\)|structuredClone\(\s*(this\.[\w.#]+)\s*\)|Array\.from\(\s*(this\.[\w.#]+)\s*\)|Object\.assign\(\s*\{\s*\},\s*(this\.[\w.#]+)\s*\))\s*(?:[;}]|$)`),
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
		x.rows = joinRows(x.rows, joinRows(h.rows, r.freedBy(x.caller.Function, h.callee)))
	}
	return enough(r, byLine)
}

// freedBy are the rows in which the function that got a copy frees it: a destructor of what the
// constructor below the return has made.
//
// Example. const Plan plan = catalog.planFor(who); makes a Plan below planFor, and frees it where
// the caller's block ends.
func (r *reader) freedBy(caller, constructor profile.FunctionID) []int32 {
	owner, own := ownline.Parts(r.p.Function(constructor).Name)
	if owner == "" || owner != own {
		return nil
	}
	var rows []int32
	for _, h := range r.hottest {
		of, name := ownline.Parts(r.p.Function(h.callee).Name)
		if h.calls && h.line.Function == caller && of == owner && name == "~"+own {
			rows = joinRows(rows, h.rows)
		}
	}
	return rows
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
	if strings.HasSuffix(f.Path, ".c") || f.Language() == "C" && works.MatchString(statement) {
		return "", false // C copies bytes alone; of a line that does more, the rest may be what is hot
	}
	if in && f.Language() == "C" && isKeptElsewhere(f, fn, what) {
		return what, true
	}
	root := rootOf(strings.TrimPrefix(strings.TrimLeft(what, "* "), "this->"))
	if in && (slices.Contains(withoutReceiver(f, fn), root) || root != "this" && root != "self" && len(f.Assignments(root, fn.Range)) > 0 || f.Declares(root, text.Range{First: fn.First + 1, Last: line})) {
		return "", false
	}
	return what, true
}

// isKeptElsewhere says whether a name of a function's own only leads to what it gives: an iterator,
// a pointer, a reference. That is no local of which C++ would move the value.
//
// Example. auto it = plans_.find(name); return it->second;
func isKeptElsewhere(f *text.File, fn text.Function, what string) bool {
	root := rootOf(strings.TrimLeft(what, "* "))
	if root == "this" {
		return false
	}
	if strings.HasPrefix(what, "*") || strings.HasPrefix(strings.TrimPrefix(what, root), "->") {
		return true
	}
	reference := regexp.MustCompile(`[\w>]\s*&\s*` + regexp.QuoteMeta(root) + `\s*[=,);{]`)
	if slices.Contains(f.Parameters(fn), root) {
		return strings.HasPrefix(strings.TrimPrefix(what, root), ".") && reference.MatchString(f.ParameterList(fn)+")")
	}
	for n := fn.First; n <= fn.Last; n++ {
		if reference.MatchString(f.Code(n)) {
			return true
		}
	}
	return false
}

func (r *reader) returnedFinding(s judge.Subject, x returned) judge.Found {
	place := ownline.Place(r.p, x.line)
	f := r.suspected(s, RuleReturned, place, x.rows, saving{share: x.share, least: 0.5, likely: 0.95, why: "makes the copies"}, x.what)
	_, name := ownline.Parts(place.Function)
	f.Title = fmt.Sprintf("%s returns a copy of %s; return the original (%s)", name, x.what, at(place.File, place.Line))
	f.Fix.Steps = []string{givesItself[r.file(x.line.Function).Language()]}
	if statement, _ := r.file(x.line.Function).Statement(int(x.line.Line)); strings.Contains(statement, "?") {
		f.Fix.Steps = append(f.Fix.Steps, "Where there is none: a static const empty one, or a pointer that is null")
	}
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
