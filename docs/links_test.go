package docs

import (
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"
)

// pages are what people read: all below docs/, the entry pages, the reports of
// the benchmarks and what stands beside code.
func pages(t *testing.T) []string {
	t.Helper()
	out := []string{"../README.md", "../CONTRIBUTING.md", "../analyzer/README.md"}
	err := filepath.WalkDir(".", func(path string, e os.DirEntry, err error) error {
		if err == nil && !e.IsDir() && filepath.Ext(path) == ".md" {
			out = append(out, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, pattern := range []string{"../bench/*.md", "../bench/*/*.md", "../internal/*/README.md", "../examples/*.md"} {
		more, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, more...)
	}
	return out
}

func read(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

var (
	fence   = regexp.MustCompile("(?ms)^```.*?^```[ \t]*$")
	inCode  = regexp.MustCompile("`[^`\n]*`")
	link    = regexp.MustCompile(`\]\(([^()\s]+)\)`)
	heading = regexp.MustCompile(`(?m)^#{1,6} +(.+?) *$`)
	anchor  = regexp.MustCompile(`<a (?:id|name)="([^"]+)">`)
	// What a page names by its path from the top of the tree.
	named = regexp.MustCompile("(?:^|[\\s`(])((?:internal|cmd|bench|scripts|deploy|catalog|analyzer|web|examples|docs|tools)/[A-Za-z0-9_./*-]+)")
)

// anchors are the fragments that lead into a page: those that GitHub gives to
// its headings, and those that it sets itself.
func anchors(text string) map[string]bool {
	out := map[string]bool{}
	for _, m := range anchor.FindAllStringSubmatch(text, -1) {
		out[m[1]] = true
	}
	for _, m := range heading.FindAllStringSubmatch(fence.ReplaceAllString(text, ""), -1) {
		title := link.ReplaceAllString(m[1], "")
		out[strings.Map(func(r rune) rune {
			switch {
			case r == ' ':
				return '-'
			case r == '-' || r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r):
				return unicode.ToLower(r)
			}
			return -1
		}, title)] = true
	}
	return out
}

// brokenLinks lists the targets of a page's links that are not there.
func brokenLinks(page, text string) []string {
	var out []string
	text = inCode.ReplaceAllString(fence.ReplaceAllString(text, ""), "")
	for _, m := range link.FindAllStringSubmatch(text, -1) {
		target, err := url.Parse(m[1])
		if err != nil {
			out = append(out, m[1])
			continue
		}
		if target.Scheme != "" {
			continue
		}
		file := page
		if target.Path != "" {
			file = filepath.Join(filepath.Dir(page), filepath.FromSlash(target.Path))
		}
		if _, err := os.Stat(file); err != nil {
			out = append(out, m[1])
			continue
		}
		if target.Fragment == "" || filepath.Ext(file) != ".md" {
			continue
		}
		other, err := os.ReadFile(file)
		if file == page {
			other, err = []byte(text), nil
		}
		if err != nil || !anchors(string(other))[target.Fragment] {
			out = append(out, m[1])
		}
	}
	return out
}

// foreign are paths that pages name in the trees of others.
var foreign = []string{
	"cmd/pprof",            // of Go
	"internal/reflectlite", // of Go
}

// placeholder is a part of a path that stands for a name of the reader's.
var placeholder = regexp.MustCompile(`\b(NAME|ID)\b|NAME_`)

// missingPaths lists the paths that a page names and that are neither below the
// top of the tree nor beside the page. Parts may be patterns.
func missingPaths(top, page, text string) []string {
	var out []string
	for _, m := range named.FindAllStringSubmatch(text, -1) {
		path := strings.TrimRight(m[1], ".-")
		if placeholder.MatchString(path) || strings.Contains(text, "New file `"+path+"`:") {
			continue // what a reader makes
		}
		there := slices.ContainsFunc([]string{top, filepath.Dir(page)}, func(dir string) bool {
			found, err := filepath.Glob(filepath.Join(dir, filepath.FromSlash(path)))
			return err == nil && len(found) > 0
		})
		if !there && !slices.Contains(foreign, path) {
			out = append(out, path)
		}
	}
	return out
}

func TestLinksLeadSomewhere(t *testing.T) {
	for _, page := range pages(t) {
		for _, target := range brokenLinks(page, read(t, page)) {
			t.Errorf("%s: nothing is at %s", page, target)
		}
	}
}

func TestNamedPathsExist(t *testing.T) {
	for _, page := range pages(t) {
		for _, path := range missingPaths("..", page, read(t, page)) {
			t.Errorf("%s: there is no %s", page, path)
		}
	}
}

func TestBrokenPagesAreFound(t *testing.T) {
	page := filepath.Join(t.TempDir(), "a.md")
	text := "# A heading, `code`\n[self](#a-heading-code) [web](https://example.org/x) `[no](link)`\n```\n[nor](this)\n```\n[gone](b.md) [no such heading](#b)\n"
	if got := strings.Join(brokenLinks(page, text+"\n"), " "); got != "b.md #b" && got != "#a-heading-code b.md #b" {
		t.Errorf("broken links: %s", got)
	}
	text = "`docs/links_test.go`, docs/*_test.go. internal/nowhere/x (docs/gone.md)\n"
	if got := strings.Join(missingPaths("..", page, text), " "); got != "internal/nowhere/x docs/gone.md" {
		t.Errorf("missing paths: %s", got)
	}
}
