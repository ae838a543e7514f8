package explain

import (
	"slices"
	"strings"
	"testing"

	rulepages "whyhot/docs/rules"
	"whyhot/internal/explain/build"
	"whyhot/internal/explain/collision"
	"whyhot/internal/explain/growth"
	"whyhot/internal/explain/machine"
	"whyhot/internal/explain/merge"
	"whyhot/internal/explain/passes"
	"whyhot/internal/explain/remarks"
	"whyhot/internal/explain/repetition"
	"whyhot/internal/explain/source"
	"whyhot/internal/explain/statement"
	"whyhot/internal/explain/syscalls"
)

// The table of relatives names rules that there are: a misspelt one would never join.
func TestRelatedRulesExist(t *testing.T) {
	known := builtin(t)
	exists := func(id string) bool {
		_, entry := known.Catalog.Entry(id)
		return entry || machine.IsRule(id) || build.IsRule(id) || remarks.IsRule(id) || growth.IsRule(id) || syscalls.IsRule(id) || repetition.IsRule(id) || passes.IsRule(id) || collision.IsRule(id) || statement.IsRule(id) || slices.Contains(rulepages.IDs(), id)
	}
	for _, id := range merge.Rules() {
		if prefix, is := strings.CutSuffix(id, "-"); is {
			if source.StoreOf(prefix+"-char-write-01234567") == "" && !slices.ContainsFunc(rulepages.IDs(), func(r string) bool { return strings.HasPrefix(r, id) }) {
				t.Errorf("no rule begins with %s", id)
			}
			continue
		}
		if !exists(id) {
			t.Errorf("there is no rule %s", id)
		}
	}
}
