package astfinding

import (
	"maps"
	"slices"
	"strings"
	"testing"

	rulepages "whyhot/docs/rules"
)

// Every rule has a page, and every page listed among those of the source a rule, here or
// of the counterfactual: the analyser reports nothing that has no words, since an id without a page does not compile.
func TestEveryRuleHasAPageAndEveryPageARule(t *testing.T) {
	index, err := rulepages.Files.ReadFile("source-rules.md")
	if err != nil {
		t.Fatal(err)
	}
	counterfactual := []string{"alias-char-write", "alias-pointer-store", "alias-size-store", "bitfield-store", "volatile-loop"}
	var pages []string
	for _, p := range rulepages.Pages() {
		if strings.Contains(string(index), "| ["+strings.Join(p.IDs, ", ")+"]("+p.File+")") {
			pages = append(pages, p.IDs...)
		}
	}
	pages = slices.DeleteFunc(pages, func(id string) bool { return slices.Contains(counterfactual, id) })
	slices.Sort(pages)
	if known := slices.Sorted(maps.Keys(rules)); !slices.Equal(pages, known) {
		t.Errorf("docs/rules has %q, this package %q", pages, known)
	}
}
