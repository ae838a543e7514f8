package fix_test

import (
	"encoding/json"
	"strings"
	"testing"

	"whyhot/internal/explain/fix"
)

// Where there is no patch, a program that reads the JSON is told so, and what a person
// can do.
func TestNoPatchIsAnAnswer(t *testing.T) {
	refused := fix.Proposal{Kind: fix.Hoist, Refusals: []fix.Remark{{Text: "the loop calls a callback"}}, Advice: []string{"copy the bound"}}
	for name, j := range map[string]fix.JSON{
		"none written": fix.NoPatch("the loop calls a callback", []string{"copy the bound"}),
		"refused":      refused.JSON("/"),
	} {
		text, err := json.Marshal(j)
		if err != nil {
			t.Fatal(err)
		}
		for _, want := range []string{`"valid":false`, `"reasons":["the loop calls a callback"]`, `"by_hand":["copy the bound"]`} {
			if !strings.Contains(string(text), want) {
				t.Errorf("%s: no %s in %s", name, want, text)
			}
		}
	}
}
