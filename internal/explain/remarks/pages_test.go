package remarks

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

const (
	rulePages = "../../../docs/rules"
	ruleIndex = rulePages + "/remark-rules.md"
)

var (
	indexRow = regexp.MustCompile(`(?m)^\| \[([a-z, -]+)\]\(([a-z-]+\.md)\) \|`)
	// paragraphs that a rule's own page has to have, each with some words.
	paragraphs = []string{"What", "Why it is slow", "What to change", "When not to change it", "How it is confirmed", "Tried", "Sources"}
)

// pagesOf are the pages by rule that an index's table has: "a-x, -y" names a-x and a-y.
func pagesOf(t *testing.T, index string) map[string]string {
	t.Helper()
	text, err := os.ReadFile(index)
	if err != nil {
		t.Fatal(err)
	}
	pages := map[string]string{}
	for _, row := range indexRow.FindAllStringSubmatch(string(text), -1) {
		family := ""
		for name := range strings.SplitSeq(row[1], ", ") {
			if strings.HasPrefix(name, "-") {
				name = family + name
			} else {
				family, _, _ = strings.Cut(name, "-")
			}
			pages[name] = row[2]
		}
	}
	return pages
}

// Every rule of this package is in the index, with a page that is about it; and the index
// names no other.
func TestEveryRuleHasAPage(t *testing.T) {
	pages := pagesOf(t, ruleIndex)
	for _, rule := range rules {
		page, ok := pages[rule]
		if !ok {
			t.Errorf("%s is not in %s", rule, ruleIndex)
			continue
		}
		text, err := os.ReadFile(filepath.Join(rulePages, page))
		switch {
		case err != nil:
			t.Errorf("%s: %v", rule, err)
		case !strings.Contains(string(text), rule):
			t.Errorf("%s says nothing of %s", page, rule)
		case page == rule+".md":
			for _, p := range paragraphs {
				if !regexp.MustCompile(`(?m)^\*\*` + p + `\.\*\* \S`).Match(text) {
					t.Errorf("%s: no paragraph %q", page, p)
				}
			}
		}
	}
	for rule := range pages {
		if !IsRule(rule) {
			t.Errorf("%s names %s, which is no rule", ruleIndex, rule)
		}
	}
}
