// Package rulepage gives the page of a rule, in Markdown: what `whyhot rules show`
// prints and the web UI shows.
//
// It owns how an entry of the catalogue is put in words, and which page written by
// hand is about which rule. It takes a catalogue and the files of docs/rules, and
// gives text. It judges nothing, and never writes a file.
package rulepage

import (
	"fmt"
	"io/fs"
	"regexp"
	"slices"
	"strings"

	rulepages "whyhot/docs/rules"
	"whyhot/internal/explain/catalog"
)

// written is the page written by hand about a rule.
func written(rule string) (page string, ok bool, err error) {
	for _, p := range rulepages.Pages() {
		if slices.Contains(p.IDs, rule) {
			text, err := fs.ReadFile(rulepages.Files, p.File)
			if err != nil {
				return "", false, fmt.Errorf("the page of %s: %w", rule, err)
			}
			return string(text), true, nil
		}
	}
	return "", false, nil
}

// Of is the page of a rule: an entry of the catalogue, or one about source, machine code
// or remarks.
func Of(c *catalog.Catalog, rule string) (page string, ok bool, err error) {
	if e, ok := c.Entry(rule); ok {
		return ofEntry(e), true, nil
	}
	return written(rule)
}

// listFile is the list of the catalogue's entries in a folder of pages.
const listFile = "catalogue.md"

// All are the pages of all rules by file name, for a folder that links within itself:
// those written by hand, and of the catalogue a list and a page for each family.
func All(c *catalog.Catalog) (map[string]string, error) {
	pages := map[string]string{}
	files, err := fs.Glob(rulepages.Files, "*.md")
	if err != nil {
		return nil, fmt.Errorf("the rules' pages: %w", err)
	}
	for _, name := range files {
		text, err := fs.ReadFile(rulepages.Files, name)
		if err != nil {
			return nil, fmt.Errorf("the rules' pages: %w", err)
		}
		pages[name] = string(text)
	}
	var list strings.Builder
	fmt.Fprintf(&list, "# Catalogue\n\n%d entries. [All rules](README.md)\n", len(c.Entries))
	for _, f := range append(append([]catalog.Family(nil), c.Families...), catalog.Family{Name: catalog.NoFamily}) {
		var page strings.Builder
		file := slug(f.Name) + ".md"
		for i := range c.Entries {
			e := &c.Entries[i]
			if e.Family != f.Name {
				continue
			}
			if page.Len() == 0 {
				fmt.Fprintf(&page, "[All entries](%s)\n\n", listFile)
				fmt.Fprintf(&list, "\n## %s\n\n", f.Name)
			}
			fmt.Fprintf(&page, "<a id=%q></a>\n\n%s\n", e.ID, ofEntry(e))
			fmt.Fprintf(&list, "- [`%s`](%s#%s) (%s) %s\n", e.ID, file, e.ID, e.Ecosystem, e.Title)
		}
		if page.Len() == 0 {
			continue
		}
		if _, taken := pages[file]; taken {
			return nil, fmt.Errorf("the family %q: its page %s has the name of one written by hand", f.Name, file)
		}
		pages[file] = strings.TrimRight(page.String(), "\n") + "\n"
	}
	pages[listFile] = list.String()
	return pages, nil
}

var notWord = regexp.MustCompile(`[^a-z0-9]+`)

func slug(s string) string {
	return strings.Trim(notWord.ReplaceAllString(strings.ToLower(strings.ReplaceAll(s, "+", "p")), "-"), "-")
}
