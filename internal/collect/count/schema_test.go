package count

import (
	"bytes"
	"encoding/json"
	"testing"
	"time"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"whyhot/internal/profile"
)

func TestReportsFollowTheirSchema(t *testing.T) {
	schema, err := jsonschema.NewCompiler().Compile("../../../docs/count.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	for _, calls := range [][]profile.Calls{nil, {{Name: "openat", Count: 3, Paths: 2, Failed: 1}, {Name: "read", Count: 2, Bytes: 10}}} {
		text, err := json.Marshal((&Result{Calls: calls, Elapsed: time.Second, Full: true}).Report([]string{"./app"}))
		if err != nil {
			t.Fatal(err)
		}
		value, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
		if err == nil {
			err = schema.Validate(value)
		}
		if err != nil {
			t.Errorf("%s: %v", text, err)
		}
	}
}
