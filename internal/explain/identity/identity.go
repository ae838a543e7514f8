// Package identity gives findings in source their ids.
//
// It owns what an id of such a finding is made of. It takes the analyser's answer
// for a unit and a place in it and gives an id that no other place of the build has,
// and that the place keeps while lines move. An id is made of one place alone: what else
// is found, or not found, must not change it.
package identity

import (
	"whyhot/internal/explain/analyzer"
	"whyhot/internal/finding"
)

// Of is the id of a rule's finding at a place, whose column the place does not have.
// Where no function of the source holds the place (a global's initialiser, the body
// of a file that is included in the middle), the rule and the file are all that lines
// above it leave as they are: finding.Separate tells several there apart.
func Of(o analyzer.Outcome, rule string, p finding.Place, column int) string {
	function, within, ok := o.Name(p.File, p.Line, column)
	if !ok {
		return finding.ID(rule, p)
	}
	return finding.ID(rule, finding.Place{Function: function, File: p.File}, within)
}
