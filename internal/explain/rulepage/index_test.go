package rulepage

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	rulepages "whyhot/docs/rules"
	"whyhot/internal/explain/passes"
)

var update = flag.Bool("update", false, "write the tables of rules into docs/rules")

// indexOf is the index that lists a rule, told by the rule's name.
func indexOf(id string) string {
	if passes.IsRule(id) {
		return "pass-rules.md"
	}
	for prefix, index := range map[string]string{
		"machine-": "machine-rules.md", "build-": "machine-rules.md",
		"growth-":    "growth-rules.md",
		"statement-": "statement-rules.md",
		"hash-":      "pass-rules.md",
		"calls-":     "call-rules.md", "made-": "call-rules.md", "same-": "call-rules.md", "slower-": "call-rules.md",
		"jit-": "remark-rules.md", "go-": "remark-rules.md", "missed-": "remark-rules.md",
	} {
		if strings.HasPrefix(id, prefix) {
			return index
		}
	}
	return "source-rules.md"
}

const tableHead = "| rule | what |\n|---|---|\n"

// The table of each index is what the pages' first lines say.
func TestTheTablesOfRulesAreCurrent(t *testing.T) {
	rows := map[string][]string{}
	for _, p := range rulepages.Pages() {
		index := indexOf(p.IDs[0])
		rows[index] = append(rows[index], fmt.Sprintf("| [%s](%s) | %s |\n", strings.Join(p.IDs, ", "), p.File, p.What))
	}
	for index, want := range rows {
		at := filepath.Join("../../../docs/rules", index)
		text, err := os.ReadFile(at) //nolint:gosec // a page of this project
		if err != nil {
			t.Fatal(err)
		}
		before, rest, ok := strings.Cut(string(text), tableHead)
		if !ok {
			t.Errorf("%s has no table that begins %q", index, tableHead)
			continue
		}
		end := 0
		for line := range strings.Lines(rest) {
			if !strings.HasPrefix(line, "|") {
				break
			}
			end += len(line)
		}
		current := before + tableHead + strings.Join(want, "") + rest[end:]
		switch {
		case current == string(text):
		case *update:
			if err := os.WriteFile(at, []byte(current), 0o600); err != nil {
				t.Fatal(err)
			}
		default:
			t.Errorf("%s is out of date: go test ./internal/explain/rulepage -run Tables -update", index)
		}
	}
}

// A rule has one page.
func TestNoRuleHasTwoPages(t *testing.T) {
	ids := rulepages.IDs()
	if len(ids) < 50 || len(slices.Compact(slices.Clone(ids))) != len(ids) {
		t.Errorf("a rule stands twice, or rules are missing: %q", ids)
	}
}
