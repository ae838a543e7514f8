package passes

import (
	"regexp"
	"slices"
	"strings"

	"whyhot/internal/explain/text"
	"whyhot/internal/profile"
)

// further are names of calls that give something else each time, whatever their first word is.
var further = regexp.MustCompile(`(?i)^(f?read\w*|recv\w*|fetch\w*|f?get(c|s|char|line)\w*|f?scanf|strtok\w*|pop\w*|poll\w*|shift|take\w*|remove\w*|rand\w*|gen_?range|choices?|uniform|normal|gauss\w*|int(n|31n|63n)|integers|next\w*|query\w*|request\w*|input)$`)

// isOther says whether a call may give another value each time, by what it is called and what it
// is called on.
func isOther(c text.Call) bool {
	return effects[firstWord(c.Last())] && !wholes.MatchString(c.Last()) || further.MatchString(c.Last()) && !wholes.MatchString(c.Last()) ||
		chance.MatchString(c.Name) || goesOn.MatchString(strings.TrimLeft(c.On, "$@"))
}

// isMember says whether a name is a part of an object that the program goes on with.
func isMember(name string) bool {
	return strings.HasPrefix(name, "@") || strings.HasPrefix(name, "self.") || strings.HasPrefix(name, "this.") || strings.HasPrefix(name, "$this->")
}

// members are the parts of the object that a line of a method uses.
var members = regexp.MustCompile(`\b(?:self|this)(?:\.|->)\w+|\$this->\w+|(?:^|[^\w@])(@\w+)`)

// constant is a name that is written as one.
var constant = regexp.MustCompile(`^[$@%]?[A-Z][A-Z0-9_]*$`)

// readsState says whether a function of the program reads what is neither its own nor given to
// it, and is no constant: its result may be another after something was called.
func (r *reader) readsState(id profile.FunctionID) bool {
	f := r.file(id)
	if f == nil {
		return true
	}
	in, ok := r.definition(f, id)
	return !ok || r.readsStateText(f, in)
}

func (r *reader) readsStateText(f *text.File, in text.Function) bool {
	parameters := f.Parameters(in)
	_, header := f.Statement(in.First)
	for n := header.Last + 1; n <= in.Last; n++ {
		code := f.Code(n)
		if members.MatchString(code) {
			return true
		}
		for _, name := range text.Names(code) {
			if constant.MatchString(name) || slices.Contains(parameters, name) || f.Changes(name, in.Range, text.Range{}) {
				continue
			}
			if at := f.Assignments(name, text.Range{First: 1, Last: len(f.Lines)}); len(at) > 0 && !in.Has(at[0]) && !r.isStable(f, name) {
				return true
			}
		}
	}
	return false
}

// statementCall is a call as a whole statement, or of which only the success is asked.
var statementCall = regexp.MustCompile(`^\s*(?:await\s+)?(?:if\s*\(?\s*[!]?|unless\s+)?[\w$@]+(?:(?:\.|->|::)\w+)*[!?]?\s*\([^=]*\)\s*[;{)]*\s*$`)

// acts says whether a loop calls something for its effect: what an object is may be another
// afterwards.
func acts(f *text.File, l text.Loop, own text.Range) bool {
	return actsBut(f, l, own, func(string) bool { return false })
}

// actsBut is acts without lines that are no matter.
func actsBut(f *text.File, l text.Loop, own text.Range, isNoMatter func(code string) bool) bool {
	if f == nil {
		return true
	}
	_, header := f.Statement(l.First)
	for n := header.Last + 1; n <= l.Last; n++ {
		code := f.Code(n)
		if own.Has(n) || text.OnlyLogs(code) || isNoMatter(code) {
			continue
		}
		if statementCall.MatchString(code) {
			return true
		}
		for _, c := range f.Calls(code) {
			if (effects[firstWord(c.Last())] || stepping[firstWord(c.Last())]) && c.On != "" {
				return true
			}
		}
	}
	return false
}
