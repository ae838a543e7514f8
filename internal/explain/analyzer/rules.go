package analyzer

import (
	"fmt"
	"slices"

	rulepages "whyhot/docs/rules"
)

// unknownRule is the first rule in a reply that has no page in docs/rules and is none of the
// user's that the request asked for, "" for none. Nobody could say what such a match
// means, so a reply with one is an error.
func (r *Reply) unknownRule(req *Request) string {
	known := func(id string) bool {
		_, found := slices.BinarySearch(rulepages.IDs(), id)
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
