package answerjson

import (
	"encoding/json"
	"strings"
	"testing"

	"whyhot/internal/host/version"
)

func TestStamped(t *testing.T) {
	for text, want := range map[string]string{
		`{"a":1}`:               `{"whyhot":"v1","a":1}`,
		`{}`:                    `{"whyhot":"v1"}`,
		`{"a":{"whyhot":2}}`:    `{"whyhot":"v1","a":{"whyhot":2}}`,
		`{"a":1,"whyhot":"v0"}`: `{"a":1,"whyhot":"v0"}`,
		`[{"a":1}]`:             `[{"a":1}]`,
		`null`:                  `null`,
	} {
		got, err := stamped([]byte(text), "v1")
		if string(got) != want || err != nil {
			t.Errorf("%s: %s, %v, want %s", text, got, err, want)
		}
	}
}

func TestWrite(t *testing.T) {
	var out strings.Builder
	if err := Write(&out, map[string]any{"name": "a<b>"}); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(out.String(), "  \"name\": \"a<b>\"\n") {
		t.Errorf("%s", out.String())
	}
	var back struct {
		Whyhot string `json:"whyhot"`
	}
	if err := json.Unmarshal([]byte(out.String()), &back); err != nil || back.Whyhot != version.String() {
		t.Errorf("%+v, %v", back, err)
	}
}
