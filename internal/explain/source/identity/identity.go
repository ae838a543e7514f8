// Package identity gives findings in source their ids.
//
// It owns what an id of such a finding is made of. It takes the analyser's answer
// for a unit and a place in it and gives an id that no other place of the build has,
// and that the place keeps while lines move. An id is made of one place alone: what else
// is found, or not found, must not change it.
package identity

import (
	"cmp"
	"slices"
	"strconv"

	"whyhot/internal/explain/analyzer"
	"whyhot/internal/finding"
)

// Of is the id of a rule's finding at a place, whose column the place does not have.
// Where no function of the source holds the place (a global's initialiser, the body
// of a file that is included in the middle), its line has to tell it.
func Of(o analyzer.Outcome, rule string, p finding.Place, column int) string {
	function, within, ok := o.Name(p.File, p.Line, column)
	if !ok {
		return finding.ID(rule, p, strconv.Itoa(p.Line), strconv.Itoa(column))
	}
	return finding.ID(rule, finding.Place{Function: function, File: p.File}, within)
}

// Separate gives findings that share an id ids of their own, the first by line keeping
// it: the two branches of an #if have the same name where units of one build take
// different ones.
func Separate(findings []finding.Finding) {
	byPlace := make([]*finding.Finding, len(findings))
	for i := range findings {
		byPlace[i] = &findings[i]
	}
	slices.SortStableFunc(byPlace, func(a, b *finding.Finding) int {
		return cmp.Or(cmp.Compare(a.Place.File, b.Place.File), cmp.Compare(a.Place.Line, b.Place.Line))
	})
	taken := map[string]bool{}
	for _, f := range byPlace {
		for n := 2; taken[f.ID]; n++ {
			f.ID = finding.ID(f.Rule, finding.Place{Function: f.ID}, strconv.Itoa(n))
		}
		taken[f.ID] = true
	}
}
