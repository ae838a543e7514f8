// Package licences has a test alone: it holds the licence of every dependency, of all
// modules of Go here and of what the pages and the editor's extension are made of, against those that whyhot may be passed on
// with. It is a module of its own, since whyhot needs no reader of licences.
package licences

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/licensecheck"
)

const top = "../.."

// allowed are the licences that a dependency may have, by their SPDX names. Copyleft of
// single files (MPL) is among them, copyleft of whole programs is not.
var allowed = []string{
	"Apache-2.0", "MIT", "MIT-0", "BSD-2-Clause", "BSD-3-Clause", "BSD-2-Clause-Views", "ISC", "MPL-2.0", "0BSD",
	"Unlicense", "CC0-1.0", "BlueOak-1.0.0", "Python-2.0", "CC-BY-3.0", "CC-BY-4.0", "Zlib",
}

// tools are not passed on: of these programs, only output or a verdict is used.
var tools = map[string]string{
	"golangci": "a linter with its own licence (GPL-3.0); it is run, not linked",
}

// licenceFile is a file that says under which licence its directory is.
var licenceFile = regexp.MustCompile(`(?i)^(licen[cs]e|copying|unlicense)`)

func TestModulesOfGo(t *testing.T) {
	mods, err := filepath.Glob(filepath.Join(top, "tools", "*", "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	checked := 0
	for _, mod := range append(mods, filepath.Join(top, "go.mod")) {
		dir := filepath.Dir(mod)
		if tools[filepath.Base(dir)] != "" {
			continue
		}
		for _, pkg := range packagesOf(t, dir) {
			path, where, _ := strings.Cut(pkg, "\t")
			checked++
			if problem := judge(where); problem != "" {
				t.Errorf("%s (of %s): %s", path, dir, problem)
			}
		}
	}
	if checked < 100 {
		t.Errorf("only %d modules were checked", checked)
	}
}

// packagesOf lists the modules that packages and tests of a module here are made of, a
// line each: path, tab, directory.
func packagesOf(t *testing.T, dir string) []string {
	t.Helper()
	list := exec.CommandContext(t.Context(), "go", "list", "-deps", "-test", "-e", "-f", "{{with .Module}}{{if not .Main}}{{.Path}}\t{{.Dir}}{{end}}{{end}}", "./...")
	list.Dir, list.Stderr = dir, os.Stderr
	list.Env = append(os.Environ(), "CGO_ENABLED=1")
	out, err := list.Output()
	if err != nil {
		t.Fatalf("go list in %s: %v", dir, err)
	}
	lines := slices.DeleteFunc(strings.Split(string(out), "\n"), func(l string) bool {
		_, where, ok := strings.Cut(l, "\t")
		return !ok || where == "" || strings.HasPrefix(where, abs(t))
	})
	slices.Sort(lines)
	return slices.Compact(lines)
}

func abs(t *testing.T) string {
	t.Helper()
	path, err := filepath.Abs(top)
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// judge says what is wrong with the licences in a directory.
func judge(dir string) string {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err.Error()
	}
	var found []string
	for _, e := range entries {
		if e.IsDir() || !licenceFile.MatchString(e.Name()) {
			continue
		}
		text, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			return err.Error()
		}
		for _, m := range licensecheck.Scan(text).Match {
			if !m.IsURL {
				found = append(found, m.ID)
			}
		}
	}
	slices.Sort(found)
	found = slices.Compact(found)
	// One file may offer several licences, of which one may be chosen.
	if !slices.ContainsFunc(found, func(id string) bool { return slices.Contains(allowed, id) }) {
		return "no allowed licence; found " + strings.Join(found, ", ")
	}
	return ""
}

func TestPackagesOfNpm(t *testing.T) {
	for _, name := range []string{"web", "editors/vscode"} {
		text, err := os.ReadFile(filepath.Join(top, name, "package-lock.json"))
		if err != nil {
			t.Fatal(err)
		}
		var lock struct {
			Packages map[string]struct {
				License string `json:"license"`
				Link    bool   `json:"link"`
				Dev     bool   `json:"dev"` // needed to build and test alone
			} `json:"packages"`
		}
		if err := json.Unmarshal(text, &lock); err != nil {
			t.Fatal(err)
		}
		for path, p := range lock.Packages {
			if path != "" && !p.Link && !p.Dev && !permits(p.License) {
				t.Errorf("%s: %s is under %q", name, path, p.License)
			}
		}
	}
}

// permits judges an SPDX expression: of licences that "OR" joins one has to be allowed, of
// those that "AND" joins all.
func permits(expression string) bool {
	expression = strings.Trim(expression, "() ")
	for one := range strings.SplitSeq(expression, " OR ") {
		all := true
		for id := range strings.SplitSeq(one, " AND ") {
			all = all && slices.Contains(allowed, strings.Trim(id, "() "))
		}
		if all {
			return true
		}
	}
	return false
}

func TestPermits(t *testing.T) {
	for text, want := range map[string]bool{
		"MIT": true, "(MIT OR GPL-3.0)": true, "MIT AND GPL-3.0": false, "GPL-3.0": false, "": false, "(MIT AND ISC)": true,
	} {
		if permits(text) != want {
			t.Errorf("%q: %v", text, !want)
		}
	}
	dir := t.TempDir()
	if judge(dir) == "" {
		t.Error("a module without a licence is taken")
	}
}
