package growth

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// A result is what the published schema says, which refuses what is left out, added or of
// another kind.
func TestResultIsThePublishedForm(t *testing.T) {
	schema, err := jsonschema.NewCompiler().Compile("../../../docs/grow.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	r := fitted(t,
		cost{0, 900, 2, []frame{own("main", 9), own("nearest", 30), {name: "memcpy", binary: "/usr/lib/libc.so.6"}}},
		cost{0, 300, 2, []frame{own("main", 9), own("nearest", 31), {name: "memcpy", binary: "/usr/lib/libc.so.6"}}},
		cost{0, 900, 1.5, []frame{own("main", 12), own("insert", 20)}},
	)
	if len(r.Functions) != 1 || len(r.Functions[0].Lines) == 0 || len(r.Notes) == 0 {
		t.Fatalf("not of every kind: %+v", r)
	}
	text, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	valid := func(text string) error {
		doc, err := jsonschema.UnmarshalJSON(strings.NewReader(text))
		if err != nil {
			t.Fatal(err)
		}
		return schema.Validate(doc)
	}
	if err := valid(string(text)); err != nil {
		t.Errorf("%v\n%s", err, text)
	}
	for _, change := range [][2]string{
		{`"version":1`, `"version":2`}, {`"at10x":`, `"at100x":`}, {`"kind":"copy"`, `"kind":"magic"`}, {`"function":"nearest"`, `"function":7`}, {`"functions":[`, `"function":[`},
	} {
		if wrong := bytes.Replace(text, []byte(change[0]), []byte(change[1]), 1); bytes.Equal(wrong, text) || valid(string(wrong)) == nil {
			t.Errorf("%s instead of %s is taken", change[1], change[0])
		}
	}
}
