// Package rulepages holds the pages of the rules about source, machine code, growth,
// system calls and remarks, which are written by hand: a page for one rule or a few
// that are alike, and an index for each kind.
//
// It owns the files, and what the first line of a page says: the ids of its rules and
// what they find. These lines are the one list of rules: the analyser's build and the
// Go side both read it. internal/explain/rulepage finds the page of a rule.
package rulepages

import (
	"embed"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// Files are the pages.
//
//go:embed *.md
var Files embed.FS

// Page is what the first line of a page says: `# ID, ID: what they find`.
type Page struct {
	File string   // "machine-spill.md"
	IDs  []string // of its rules, in the order of the line
	What string   // Markdown, one line
}

// first is the first line of a rule's page. Other pages begin with a word in capitals.
// analyzer/CMakeLists.txt reads the same lines.
var first = regexp.MustCompile(`^# ([a-z0-9]+(?:-[a-z0-9]+)+(?:, [a-z0-9-]+)*): (.+)$`)

// Pages are the pages of rules, by file name.
var Pages = sync.OnceValue(func() []Page {
	names, err := Files.ReadDir(".")
	if err != nil {
		panic(err) // an embedded folder is always there
	}
	var out []Page
	for _, name := range names {
		text, err := Files.ReadFile(name.Name())
		if err != nil {
			panic(err)
		}
		line, _, _ := strings.Cut(string(text), "\n")
		if m := first.FindStringSubmatch(line); m != nil {
			out = append(out, Page{File: name.Name(), IDs: strings.Split(m[1], ", "), What: m[2]})
		}
	}
	return out
})

// IDs are the ids of all rules that have a page, sorted.
var IDs = sync.OnceValue(func() []string {
	var out []string
	for _, p := range Pages() {
		out = append(out, p.IDs...)
	}
	slices.Sort(out)
	return out
})
