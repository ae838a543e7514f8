package analyzer

import (
	_ "embed"
	"fmt"
	"slices"
	"strings"
	"sync"
)

//go:embed rules.txt
var ruleList string

// Rules are the ids of all rules that the analyser reports, in the order of their names.
var Rules = sync.OnceValue(func() []string {
	var out []string
	for line := range strings.Lines(ruleList) {
		if id := strings.TrimSpace(line); id != "" && !strings.HasPrefix(id, "#") {
			out = append(out, id)
		}
	}
	slices.Sort(out)
	return out
})

// unknownRule is the first rule in a reply that is neither in the list nor one of the
// user's that the request asked for, "" for none. Nobody could say what such a match
// means, so a reply with one is an error.
func (r *Reply) unknownRule(req *Request) string {
	known := func(id string) bool {
		_, found := slices.BinarySearch(Rules(), id)
		return found || slices.ContainsFunc(req.UserRules, func(u UserRule) bool { return u.ID == id })
	}
	for i := range r.Matches {
		if !known(r.Matches[i].Rule) {
			return r.Matches[i].Rule
		}
	}
	if r.Machine == nil {
		return ""
	}
	for _, f := range r.Machine.Functions {
		for i := range f.Loops {
			for _, m := range f.Loops[i].Matches {
				if !known(m.Rule) {
					return m.Rule
				}
			}
		}
	}
	return ""
}

func unknownRuleError(id string) error {
	return fmt.Errorf("the analyser reports a rule %q that this whyhot does not know: they are of two versions, build both again (make build analyzer)", id)
}
