// Package prose holds no code: its test keeps phrases out of what people read that do not
// read as English (patterns.txt): README, guides, pages of rules, the API, the texts of
// commands, reports, findings, the server and the web UI, and the catalogue. Lines that have one already are listed in allowed.txt, which may only shrink.
//
//	go test ./tools/prose            fails on a phrase that is not listed, and on a line of
//	                                 the list that is gone
//	go test ./tools/prose -update    takes what is gone off the list; it adds nothing
package prose

import (
	"bytes"
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "take lines off allowed.txt that are gone")

const (
	root    = "../.."
	allowed = "allowed.txt"
)

// places are what is checked, by the form of its files.
var places = []struct {
	path, suffix string
	lines        func(t *testing.T, path string, data []byte) []string
}{
	{"README.md", ".md", plain},
	{"CONTRIBUTING.md", ".md", plain},
	{"docs/guide", ".md", plain},
	{"docs/rules", ".md", plain},
	{"docs/contribute", ".md", plain},
	{"docs/agents.md", ".md", plain},
	{"docs/api", ".yaml", yamlText},
	{"cmd", ".go", literals},
	{"internal", ".go", literals},
	{"web/src", ".tsx", script},
	{"web/src", ".ts", script},
	{"catalog", ".yaml", yamlText},
}

type pattern struct {
	re      *regexp.Regexp
	instead string
}

func patterns(t *testing.T) []pattern {
	t.Helper()
	data, err := os.ReadFile("patterns.txt")
	if err != nil {
		t.Fatal(err)
	}
	var out []pattern
	for line := range strings.Lines(string(data)) {
		text, instead, ok := strings.Cut(strings.TrimSpace(line), "  # ")
		if strings.HasPrefix(line, "#") || text == "" {
			continue
		}
		if !ok {
			t.Fatalf("patterns.txt: %q does not say what to write instead", text)
		}
		re, err := regexp.Compile(text)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, pattern{re, instead})
	}
	return out
}

// comment is a comment of TypeScript that ends its line. An address has no space before //.
var comment = regexp.MustCompile(`(^|\s)(//|/\*|\* ).*`)

// script are the lines of TypeScript without their comments.
func script(_ *testing.T, _ string, data []byte) []string {
	lines := plain(nil, "", data)
	for i, l := range lines {
		lines[i] = comment.ReplaceAllString(l, "")
	}
	return lines
}

func plain(_ *testing.T, _ string, data []byte) []string { return strings.Split(string(data), "\n") }

// literals are the string literals of Go source, which is where its texts are.
func literals(t *testing.T, path string, data []byte) []string {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), path, data, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	ast.Inspect(file, func(n ast.Node) bool {
		if lit, ok := n.(*ast.BasicLit); ok && lit.Kind == token.STRING {
			if text, err := strconv.Unquote(lit.Value); err == nil {
				out = append(out, strings.Split(text, "\n")...)
			}
		}
		return true
	})
	return out
}

// quoted are lines of the catalogue that have somebody else's words or a source.
var quoted = regexp.MustCompile(`^\s*(- )?(source|link|url|quote|claim|reported)s?:`)

func yamlText(_ *testing.T, _ string, data []byte) []string {
	lines := plain(nil, "", data)
	return slices.DeleteFunc(lines, func(l string) bool {
		return strings.HasPrefix(strings.TrimSpace(l), "#") || quoted.MatchString(l)
	})
}

// found are the lines with a phrase of the list, "FILE<tab>LINE", with what to write.
func found(t *testing.T) map[string]string {
	t.Helper()
	all, out := patterns(t), map[string]string{}
	for _, place := range places {
		err := filepath.WalkDir(filepath.Join(root, place.path), func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || !strings.HasSuffix(path, place.suffix) || strings.HasSuffix(path, "_test.go") {
				return err
			}
			data, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			name, err := filepath.Rel(root, path)
			if err != nil {
				return err
			}
			for _, line := range place.lines(t, path, data) {
				for _, p := range all {
					if titles := strings.HasPrefix(p.re.String(), "title:"); titles && place.suffix != ".yaml" {
						continue
					}
					if p.re.MatchString(line) {
						out[name+"\t"+strings.TrimSpace(line)] = p.instead
					}
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return out
}

func TestNoNewPhrases(t *testing.T) {
	data, err := os.ReadFile(allowed)
	if err != nil {
		t.Fatal(err)
	}
	known := map[string]bool{}
	for line := range strings.Lines(string(data)) {
		known[strings.TrimRight(line, "\n")] = true
	}
	now := found(t)
	for _, line := range slices.Sorted(maps.Keys(now)) {
		if !known[line] {
			t.Errorf("%s\n\twrite instead: %s", strings.Replace(line, "\t", ": ", 1), now[line])
		}
	}
	var left bytes.Buffer
	gone := 0
	for _, line := range slices.Sorted(maps.Keys(known)) {
		if _, there := now[line]; there {
			fmt.Fprintln(&left, line)
		} else {
			gone++
		}
	}
	switch {
	case gone == 0:
	case *update:
		if err := os.WriteFile(allowed, left.Bytes(), 0o600); err != nil {
			t.Fatal(err)
		}
	default:
		t.Errorf("%d lines of %s are gone: take them off with -update, so that they stay gone", gone, allowed)
	}
}

// The check finds what it is for, in each form, and nothing in plain English.
func TestWhatIsFound(t *testing.T) {
	all := patterns(t)
	hits := func(line string) bool {
		return slices.ContainsFunc(all, func(p pattern) bool { return p.re.MatchString(line) })
	}
	for _, line := range []string{"the list is written anew", "zstd in place of gzip", "3.5x as fast", "title: Time in malloc", "title: CSV is read by a slow parser"} {
		if !hits(line) {
			t.Errorf("not found: %s", line)
		}
	}
	for _, line := range []string{"the list is written again", "zstd instead of gzip", "3.5× as fast", "title: glibc malloc is hot; try mimalloc", "0x1f"} {
		if hits(line) {
			t.Errorf("found: %s", line)
		}
	}
	code := literals(t, "x.go", []byte("package x\n// anew\nvar a = \"again\\nanew\"\n"))
	if !slices.Equal(code, []string{"again", "anew"}) {
		t.Errorf("literals: %q", code)
	}
	if got := yamlText(t, "", []byte("# anew\ntitle: x\n  source: anew")); !slices.Equal(got, []string{"title: x"}) {
		t.Errorf("YAML: %q", got)
	}
}
