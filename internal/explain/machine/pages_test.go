package machine

import (
	"os"
	"path/filepath"
	"regexp"
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
	source, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	named := map[string]bool{}
	for _, file := range source {
		text, err := os.ReadFile(file) //nolint:gosec // a file of this package
		if err != nil {
			t.Fatal(err)
		}
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		for _, m := range regexp.MustCompile(`"(machine-[a-z0-9-]+)"`).FindAllStringSubmatch(string(text), -1) {
			named[m[1]] = true
		}
	}
	for rule := range rules {
		if !named[rule] {
			t.Errorf("%s is a rule and is not looked for", rule)
		}
	}
	for rule := range named {
		text, err := os.ReadFile(filepath.Join(rulePages, rule+".md")) //nolint:gosec // a page of this project
		if err != nil || !strings.HasPrefix(string(text), "# ") {
			t.Errorf("%s has no page: %v", rule, err)
		}
		if !strings.Contains(string(index), rule) {
			t.Errorf("%s is not in machine-rules.md", rule)
		}
	}
}
