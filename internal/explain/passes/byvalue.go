package passes

import (
	"fmt"
	"slices"
	"strings"

	"whyhot/internal/explain/judge"
	"whyhot/internal/explain/ownline"
	"whyhot/internal/explain/text"
	"whyhot/internal/finding"
	"whyhot/internal/profile"
)

// RuleValue is of arguments that a function of C++ takes by value.
const RuleValue = "argument-copied"

// byValue is a call of C++ that copies an argument, because the function takes it by value.
type byValue struct {
	spot

	function, parameter string // the parameter as it is declared
	declared            int    // the line of the function
}

// byValues gives them, the dearest first.
//
// Example. double saving(std::vector<Stop> stops, size_t i), called for each pair of i and j.
func (r *reader) byValues() []byValue {
	known := map[profile.Line]*byValue{}
	for _, h := range r.hottest {
		f := r.file(h.line.Function)
		if f == nil || f.Language() != "C" || !h.calls {
			continue
		}
		owner, name := ownline.Parts(ownline.WithoutTypes(r.p.Function(h.callee).Name))
		class := strings.TrimPrefix(name, "~")
		if class == "" || owner != class || !r.isCopying(h) {
			continue // neither made nor taken away
		}
		statement, _ := f.Statement(int(h.line.Line))
		if x, ok := valueIn(f, statement, class); ok {
			gather(known, h.line, x, h.rows)
		}
	}
	return enough(r, known)
}

// valueIn is the parameter of a class that a call in a statement makes a copy for.
func valueIn(f *text.File, statement, class string) (x byValue, ok bool) {
	if class == "basic_string" {
		class = "string"
	}
	for _, c := range f.Calls(statement) {
		given := text.Arguments(c.Args)
		for _, d := range definitions(f, c.Last()) {
			_, list, has := strings.Cut(d.fn.Header, "(")
			inside, _ := text.Inside(list, 0)
			if !has {
				continue
			}
			for i, parameter := range text.Arguments(inside) {
				kind := strings.TrimSpace(parameter)
				if strings.ContainsAny(kind, "&*") || !slices.Contains(anyName.FindAllString(kind, -1), class) || i >= len(given) || strings.Contains(given[i], "move(") || !strings.Contains(kind, " ") {
					continue
				}
				if len(text.Names(given[i])) == 0 || isMade(f, given[i], class) {
					continue // what is made for the call is handed over
				}
				return byValue{function: c.Last(), parameter: kind, declared: d.fn.First}, true
			}
		}
	}
	return x, false
}

// isMade says whether an argument is an object that is made in the call. What another function
// makes and returns is made below that function; of one that returns a reference, the copy is
// made here.
//
// Example. Of price(curves.at(key)) the copy is of what at gave; price(Curve(points)) copies nothing.
func isMade(f *text.File, argument, class string) bool {
	calls := f.Calls(argument)
	return strings.HasSuffix(strings.TrimSpace(argument), ")") && (len(calls) == 0 || slices.ContainsFunc(calls, func(c text.Call) bool { return c.Last() == class }))
}

func (r *reader) byValueFinding(s judge.Subject, x byValue) judge.Found {
	place := ownline.Place(r.p, x.line)
	f := r.suspected(s, RuleValue, place, x.rows, saving{share: x.share, least: 0.6, likely: 0.95, why: "makes and frees the copy"}, x.parameter)
	f.Title = fmt.Sprintf("Each call of %s copies an argument; pass a reference (%s)", x.function, at(place.File, place.Line))
	kind, name := x.parameter, ""
	if cut := strings.LastIndexAny(kind, " >"); cut >= 0 {
		kind, name = strings.TrimSpace(strings.TrimPrefix(kind[:cut+1], "const ")), strings.TrimSpace(kind[cut+1:])
	}
	f.Fix.Steps = []string{
		fmt.Sprintf("const %s &%s, where %s only reads it", kind, name, x.function),
		"Where it keeps it: std::move at the call, if the caller does not need it any more",
	}
	f.Evidence = []finding.Evidence{
		r.quoted(place),
		{Kind: "repetition", Share: &x.share, Text: fmt.Sprintf("%s takes %s by value (%s): a copy is made and freed for each call in this line", x.function, x.parameter, at(place.File, x.declared))},
	}
	return f
}
