package main

import (
	"slices"
	"strings"
	"testing"
)

var packages = []goPackage{
	{Dir: "cmd/app", ImportPath: "m/cmd/app", Imports: []string{"m/internal/b"}},
	{Dir: "internal/a", ImportPath: "m/internal/a"},
	{Dir: "internal/b", ImportPath: "m/internal/b", Imports: []string{"m/internal/a"}},
	{Dir: "internal/c", ImportPath: "m/internal/c", XTestImports: []string{"m/internal/a"}},
	{Dir: "internal/x/fix", ImportPath: "m/internal/x/fix", TestImports: []string{"testing"}},
	{Dir: "internal/astfinding", ImportPath: "m/internal/astfinding", TestImports: []string{"testing"}},
	{Dir: "internal/userrule", ImportPath: "m/internal/userrule", XTestImports: []string{"testing"}},
	{Dir: "internal/analyzer", ImportPath: "m/internal/analyzer", TestImports: []string{"testing"}},
	{Dir: "internal/trial/whatif", ImportPath: "m/internal/trial/whatif", TestImports: []string{"testing"}},
	{Dir: "bench/whatif", ImportPath: "m/bench/whatif"},
	{Dir: "web/build", ImportPath: "m/web/build"},
}

var sources = map[string]string{
	"analyzer/src/fix/hoist.cpp":      "#include \"fix/kinds.h\"\n",
	"analyzer/src/fix/uses.cpp":       "#include \"kinds.h\"\n",
	"analyzer/src/fix/kinds.h":        "",
	"analyzer/src/ast/report.cpp":     "#include \"ast/report.h\"\n",
	"analyzer/test/fix/hoist_a.cpp":   "// fix: hoist\r\n",
	"analyzer/test/fix/hoist_b.cpp":   "// fix: hoist\n",
	"analyzer/test/fix/flag.cpp":      "// fix: bit-field\n",
	"analyzer/test/ast/positive.cpp":  "",
	"analyzer/whatif/plugin.cpp":      "",
	"analyzer/fuzz/request.cpp":       "",
	"analyzer/src/frontend/unit.cpp":  "",
	"analyzer/src/protocol/other.cpp": "",
}

func TestTouched(t *testing.T) {
	const hoists = `fixture m/internal/x/fix TestCorpus/^(hoist_a\.cpp|hoist_b\.cpp)$`
	for _, c := range []struct {
		name  string
		files []string
		want  []string
	}{
		{"a package and who imports it, also in tests", []string{"internal/a/a.go"}, []string{"package m/internal/a", "importer m/internal/b", "importer m/internal/c"}},
		{"a test concerns nobody else", []string{"internal/a/a_test.go", "internal/a/testdata/x/y.json"}, []string{"package m/internal/a"}},
		{"touched comes before importer", []string{"internal/a/a.go", "internal/b/b.go"}, []string{
			"importer m/cmd/app", "package m/internal/a", "package m/internal/b", "importer m/internal/c",
		}},
		{"embedded", []string{"cmd/app/help/x.txt"}, []string{"package m/cmd/app"}},
		{"a kind of fix", []string{"analyzer/src/fix/hoist.cpp"}, []string{"c++ analyzer/src/fix/hoist.cpp", hoists}},
		{"a file of all kinds", []string{"analyzer/src/fix/uses.cpp"}, []string{"c++ analyzer/src/fix/uses.cpp", "fixture m/internal/x/fix ."}},
		{"a header", []string{"analyzer/src/fix/kinds.h"}, []string{
			"c++ analyzer/src/fix/hoist.cpp", "c++ analyzer/src/fix/uses.cpp", "fixture m/internal/x/fix .",
		}},
		{"a fixture and its diff", []string{"analyzer/test/fix/flag.cpp", "analyzer/test/fix/flag.cpp.diff"}, []string{`fixture m/internal/x/fix TestCorpus/^(flag\.cpp)$`}},
		{"all fixtures and some", []string{"analyzer/src/fix/hoist.cpp", "analyzer/src/fix/uses.cpp"}, []string{
			"c++ analyzer/src/fix/hoist.cpp", "c++ analyzer/src/fix/uses.cpp", "fixture m/internal/x/fix .",
		}},
		{"a fixture of a rule", []string{"analyzer/test/ast/positive.cpp"}, []string{"fixture m/internal/astfinding ."}},
		{"a deleted unit", []string{"analyzer/src/ast/gone.cpp"}, []string{"fixture m/internal/astfinding .", "fixture m/internal/userrule ."}},
		{"the package with tests, not its namesake", []string{"analyzer/whatif/plugin.cpp"}, []string{"c++ analyzer/whatif/plugin.cpp", "fixture m/internal/trial/whatif ."}},
		{"the page", []string{"web/src/main.ts", "web/test/unit/a.test.ts"}, []string{"package m/web/build", "page web/src/main.ts", "page web/test/unit/a.test.ts"}},
		{"what only everything covers", []string{"go.mod", "docs/x.md", "tools/other/go.mod"}, []string{"beyond go.mod", "beyond docs/x.md", "beyond tools/other/go.mod"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := touched(c.files, packages, sources)
			if err != nil || !slices.Equal(got, c.want) {
				t.Errorf("%v; have\n%s\nwant\n%s", err, strings.Join(got, "\n"), strings.Join(c.want, "\n"))
			}
		})
	}
}

// A package that tests fixtures and has moved must not be left out in silence.
func TestMovedHolder(t *testing.T) {
	if _, err := touched([]string{"analyzer/src/ast/report.cpp"}, packages[:3], sources); err == nil || !strings.Contains(err.Error(), "no package astfinding") {
		t.Error(err)
	}
}

// The tables above are those of the project as it is.
func TestProject(t *testing.T) {
	t.Chdir("../..")
	var parts strings.Builder
	for _, h := range holders {
		parts.WriteString(h.dir + "x.cpp\n")
	}
	for in, wanted := range map[string][]string{
		parts.String(): {"/astfinding .", "/userrule .", "/fix .", "/analyzer .", "/whatif ."},
		"web/src/main.ts\nanalyzer/src/fix/hoist.cpp\nanalyzer/src/fix/kinds.h\n": {
			"package whyhot/web/build", "c++ analyzer/src/fix/hoist.cpp", "c++ analyzer/src/fix/retype.cpp", "/fix .",
		},
		"analyzer/src/fix/hoist.cpp\n": {"|hoist_"},
	} {
		var out strings.Builder
		if err := run(strings.NewReader(in), &out); err != nil {
			t.Fatal(err)
		}
		for _, want := range wanted {
			if !strings.Contains(out.String(), want) {
				t.Errorf("no %q in\n%s", want, out.String())
			}
		}
	}
}
