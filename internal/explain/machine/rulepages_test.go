package machine

import (
	"maps"
	"slices"
	"strings"
	"testing"

	rulepages "whyhot/docs/rules"
)

// Every rule has a page, to which its findings send their reader, and every page a rule: the
// analyser reports nothing that has no words here, since an id without a page does not compile.
func TestEveryRuleHasAPageAndEveryPageARule(t *testing.T) {
	pages := slices.DeleteFunc(slices.Clone(rulepages.IDs()), func(id string) bool { return !strings.HasPrefix(id, "machine-") })
	if known := slices.Sorted(maps.Keys(rules)); !slices.Equal(pages, known) {
		t.Errorf("docs/rules has %q, this package %q", pages, known)
	}
}
