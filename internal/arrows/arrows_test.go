// Package arrows holds no code: its tests keep the imports between the rooms
// pointing one way, and the table of them in docs/arrows.md true. It imports
// nothing of ours.
package arrows

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write docs/arrows.md anew")

const (
	module = "whyhot/internal/"
	table  = "../../docs/arrows.md"
)

// wings are the folders of internal in the order in which data passes them. A
// package imports packages of its own wing and of those before it, never of one
// behind it.
var wings = []string{
	"host", "elfinfo", "image", "profile", "finding", "ingest", "symbol", "fetch", "collect", "explain", "grow", "trial", "check", "bisect", "report", "hunt", "store", "fleet", "server", "mcp", "lsp", "doctor",
}

// alone are pairs of neighbours on the way that have nothing to do with each
// other: what records never draws, what explains never reads foreign bytes.
var alone = map[string][]string{
	"collect": {"fetch"},
	"explain": {"collect", "fetch"},
	"report":  {"ingest", "symbol", "fetch", "collect", "elfinfo"},
	"store":   {"finding", "ingest", "fetch", "collect", "explain", "grow", "trial", "report"},
	"fleet":   {"report"},
	"server":  {"report", "collect"},
	"mcp":     {"report", "store", "fleet", "hunt"},
	"lsp":     {"report", "store", "fleet", "server", "hunt", "trial"},
}

// indoors are folders with one door: only the packages below the folder, and its
// root package, may import what lies inside.
var indoors = []string{"explain/source"}

type pkg struct {
	ImportPath string   `json:"ImportPath"`
	Doc        string   `json:"Doc"`
	Imports    []string `json:"Imports"`
}

// packages are ours, by import path.
func packages(t *testing.T) []pkg {
	t.Helper()
	list := exec.CommandContext(t.Context(), "go", "list", "-json=ImportPath,Doc,Imports", module+"...")
	list.Env = append(os.Environ(), "CGO_ENABLED=1") // what is built with cgo alone is here as well
	out, err := list.Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	var all []pkg
	for dec := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p pkg
		if err := dec.Decode(&p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		if p.ImportPath != module+"arrows" {
			all = append(all, p)
		}
	}
	if len(all) == 0 {
		t.Fatal("go list names no package")
	}
	return all
}

// ours are the rooms that a package imports, without the module's name.
func (p pkg) ours() []string {
	var out []string
	for _, i := range p.Imports {
		if room, ok := strings.CutPrefix(i, module); ok {
			out = append(out, room)
		}
	}
	return out
}

func (p pkg) room() string { return strings.TrimPrefix(p.ImportPath, module) }

func wing(room string) string {
	w, _, _ := strings.Cut(room, "/")
	return w
}

func TestImportsPointOneWay(t *testing.T) {
	for _, p := range packages(t) {
		from := slices.Index(wings, wing(p.room()))
		if from < 0 {
			t.Errorf("%s is in no wing: say in this test where it stands on the way", p.room())
			continue
		}
		for _, room := range p.ours() {
			to := slices.Index(wings, wing(room))
			if to > from {
				t.Errorf("%s imports %s, which stands behind it on the way", p.room(), room)
			}
			if slices.Contains(alone[wings[from]], wing(room)) {
				t.Errorf("%s imports %s: %s has nothing to do with %s", p.room(), room, wings[from], wing(room))
			}
		}
	}
}

func TestRoomsAreEnteredByTheirDoor(t *testing.T) {
	for _, p := range packages(t) {
		for _, room := range p.ours() {
			for _, house := range indoors {
				if strings.HasPrefix(room, house+"/") && p.room() != house && !strings.HasPrefix(p.room(), house+"/") {
					t.Errorf("%s imports %s: only %s is to be imported from outside", p.room(), room, house)
				}
			}
		}
	}
}

// Reading images needs as much code again as whyhot has: only the program that does it
// imports it, everybody else its question and answer.
func TestImagesStayInTheirProgram(t *testing.T) {
	for _, p := range packages(t) {
		for _, room := range p.ours() {
			if wing(room) == "image" && wing(p.room()) != "image" && room != "image/inventory" {
				t.Errorf("%s imports %s: whyhot would have all of it", p.room(), room)
			}
		}
	}
}

// The table is the exact list of arrows, so that a new one is seen in a review
// and one that nothing uses any more does not stay allowed.
func TestTableIsTrue(t *testing.T) {
	want := drawn(packages(t))
	if *update {
		if err := os.WriteFile(table, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	got, err := os.ReadFile(table)
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != want {
		t.Errorf("docs/arrows.md is not what the packages import.\nIf the new arrow is meant: go test ./internal/arrows -update, and look at the difference:\n%s", firstDifference(string(got), want))
	}
}

func drawn(all []pkg) string {
	var b strings.Builder
	b.WriteString("# Rooms and arrows\n\nGenerated by `go test ./internal/arrows -update`; do not edit. ")
	fmt.Fprintf(&b, "%d packages in %d wings, in the order in which data passes them. An arrow points at what a package imports; it never points at a wing further down.\n", len(all), len(wings))
	for _, w := range wings {
		fmt.Fprintf(&b, "\n## internal/%s\n\n| package | | imports |\n|---|---|---|\n", w)
		for _, p := range all {
			if wing(p.room()) == w {
				fmt.Fprintf(&b, "| `%s` | %s | %s |\n", p.room(), sentence(p), strings.Join(p.ours(), ", "))
			}
		}
	}
	return b.String()
}

// sentence is what a package's doc comment begins with, without its name.
func sentence(p pkg) string {
	_, text, _ := strings.Cut(p.Doc, " ") // "Package x …"
	_, text, _ = strings.Cut(text, " ")
	return strings.TrimSuffix(strings.ReplaceAll(text, "|", "\\|"), ".")
}

func firstDifference(got, want string) string {
	g, w := strings.Split(got, "\n"), strings.Split(want, "\n")
	for i := range w {
		if i >= len(g) || g[i] != w[i] {
			line := "(nothing)"
			if i < len(g) {
				line = g[i]
			}
			return "- " + line + "\n+ " + w[i]
		}
	}
	return "- " + g[len(w)]
}

func TestEveryPackageSaysWhatItIs(t *testing.T) {
	for _, p := range packages(t) {
		if sentence(p) == "" {
			t.Errorf("%s has no doc comment", p.room())
		}
	}
}

var named = regexp.MustCompile("`([a-z]+)\\.([A-Z][A-Za-z]*)(?:\\.([A-Z][A-Za-z]*))?[`(]")

// What the pages about the structure name does exist.
func TestPagesNameWhatExists(t *testing.T) {
	pages, err := filepath.Glob("../*/README.md")
	if err != nil || len(pages) != len(wings) {
		t.Errorf("%d wings have %d READMEs (%v)", len(wings), len(pages), err)
	}
	declared := map[string]bool{}
	for _, p := range packages(t) {
		files, err := filepath.Glob(filepath.Join("..", filepath.FromSlash(p.room()), "*.go"))
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range files {
			text, err := os.ReadFile(f)
			if err != nil {
				t.Fatal(err)
			}
			for _, m := range declaration.FindAllSubmatch(text, -1) {
				declared[path.Base(p.room())+"."+string(m[1])+string(m[2])] = true
			}
		}
	}
	found := 0
	for _, page := range append(pages, "../../docs/architecture.md") {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range named.FindAllSubmatch(text, -1) {
			found++
			name := string(m[1]) + "." + string(m[2])
			if last := string(m[3]); last != "" && !declared[string(m[1])+"."+last] || !declared[name] {
				t.Errorf("%s names %s, which no package declares", page, bytes.Trim(m[0], "`("))
			}
		}
	}
	if found < 2*len(wings) {
		t.Errorf("only %d names were found", found)
	}
}

// declaration is a function, a method or a type.
var declaration = regexp.MustCompile(`(?m)^(?:func (?:\([^)]*\) )?([A-Z]\w*)|type ([A-Z]\w*))`)
