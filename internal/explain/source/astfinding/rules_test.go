package astfinding

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"whyhot/internal/explain/analyzer"
)

// The analyser reports no rule that has no meaning here, and what is here it can report.
func TestTheAnalyserKnowsTheRules(t *testing.T) {
	listed := slices.DeleteFunc(slices.Clone(analyzer.Rules()), func(id string) bool { return strings.HasPrefix(id, "machine-") })
	if known := slices.Sorted(maps.Keys(rules)); !slices.Equal(listed, known) {
		t.Errorf("rules.txt has %q, this package %q", listed, known)
	}
}
