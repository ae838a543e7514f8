package hunt

import (
	"bytes"
	"encoding/json"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"whyhot/internal/finding"
	"whyhot/internal/hunt/candidate"
	"whyhot/internal/trial"
)

// What a hunt of every kind of end writes is what the published schema says, and the
// schema is no blank: it refuses what is left out, added or of another kind.
func TestResultIsThePublishedForm(t *testing.T) {
	schema, err := jsonschema.NewCompiler().Compile("../../docs/hunt.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	f := &fake{
		rng: rand.New(rand.NewPCG(1, 1)), noise: 0.01,
		gains:  map[string]float64{"A=1": 1.3, "B=1": 1.1, "D=1": 0.8, "what-if x": 1.2, "A=1+B=1": 1.3},
		broken: map[string]finding.Verdict{"E=1": finding.Different},
	}
	edit := candidate.Candidate{Name: "what-if x", Kind: candidate.WhatIf, WhatIf: "x", Builds: 3, How: "edit x", Caveats: []string{"a"}, Findings: []string{"x"}}
	slow := candidate.Candidate{Name: "pgo", Kind: candidate.PGO, Variant: "pgo", Builds: 1e6}
	h := hunted(t, f, t.TempDir(), setting("A=1", ""), setting("B=1", ""), setting("D=1", ""), setting("E=1", ""), edit, slow)
	h.state.Untried = []Untried{{Name: "a deque", Why: "no program can make this change by itself", Finding: "deque-1"}}
	h.state.Findings = []Finding{{ID: "x", Title: "a loop"}}
	h.state.Build, h.subject.Metric = time.Second, trial.CPU
	known := h.now()
	h.state.Known = map[string]Verdict{"D=1": {Name: "D=1", Kind: candidate.Environment, Verdict: finding.Slower, Known: &known}}
	r := do(t, h)
	if len(r.Proved) < 2 || len(r.Refuted) < 2 || len(r.Untried) < 2 || r.Combined == nil || len(r.Combined.Left) == 0 {
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
		{`"version":1`, `"version":2`}, {`"kind":"environment"`, `"kind":"hope"`}, {`"untried":[`, `"unheard":[`},
		{`"verdict":"faster"`, `"verdict":"slower"`}, {`"budget_seconds":1800`, `"budget_seconds":"30m"`}, {`"how":"A=1"`, `"hows":"A=1"`},
	} {
		if wrong := bytes.Replace(text, []byte(change[0]), []byte(change[1]), 1); bytes.Equal(wrong, text) || valid(string(wrong)) == nil {
			t.Errorf("%s in place of %s is taken", change[1], change[0])
		}
	}
}
