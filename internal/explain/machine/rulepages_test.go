package machine

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"whyhot/internal/explain/analyzer"
)

// The analyser reports no rule that has no meaning here, and what is here it can report; a
// load that waits is told by its samples alone.
func TestTheAnalyserKnowsTheRules(t *testing.T) {
	listed := slices.DeleteFunc(slices.Clone(analyzer.Rules()), func(id string) bool { return !strings.HasPrefix(id, "machine-") })
	known := slices.DeleteFunc(slices.Sorted(maps.Keys(rules)), func(id string) bool { return id == StallRule })
	if !slices.Equal(listed, known) {
		t.Errorf("rules.txt has %q, this package %q", listed, known)
	}
}

const rulePages = "../../../docs/rules"

// A finding sends its reader to the page of its rule.
func TestEveryRuleHasAPage(t *testing.T) {
	index, err := os.ReadFile(filepath.Join(rulePages, "machine-rules.md"))
	if err != nil {
		t.Fatal(err)
	}
	for rule := range rules {
		text, err := os.ReadFile(filepath.Join(rulePages, rule+".md")) //nolint:gosec // a page of this project
		if err != nil || !strings.HasPrefix(string(text), "# ") {
			t.Errorf("%s has no page: %v", rule, err)
		}
		if !strings.Contains(string(index), "["+rule+"]("+rule+".md)") {
			t.Errorf("%s is not in machine-rules.md", rule)
		}
	}
}
