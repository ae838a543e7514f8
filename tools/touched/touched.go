package main

import (
	"cmp"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"
)

// What is not Go.
const (
	analyzerDir = "analyzer/"
	fixturesDir = "analyzer/test/"
	unitExt     = ".cpp"
	pageDir     = "web/"
	bundler     = "web/build" // its test compares the committed bundle with web/src
)

// touched says what the changed files touch, each thing once, packages first.
func touched(files []string, packages []goPackage, sources map[string]string) ([]string, error) {
	var goLines, others []string
	own, imported := map[string]bool{}, map[string]bool{}
	for _, file := range files {
		switch p := packageOf(file, packages); {
		case strings.HasPrefix(file, analyzerDir):
			lines, err := ofAnalyzer(file, packages, sources)
			if err != nil {
				return nil, err
			}
			others = append(others, lines...)
		case strings.HasPrefix(file, pageDir) && path.Ext(file) != ".go":
			others = append(others, "page "+file)
			if i := slices.IndexFunc(packages, func(p goPackage) bool { return p.Dir == bundler }); i >= 0 && strings.HasPrefix(file, "web/src/") {
				own[packages[i].ImportPath] = true
			}
		case p != nil:
			own[p.ImportPath] = true
			if !strings.HasSuffix(file, "_test.go") && !strings.Contains(file, "/testdata/") {
				imported[p.ImportPath] = true
			}
		default:
			others = append(others, "beyond "+file)
		}
	}
	for _, p := range packages {
		switch {
		case own[p.ImportPath]:
			goLines = append(goLines, "package "+p.ImportPath)
		case slices.ContainsFunc(slices.Concat(p.Imports, p.TestImports, p.XTestImports), func(i string) bool { return imported[i] }):
			goLines = append(goLines, "importer "+p.ImportPath)
		}
	}
	return unique(append(goLines, others...)), nil
}

// unique leaves each line once, and of a package's fixtures none but all of them
// where all are asked for.
func unique(lines []string) []string {
	var out []string
	for _, line := range lines {
		kind, rest, _ := strings.Cut(line, " ")
		name, run, _ := strings.Cut(rest, " ")
		all := kind + " " + name + " " + allFixtures
		if !slices.Contains(out, line) && (run == "" || run == allFixtures || !slices.Contains(lines, all)) {
			out = append(out, line)
		}
	}
	return out
}

// allFixtures matches the name of every test.
const allFixtures = "."

// packageOf is the package of the nearest directory above: what lies below a
// package is its test data or embedded. A directory with a go.mod of its own has no
// package of this module above it but the root's, which has none.
func packageOf(file string, packages []goPackage) *goPackage {
	for dir := path.Dir(file); dir != "."; dir = path.Dir(dir) {
		for i := range packages {
			if packages[i].Dir == dir {
				return &packages[i]
			}
		}
	}
	return nil
}

// holders names by the end of their import path the packages whose tests hold a
// part of the analyser against its fixtures; what is in no part touches all.
var holders = []struct {
	dir      string
	packages []string
}{
	{"analyzer/src/ast/", []string{rules, userRule}},
	{"analyzer/test/ast/", []string{rules}},
	{"analyzer/src/fix/", []string{corpus}},
	{"analyzer/test/fix/", []string{corpus}},
	{"analyzer/src/ir/", []string{worlds, plugin}},
	{"analyzer/src/mca/", []string{worlds}},
	{"analyzer/test/ir/", []string{worlds}},
	{"analyzer/whatif/", []string{plugin}},
	{"analyzer/fuzz/", nil},
	{analyzerDir, []string{worlds, rules, corpus, userRule}},
}

// The packages that hold the analyser against its fixtures. The one test of corpus
// has a part for each fixture, which is built and run twice: only the touched ones
// are asked for.
const (
	corpus   = "fix"
	rules    = "astfinding"
	worlds   = "analyzer"
	plugin   = "whatif"
	userRule = "userrule"
)

func ofAnalyzer(file string, packages []goPackage, sources map[string]string) ([]string, error) {
	var out []string
	for _, unit := range units(file, sources) {
		out = append(out, "c++ "+unit)
	}
	for _, h := range holders {
		if !strings.HasPrefix(file, h.dir) {
			continue
		}
		for _, name := range h.packages {
			i := slices.IndexFunc(packages, func(p goPackage) bool {
				return path.Base(p.ImportPath) == name && len(p.TestImports)+len(p.XTestImports) > 0
			})
			if i < 0 {
				return nil, fmt.Errorf("no package %s, which tests %s: has it moved? (tools/touched)", name, h.dir)
			}
			run := allFixtures
			if name == corpus {
				run = fixtures(file, sources)
			}
			out = append(out, "fixture "+packages[i].ImportPath+" "+run)
		}
		break
	}
	return out, nil
}

var include = regexp.MustCompile(`(?m)^#include "([^"]+)"`)

// units are the files that clang-tidy is to read: the file, or those that include it.
func units(file string, sources map[string]string) []string {
	if _, there := sources[file]; !there || strings.HasPrefix(file, fixturesDir) {
		return nil
	}
	if path.Ext(file) == unitExt {
		return []string{file}
	}
	var out []string
	for unit, text := range sources {
		if path.Ext(unit) != unitExt {
			continue
		}
		for _, m := range include.FindAllStringSubmatch(text, -1) {
			if file == analyzerDir+"src/"+m[1] || file == path.Join(path.Dir(unit), m[1]) {
				out = append(out, unit)
				break
			}
		}
	}
	slices.Sort(out)
	return out
}

// fixtures is the regular expression of the tests in the corpus that a file
// concerns: the fixture itself, or those whose first line asks for the kind of fix
// that is in the file (hoist.cpp: "// fix: hoist"), or else all.
func fixtures(file string, sources map[string]string) string {
	var names []string
	name := strings.TrimSuffix(path.Base(file), ".diff")
	if strings.HasPrefix(file, fixturesDir) {
		names = []string{name}
	} else {
		kind := "// fix: " + strings.ReplaceAll(strings.TrimSuffix(name, path.Ext(name)), "_", "-")
		for source, text := range sources {
			if first, _, _ := strings.Cut(text, "\n"); strings.HasPrefix(source, fixturesDir+"fix/") && strings.TrimSpace(first) == kind {
				names = append(names, path.Base(source))
			}
		}
	}
	if len(names) == 0 {
		return allFixtures
	}
	slices.SortFunc(names, cmp.Compare[string])
	for i := range names {
		names[i] = regexp.QuoteMeta(names[i])
	}
	return "TestCorpus/^(" + strings.Join(names, "|") + ")$"
}
