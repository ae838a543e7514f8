package analyzer

import (
	"fmt"
	"path/filepath"
	"slices"
)

// Notes lists what had to be changed on the units' command lines, each change
// once, with the number of units it was made for.
func Notes(outcomes []Outcome) []string {
	var texts []string
	units := map[string][]string{}
	for _, o := range outcomes {
		for _, n := range slices.Concat(o.Unit.Notes, o.Reply.Notes) {
			if _, known := units[n]; !known {
				texts = append(texts, n)
			}
			units[n] = append(units[n], o.Unit.File)
		}
	}
	slices.Sort(texts)
	for i, n := range texts {
		if of := units[n]; len(of) == 1 {
			texts[i] = fmt.Sprintf("%s: %s", filepath.Base(of[0]), n)
		} else {
			texts[i] = fmt.Sprintf("%d units: %s", len(of), n)
		}
	}
	return texts
}
