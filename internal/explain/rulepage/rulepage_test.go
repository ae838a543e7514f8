package rulepage

import (
	"path"
	"regexp"
	"strings"
	"testing"

	"whyhot/internal/explain/catalog"
)

func builtin(t *testing.T) *catalog.Catalog {
	t.Helper()
	c, err := catalog.Builtin()
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestTrialsAreOnThePage(t *testing.T) {
	share, reach := 0.8, 0.85
	c := &catalog.Catalog{Entries: []catalog.Entry{
		{ID: "glibc-malloc"},
		{ID: "python-json", Trials: []catalog.Trial{{Workload: "records", Baseline: "json", Variant: "orjson 3.13.0", Date: "2026-11-22", Ratio: 2.5, Low: 2.25, High: 2.75, Share: &share, Reach: &reach}}},
	}}
	page, ok, err := Of(c, "python-json")
	if err != nil || !ok {
		t.Fatal(ok, err)
	}
	for _, want := range []string{"## What we measured", "2.50× (2.25× to 2.75×): orjson 3.13.0 instead of json", "80%", "(2026-11-22)"} {
		if !strings.Contains(page, want) {
			t.Errorf("%q is not in\n%s", want, page)
		}
	}
	if page, _, _ := Of(c, "glibc-malloc"); strings.Contains(page, "measured") {
		t.Error("an entry without a trial says that something was measured")
	}
}

// Rules of each kind have a page; what is no rule has none.
func TestPagesOfRules(t *testing.T) {
	c := builtin(t)
	for rule, want := range map[string]string{
		"zlib-ng":                     "## When it is not reported",
		"column-walk":                 "**When not to change it.**",
		"alias-loop-condition-linear": "# alias-loop-condition,",
		"build-sanitizer":             "build-sanitizer",
		"missed-slp":                  "missed-slp",
		"jit-deoptimised":             "# jit-deoptimised: ",
		"machine-division":            "# machine-division: ",
	} {
		page, ok, err := Of(c, rule)
		if err != nil || !ok || !strings.Contains(page, want) {
			t.Errorf("%s: %v, %v, no %q in\n%s", rule, ok, err, want, page)
		}
	}
	if _, ok, err := Of(c, "README"); ok || err != nil {
		t.Errorf("README is a rule: %v, %v", ok, err)
	}
}

var (
	fence  = regexp.MustCompile("(?ms)^```.*?^```[ \t]*$|`[^`\n]*`")
	target = regexp.MustCompile(`\]\(([^()\s:]+\.md)(?:#([^()\s]+))?\)`)
)

// The folder has a page for every entry, and its pages link to one another.
func TestTheFolderLinksWithinItself(t *testing.T) {
	c := builtin(t)
	pages, err := All(c)
	if err != nil {
		t.Fatal(err)
	}
	list := pages[listFile]
	for i := range c.Entries {
		if !strings.Contains(list, "- [`"+c.Entries[i].ID+"`](") {
			t.Errorf("%s is not in the list", c.Entries[i].ID)
		}
	}
	for name, text := range pages {
		for _, m := range target.FindAllStringSubmatch(fence.ReplaceAllString(text, ""), -1) {
			if path.Dir(m[1]) != "." {
				continue // to the rest of the documentation
			}
			to, ok := pages[m[1]]
			if !ok {
				t.Errorf("%s: there is no page %s", name, m[1])
			} else if m[2] != "" && !strings.Contains(to, `<a id="`+m[2]+`">`) {
				t.Errorf("%s: %s has no entry %s", name, m[1], m[2])
			}
		}
	}
}

func TestAFamilyCannotTakeAPageWrittenByHand(t *testing.T) {
	c := &catalog.Catalog{Families: []catalog.Family{{Name: "vector bool"}}, Entries: []catalog.Entry{{ID: "a", Family: "vector bool"}}}
	if _, err := All(c); err == nil || !strings.Contains(err.Error(), "vector-bool.md") {
		t.Errorf("the page is written over: %v", err)
	}
}
