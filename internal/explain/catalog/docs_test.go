package catalog

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write docs/rules anew")

const docsDir = "../../../docs/rules"

// docs/rules is generated: an index and a page per family.
func TestDocsAreUpToDate(t *testing.T) {
	c, err := Builtin()
	if err != nil {
		t.Fatal(err)
	}
	pages := docPages(c)
	if *update {
		for _, f := range generatedPages(t) {
			if err := os.Remove(f); err != nil {
				t.Fatal(err)
			}
		}
	}
	for name, text := range pages {
		file := filepath.Join(docsDir, name)
		if *update {
			if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
			continue
		}
		got, err := os.ReadFile(file)
		if err != nil || string(got) != text {
			t.Errorf("%s is out of date (%v): go test ./internal/explain/catalog -run Docs -update", file, err)
		}
	}
	if files := generatedPages(t); len(files) != len(pages) {
		t.Errorf("%d generated files in %s, %d are wanted", len(files), docsDir, len(pages))
	}
}

// generatedPages leaves out the pages of source rules, which are written by hand.
func generatedPages(t *testing.T) []string {
	t.Helper()
	files, err := filepath.Glob(docsDir + "/*.md")
	if err != nil {
		t.Fatal(err)
	}
	return slices.DeleteFunc(files, func(f string) bool {
		text, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		return !strings.Contains(string(text), "Generated from `catalog/`")
	})
}

var notWord = regexp.MustCompile(`[^a-z0-9]+`)

func slug(s string) string {
	return strings.Trim(notWord.ReplaceAllString(strings.ToLower(strings.ReplaceAll(s, "+", "p")), "-"), "-")
}

func docPages(c *Catalog) map[string]string {
	pages := map[string]string{}
	var index strings.Builder
	fmt.Fprintf(&index, "# Rules\n\nGenerated from `catalog/` by `go test ./internal/explain/catalog -run Docs -update`; do not edit.\n%d entries. [How to add one](../guide/rules.md).\n\nWhat `whyhot scan` finds in sources: [source rules](source-rules.md); `whyhot explain` in machine code and builds: [machine rules](machine-rules.md); `whyhot remarks` in what compilers said: [rules about remarks](remark-rules.md).\n",
		len(c.Entries))
	families := append(append([]Family(nil), c.Families...), Family{Name: NoFamily})
	for _, f := range families {
		var page strings.Builder
		for i := range c.Entries {
			e := &c.Entries[i]
			if e.Family != f.Name {
				continue
			}
			if page.Len() == 0 {
				fmt.Fprintf(&page, "Generated from `catalog/`; do not edit. [All rules](README.md)\n\n")
				fmt.Fprintf(&index, "\n## %s\n\n", f.Name)
			}
			fmt.Fprintf(&page, "<a id=%q></a>\n\n%s\n", e.ID, Page(e))
			fmt.Fprintf(&index, "- [`%s`](%s.md#%s) (%s) %s\n", e.ID, slug(f.Name), e.ID, e.Ecosystem, e.Title)
		}
		if page.Len() > 0 {
			pages[slug(f.Name)+".md"] = strings.TrimRight(page.String(), "\n") + "\n"
		}
	}
	pages["README.md"] = index.String()
	return pages
}
