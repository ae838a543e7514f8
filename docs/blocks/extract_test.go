// Package blocks has tests alone: they find the commands that README and the guides
// show, and want every block to say what is in it.
//
// A block of commands is fenced as sh, one that also shows what they print as console;
// there a command begins with "$ ". All of them are run, each page's in a sandbox, unless
// the fence says why not: `sh not run: needs a cluster`.
package blocks

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const top = "../.."

// command is one command line of a page, with the lines that a backslash joins to it.
type command struct {
	page string // from the top of the tree
	line int
	text string
	// notRun is why it is not run.
	notRun string
}

// pages are what is read, by their paths from the top of the tree.
func pages(t *testing.T) []string {
	t.Helper()
	var out []string
	for _, pattern := range []string{"README.md", "docs/agents.md", "docs/guide/*.md", "docs/guide/*/*.md"} {
		found, err := filepath.Glob(filepath.Join(top, pattern))
		if err != nil || len(found) == 0 {
			t.Fatalf("%s: %v, %d files", pattern, err, len(found))
		}
		for _, path := range found {
			name, err := filepath.Rel(top, path)
			if err != nil {
				t.Fatal(err)
			}
			out = append(out, filepath.ToSlash(name))
		}
	}
	return out
}

// commandsOf are the commands of a page. A block that does not say what is in it is an
// error: it would be left out unseen. So is a command that is indented instead of fenced.
func commandsOf(page, text string) ([]command, error) {
	var out []command
	inside, kind, why, joined := false, "", "", false
	for i, line := range strings.Split(text, "\n") {
		fence, isFence := strings.CutPrefix(line, "```")
		switch {
		case isFence && inside:
			inside, joined = false, false
		case isFence:
			var rest string
			inside, why = true, ""
			if kind, rest, _ = strings.Cut(fence, " "); kind == "" {
				return nil, fmt.Errorf("%s:%d: a block without a kind: sh, console, text, …", page, i+1)
			}
			if rest != "" {
				if why, _ = strings.CutPrefix(rest, "not run: "); why == rest || why == "" {
					return nil, fmt.Errorf("%s:%d: %q: only `not run: REASON` may follow the kind", page, i+1, rest)
				}
			}
		case !inside && strings.HasPrefix(line, "    whyhot "):
			return nil, fmt.Errorf("%s:%d: a command that no fence surrounds", page, i+1)
		case !inside || kind != "sh" && kind != "console":
		case joined:
			last := &out[len(out)-1]
			last.text += "\n" + line
			joined = strings.HasSuffix(line, `\`)
		default:
			typed, prompted := strings.CutPrefix(line, "$ ")
			if kind == "console" && !prompted || strings.TrimSpace(typed) == "" {
				continue
			}
			out = append(out, command{page, i + 1, typed, why})
			joined = strings.HasSuffix(line, `\`)
		}
	}
	return out, nil
}

func TestBlocksSayWhatTheyAre(t *testing.T) {
	found := 0
	for _, page := range pages(t) {
		text, err := os.ReadFile(filepath.Join(top, page))
		if err != nil {
			t.Fatal(err)
		}
		commands, err := commandsOf(page, string(text))
		if err != nil {
			t.Error(err)
		}
		found += len(commands)
	}
	if found < 100 {
		t.Errorf("only %d commands were found", found)
	}
}

func TestCommandsOf(t *testing.T) {
	got, err := commandsOf("a.md", "x\n```sh not run: a cluster\none \\\n  more\n\ntwo # said\n```\n```console\n$ three\nprinted\n```\n```yaml\nfour\n```\n")
	want := "[{a.md 3 one \\\n  more a cluster} {a.md 6 two # said a cluster} {a.md 9 three }]"
	if fmt.Sprint(got) != want || err != nil {
		t.Errorf("%v, %v, want %s", got, err, want)
	}
	for _, text := range []string{"```\nwhyhot\n```\n", "x:\n\n    whyhot top x\n", "```sh skipped\nx\n```\n", "```sh not run: \nx\n```\n"} {
		if _, err := commandsOf("a.md", text); err == nil {
			t.Errorf("%q is taken", text)
		}
	}
}
