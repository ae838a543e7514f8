package catalog

import (
	"io/fs"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/goccy/go-yaml"
	"github.com/santhosh-tekuri/jsonschema/v6"

	builtin "whyhot/catalog"
	"whyhot/internal/host/yamldoc/schematest"
)

const goodTable = `ecosystem: python
kind: [python]
not_name: ['^<module>$']
min_share: 0.08
reduction: {change: replaced, low: 0.2, high: 0.9, basis: a guess}
rows:
  - id: one
    title: One
    why: because
    file: ['(^|/)one/']
    name: ['^slow$']
    packages: [one.py]
    replace_with: two
    steps: [use two]
    found: ['main (a.py:1);slow (one/x.py:1)']
    silent: ['main (a.py:1);quick (one/x.py:1)']
  - id: three
    title: Three
    family: hashing
    why: because
    also:
      - {name: ['^three$'], kind: [native], library: ['^three\.']}
      - {file: ['three\.py$']}
    min_share: 0.2
    steps: [call it once]
    reduction: {low: 0, high: 1, basis: another}
    found: ['main (a.py:1);f (three.py:1)']
    silent: ['main (a.py:1);g (four.py:1)']
`

func TestARowBecomesAnEntry(t *testing.T) {
	c, err := load(t, goodTable)
	if err != nil {
		t.Fatal(err)
	}
	one, _ := c.Entry("one")
	three, ok := c.Entry("three")
	if !ok || len(c.Entries) != 2 {
		t.Fatalf("%d entries", len(c.Entries))
	}
	if one.Type != Replacement || three.Type != Antipattern || one.Family != NoFamily || three.Family != "hashing" {
		t.Errorf("types %s, %s; families %s, %s", one.Type, three.Type, one.Family, three.Family)
	}
	f := one.Match.Any[0]
	if one.Match.MinShare != 0.08 || f.Kind[0] != "python" || !MatchAny(f.NotName, "<module>") || one.Match.Place != PlaceCaller || one.Swap.Kind != "code" {
		t.Errorf("what all rows have is missing: %+v", one)
	}
	if p := one.Packages[0]; p.Kind != "pypi" || !MatchAny(p.Name, "one.py") || MatchAny(p.Name, "onexpy") {
		t.Errorf("packages %+v", p)
	}
	native, py := three.Match.Any[0], three.Match.Any[1]
	if three.Match.MinShare != 0.2 || three.Reduction.Basis != "another" || native.Kind[0] != "native" || len(native.NotName) != 0 || py.Kind[0] != "python" {
		t.Errorf("what a row says itself counts: %+v", three)
	}
	if len(one.Tests) != 3 || one.Tests[0].Expect != ExpectFound || one.Tests[1].Expect != ExpectSilent || !strings.Contains(one.Tests[1].Profile, "main (a.py:1) 990") {
		t.Errorf("tests %+v", one.Tests)
	}
}

func TestMistakesInTablesNameTheLine(t *testing.T) {
	for _, tt := range []struct{ old, new, want string }{
		{"why: because\n    file", "whi: because\n    file", "dir/x.yaml:9: "},
		{"    why: because\n    also", "    also", "dir/x.yaml:"},
		{"family: hashing", "family: nonsense", "dir/x.yaml:19: row three: "},
		{"'^slow$'", "'^slow($'", "dir/x.yaml:11: pattern"},
		{"min_share: 0.2\n", "min_share: 20\n", "row three: min_share"},
		{"id: three", "id: one", `the id "one" is taken`},
		{goodTable[strings.Index(goodTable, "rows:"):], "rows: []\n", "a table without rows"},
		{"    found: ['main (a.py:1);f (three.py:1)']\n", "", "row three: at least one test"},
	} {
		text := strings.Replace(goodTable, tt.old, tt.new, 1)
		if text == goodTable {
			t.Fatalf("%s: the test changes nothing", tt.old)
		}
		if _, err := load(t, text); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: got %v, want %q", tt.new, err, tt.want)
		}
	}
}

func TestAnEntryTakesThePlaceOfARow(t *testing.T) {
	c, err := load(t, goodTable)
	if err != nil {
		t.Fatal(err)
	}
	c, err = c.With(fstest.MapFS{"a.yaml": {Data: []byte(strings.Replace(good, "my-rule", "one", 1))}}, ".")
	if err != nil {
		t.Fatal(err)
	}
	if e, _ := c.Entry("one"); e.Title != "My rule" || len(c.Entries) != 2 {
		t.Errorf("%q, %d entries", e.Title, len(c.Entries))
	}
}

const tableSchema = "../../../catalog/table.schema.json"

func TestTheSchemaOfTablesIsWhatIsRead(t *testing.T) {
	s := schematest.Of(t, Table{}, "A table of entries of whyhot's catalogue of rules", nil, Pattern{})
	schematest.Require(t, s, "", "ecosystem", "kind", "min_share", "reduction", "rows")
	schematest.Require(t, s, "Row", "id", "title", "why", "steps", "found", "silent")
	schematest.Enum(t, s, "", "ecosystem", Ecosystems...)
	schematest.Enum(t, s, "", "kind", Kinds...)
	schematest.Hold(t, s, tableSchema)
	schema, err := jsonschema.NewCompiler().Compile(tableSchema)
	if err != nil {
		t.Fatal(err)
	}
	files, err := fs.Glob(builtin.Files, "tables/*.yaml")
	if err != nil || len(files) == 0 {
		t.Fatalf("%d tables, %v", len(files), err)
	}
	for _, name := range files {
		data, err := fs.ReadFile(builtin.Files, name)
		if err != nil {
			t.Fatal(err)
		}
		var doc any
		if err := yaml.Unmarshal(data, &doc); err != nil {
			t.Fatal(err)
		}
		if err := schema.Validate(doc); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}
