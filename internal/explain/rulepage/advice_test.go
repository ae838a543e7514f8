package rulepage

import (
	"os"
	"regexp"
	"strings"
	"testing"
)

// Every name in the table of advice is an entry of the catalogue, or a rule that has a
// page; and every row says something.
func TestTableOfAdviceNamesWhatThereIs(t *testing.T) {
	c := builtin(t)
	text, err := os.ReadFile("../../../bench/catalog-reach.md")
	if err != nil {
		t.Fatal(err)
	}
	_, table, ok := strings.Cut(string(text), "\n| pattern | told by | as |\n|---|---|---|\n")
	if !ok {
		t.Fatal("the table of advice is not there")
	}
	table, _, _ = strings.Cut(table, "\n\n")
	rows := strings.Split(strings.TrimSpace(table), "\n")
	if len(rows) != 83 {
		t.Errorf("%d rows, the advice has 83 patterns", len(rows))
	}
	quoted := regexp.MustCompile("`([^`]+)`")
	for _, row := range rows {
		names := quoted.FindAllStringSubmatch(row, -1)
		if len(names) == 0 && !strings.Contains(row, "| not possible | ") {
			t.Errorf("nothing tells it: %s", row)
		}
		for _, n := range names {
			if _, known, err := Of(c, n[1]); err != nil || !known {
				t.Errorf("%s is no entry and no rule: %s", n[1], row)
			}
		}
	}
}
