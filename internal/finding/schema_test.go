package finding

import (
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

// A reader may refuse a field that the published schema does not have.
func TestEveryFieldIsInTheSchema(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("..", "..", "docs", "finding.schema.json"))
	if err != nil {
		t.Fatal(err)
	}
	type object struct {
		Properties map[string]json.RawMessage `json:"properties"`
	}
	var schema struct {
		object

		Defs map[string]object `json:"$defs"`
	}
	if err := json.Unmarshal(text, &schema); err != nil {
		t.Fatal(err)
	}
	for name, of := range map[string]any{"": Report{}, "finding": Finding{}, "unexplained": Unexplained{}, "hot_line": HotLine{}, "surprise": Surprise{}, "place": Place{}, "waits": Waits{}, "wait": Wait{}} {
		properties := schema.Properties
		if name != "" {
			properties = schema.Defs[name].Properties
		}
		if len(properties) == 0 {
			t.Errorf("the schema has no %q", name)
		}
		for field := range reflect.TypeOf(of).Fields() {
			key, _, _ := strings.Cut(field.Tag.Get("json"), ",")
			if _, is := properties[key]; !is && key != "-" && field.IsExported() && !field.Anonymous {
				t.Errorf("%q has no %q", name, key)
			}
		}
	}
}
