package catalog

import (
	"strings"
	"testing"
	"testing/fstest"
)

// good is the smallest entry that passes every check.
const good = `id: my-rule
title: My rule
type: antipattern
ecosystem: native
family: hashing
why: because
match:
  any:
    - name: ['^slow$']
  measure: inclusive
  min_share: 0.05
  place: program
swap:
  kind: code
  steps: [do less]
reduction: {low: 0, high: 0.5, basis: a guess}
tests:
  - {name: a, profile: "app;slow 10", expect: found}
  - {name: b, profile: "app;fast 10", expect: silent}
`

func load(t *testing.T, text string) (*Catalog, error) {
	t.Helper()
	c := &Catalog{
		Families: []Family{{Name: "hashing"}},
		Runtimes: []Runtime{{Name: "go"}},
	}
	return c.With(fstest.MapFS{"dir/x.yaml": {Data: []byte(text)}}, "dir")
}

func TestGoodEntryLoads(t *testing.T) {
	c, err := load(t, good)
	if err != nil {
		t.Fatal(err)
	}
	e, ok := c.Entry("my-rule")
	if !ok || e.Match.MinShare != 0.05 || !e.Match.Any[0].Name[0].MatchString("slow") {
		t.Errorf("got %+v, %v", e, ok)
	}
	if e.File != "dir/x.yaml" {
		t.Errorf("File = %q", e.File)
	}
}

func TestErrorsNameFileAndLine(t *testing.T) {
	tests := []struct{ name, old, new, want string }{
		{"unknown key", "why: because", "whi: because", `dir/x.yaml:6: unknown field "whi"`},
		{"bad pattern", "'^slow$'", "'^slow($'", "dir/x.yaml:9: pattern"},
		{"empty pattern", "'^slow$'", "''", "dir/x.yaml:9: empty pattern"},
		{"look-around", "'^slow$'", "'^(?=slow)'", "dir/x.yaml:9: pattern"},
		{"duplicate key", "why: because", "why: because\nwhy: so", "dir/x.yaml:7: "},
		{"no why", "why: because\n", "", "why is missing"},
		{"id form", "id: my-rule", "id: My Rule", "dir/x.yaml:1: id"},
		{"type", "type: antipattern", "type: bug", "dir/x.yaml:3: "},
		{"family", "family: hashing", "family: nonsense", "dir/x.yaml:5: "},
		{"measure", "measure: inclusive", "measure: total", "dir/x.yaml:10: "},
		{"share in per cent", "min_share: 0.05", "min_share: 5", "dir/x.yaml:11: "},
		{"share is text", "min_share: 0.05", "min_share: much", "dir/x.yaml:11: "},
		{"place", "place: program", "place: here", "dir/x.yaml:12: "},
		{"swap kind", "kind: code", "kind: magic", "dir/x.yaml:14: "},
		{"reduction", "{low: 0, high: 0.5,", "{low: 0.9, high: 0.5,", "dir/x.yaml:16: "},
		{"no basis", ", basis: a guess", "", "basis is missing"},
		{"no silent test", "expect: silent", "expect: found", "dir/x.yaml:18: "},
		{"bad expectation", "expect: silent", "expect: nothing", "dir/x.yaml:19: "},
		{"kind of frame", "- name: ['^slow$']", "- {name: ['^slow$'], kind: [c]}", "dir/x.yaml:9: "},
		{"runtime", "measure: inclusive", "measure: inclusive\n  runtime: [cobol]", "dir/x.yaml:11: "},
		{"replacement without name", "type: antipattern", "type: replacement", "replace_with is missing"},
		{"number without a source", "tests:", "claims: [{text: twice the speed at 2x, source: me, evidence: recall}]\ntests:", "dir/x.yaml:17: a gain in numbers"},
		{"two documents", "why: because", "why: because\n---\nid: b", "dir/x.yaml"},
		{"not a mapping", good, "- a\n- b\n", "dir/x.yaml:1: "},
		{"empty file", good, "", "dir/x.yaml: empty file"},
		{"not YAML", good, "a: [1,\n", "dir/x.yaml"},
		{"condition asks nothing", "swap:", "confirm: [{of: program, text: x}]\nswap:", "dir/x.yaml:13: a condition must ask"},
		{"range without a source", "swap:", "confirm: [{of: program, static: true, min: '1', text: x}]\nswap:", "min and below need"},
		{"preload without candidates", "kind: code", "kind: preload", "a preload needs candidates"},
		{"env", "steps: [do less]", "steps: [do less]\n  env: [FOO]", "NAME=VALUE"},
	}
	for _, tt := range tests {
		text := strings.Replace(good, tt.old, tt.new, 1)
		if text == good {
			t.Fatalf("%s: the test changes nothing", tt.name)
		}
		_, err := load(t, text)
		if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: got %v, want %q", tt.name, err, tt.want)
		}
	}
}

func TestUserEntryReplacesBuiltin(t *testing.T) {
	c, err := Builtin()
	if err != nil {
		t.Fatal(err)
	}
	own := strings.Replace(good, "my-rule", "glibc-malloc", 1)
	c2, err := c.With(fstest.MapFS{"a.yml": {Data: []byte(own)}}, ".")
	if err != nil {
		t.Fatal(err)
	}
	if e, _ := c2.Entry("glibc-malloc"); e.Title != "My rule" {
		t.Errorf("the user's entry did not win: %q", e.Title)
	}
	if len(c2.Entries) != len(c.Entries) {
		t.Errorf("%d entries, want %d", len(c2.Entries), len(c.Entries))
	}
	if e, _ := c.Entry("glibc-malloc"); e.Title == "My rule" {
		t.Error("the first catalogue changed")
	}
}

func TestSameIDTwiceIsAnError(t *testing.T) {
	c := &Catalog{Families: []Family{{Name: "hashing"}}}
	_, err := c.With(fstest.MapFS{"a.yaml": {Data: []byte(good)}, "b.yaml": {Data: []byte(good)}}, "")
	if err == nil || !strings.Contains(err.Error(), `"my-rule" is taken by`) {
		t.Errorf("got %v", err)
	}
}

func TestEmptyDirectoryIsAnError(t *testing.T) {
	_, err := (&Catalog{}).With(fstest.MapFS{"readme.txt": {}}, ".")
	if err == nil || !strings.Contains(err.Error(), "no .yaml file") {
		t.Errorf("got %v", err)
	}
}

// The numbers that the project promises.
func TestBuiltinCoverage(t *testing.T) {
	c, err := Builtin()
	if err != nil {
		t.Fatal(err)
	}
	count := map[string]int{}
	native := 0
	for _, e := range c.Entries {
		if e.Type != Replacement {
			continue
		}
		switch e.Ecosystem {
		case "native", "cli":
			native++
		default:
			count[e.Ecosystem]++
		}
	}
	if native < 45 {
		t.Errorf("%d native replacements, 45 are promised", native)
	}
	others := 0
	for _, eco := range []string{"python", "go", "java", "node", "rust", "ruby", "php", "dotnet"} {
		if count[eco] == 0 {
			t.Errorf("no replacement for %s", eco)
		}
		others += count[eco]
	}
	if others < 25 {
		t.Errorf("%d replacements for runtimes, 25 are promised", others)
	}
}

func FuzzLoad(f *testing.F) {
	f.Add([]byte(good))
	f.Add([]byte("id: [\n"))
	f.Add([]byte("match: {any: [{name: ['(']}]}"))
	f.Fuzz(func(_ *testing.T, data []byte) {
		c := &Catalog{Families: []Family{{Name: "hashing"}}}
		_, _ = c.With(fstest.MapFS{"x.yaml": {Data: data}}, ".") // must not panic
	})
}
