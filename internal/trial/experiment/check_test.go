package experiment

import (
	"testing"

	"whyhot/internal/trial"
)

// The user's tests run with every variant where that is asked for, built or not: one
// that they fail with is not measured.
func TestCheckOfEveryVariant(t *testing.T) {
	r := Request{Terms: terms(), Command: []string{"true"}}
	r.Variants.Env = []string{"GOOD=1", "GOOD=2"}
	r.Check, r.CheckAll = `test "$GOOD" != 2`, true
	r.Schedule.Rounds = 2
	result, err := Run(t.Context(), r, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range result.Outcome.Variants {
		if failed := v.Verdict == trial.Failed; failed != (v.Name == "GOOD=2") {
			t.Errorf("%s: %s, %s", v.Name, v.Verdict, v.Explanation)
		}
	}
}
