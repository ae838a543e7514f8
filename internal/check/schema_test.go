package check

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"whyhot/internal/finding"
)

// A result is what the published schema says, which refuses what is left out, added or of
// another kind.
func TestResultIsThePublishedForm(t *testing.T) {
	schema, err := jsonschema.NewCompiler().Compile("../../docs/check.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	b := newBench(t)
	b.write("cost.in", "115\n")
	request := b.request()
	request.Repeat = []string{"whyhot", "check"}
	r, err := b.check(request)
	if err != nil || r.Verdict != Slower {
		t.Fatal(r.Says, err)
	}
	share := 0.1
	r.Functions = []Function{{Name: "f", File: "f.c", Line: 3, After: 0.1, Delta: 0.1, P: 0.001, Edited: true, Callers: []Frame{{Function: "main"}}}}
	r.Moved = []Function{{Name: "g", Why: "moved"}}
	r.Findings = []Finding{{Finding: finding.Finding{ID: "a-1", Evidence: []finding.Evidence{}, Share: finding.Share{Exclusive: &share}}, Production: &share, Hot: "hot"}}
	r.Bump = &Bump{Packages: []Package{{Name: "lib", From: "1", To: "2", File: "go.mod"}}, Says: "cold"}
	r.Proof = &Proof{Verdict: "proved", Ratio: &finding.Interval{Estimate: 1.3, Low: 1.2, High: 1.4}, Signer: "ab", Command: "./f", Says: "proved", Repeat: []string{"whyhot", "verify"}}
	r.Commands[0].Layouts = &finding.Interval{Estimate: 1.1, Low: 1.05, High: 1.2}
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
		{`"version":1`, `"version":2`}, {`"verdict":"slower"`, `"verdict":"slow"`}, {`"edited":true`, `"edited":"yes"`}, {`"noise":`, `"noises":`}, {`"limit":`, `"limits":`},
	} {
		if wrong := bytes.Replace(text, []byte(change[0]), []byte(change[1]), 1); bytes.Equal(wrong, text) || valid(string(wrong)) == nil {
			t.Errorf("%s instead of %s is taken", change[1], change[0])
		}
	}
}
