package machine

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

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
