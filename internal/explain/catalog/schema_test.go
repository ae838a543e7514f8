package catalog

import (
	"io/fs"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
	"github.com/santhosh-tekuri/jsonschema/v6"

	builtin "whyhot/catalog"
	"whyhot/internal/host/yamldoc/schematest"
	"whyhot/internal/image/inventory"
)

const schemaFile = "../../../catalog/entry.schema.json"

func TestTheSchemaIsWhatIsRead(t *testing.T) {
	c, err := Builtin()
	if err != nil {
		t.Fatal(err)
	}
	s := schematest.Of(t, Entry{}, "An entry of whyhot's catalogue of rules", nil, Pattern{})
	schematest.Require(t, s, "", "id", "title", "type", "ecosystem", "family", "why", "match", "swap", "reduction", "tests")
	schematest.Require(t, s, "Match", "any", "measure", "min_share", "place")
	schematest.Require(t, s, "Swap", "kind", "steps")
	schematest.Require(t, s, "Reduction", "low", "high", "basis")
	schematest.Require(t, s, "Packages", "kind", "name")
	schematest.Enum(t, s, "Packages", "kind", inventory.Kinds...)
	schematest.Require(t, s, "Claim", "text", "source", "evidence")
	schematest.Require(t, s, "Test", "profile", "expect")
	schematest.Enum(t, s, "", "type", Replacement, Antipattern)
	schematest.Enum(t, s, "", "ecosystem", Ecosystems...)
	families := []string{NoFamily}
	for _, f := range c.Families {
		families = append(families, f.Name)
	}
	schematest.Enum(t, s, "", "family", families...)
	schematest.Enum(t, s, "Match", "measure", Inclusive, Exclusive)
	schematest.Enum(t, s, "Match", "place", PlaceProgram, PlaceLibrary, PlaceFunction, PlaceCaller)
	schematest.Enum(t, s, "Reduction", "change", Changes...)
	schematest.Enum(t, s, "Frame", "kind", Kinds...)
	schematest.Enum(t, s, "Swap", "kind", SwapKinds...)
	schematest.Enum(t, s, "Claim", "evidence", EvidenceRead, EvidencePart, EvidenceRecall)
	schematest.Enum(t, s, "Condition", "of", "library", "program")
	schematest.Enum(t, s, "Test", "expect", ExpectFound, ExpectConfirmed, ExpectSilent)
	runtimes := make([]string, 0, len(c.Runtimes))
	for _, r := range c.Runtimes {
		runtimes = append(runtimes, r.Name)
	}
	schematest.Enum(t, s, "Match", "runtime", runtimes...)
	schematest.Enum(t, s, "Unless", "runtime", runtimes...)
	schematest.Hold(t, s, schemaFile)
}

// What the reader takes the schema takes, and the other way round as far as a schema can
// say.
func TestTheSchemaHoldsOfAllEntries(t *testing.T) {
	schema, err := jsonschema.NewCompiler().Compile(schemaFile)
	if err != nil {
		t.Fatal(err)
	}
	validate := func(text string) error {
		var doc any
		if err := yaml.Unmarshal([]byte(text), &doc); err != nil {
			return err
		}
		return schema.Validate(doc)
	}
	files, err := entryFiles(builtin.Files, ".")
	if err != nil || len(files) < 100 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	for _, name := range files {
		if strings.HasPrefix(name, "tables/") {
			continue // they have a schema of their own
		}
		data, err := fs.ReadFile(builtin.Files, name)
		if err != nil {
			t.Fatal(err)
		}
		if err := validate(string(data)); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := validate(good); err != nil {
		t.Errorf("the smallest entry: %v", err)
	}
	for _, wrong := range [][2]string{
		{"why: because", "whi: because"}, {"place: program", "place: somewhere"}, {"min_share: 0.05", "min_share: a lot"},
		{"type: antipattern", "type: other"}, {"steps: [do less]", "steps: do less"}, {"title: My rule\n", ""}, {"expect: found", "expect: some"},
	} {
		text := strings.Replace(good, wrong[0], wrong[1], 1)
		if text == good {
			t.Fatalf("the entry has no %q", wrong[0])
		}
		if validate(text) == nil {
			t.Errorf("the schema takes %q", wrong[1])
		}
		if _, err := load(t, text); err == nil {
			t.Errorf("the reader takes %q", wrong[1])
		}
	}
}
