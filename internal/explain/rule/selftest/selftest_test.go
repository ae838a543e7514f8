package selftest

import (
	"context"
	"strings"
	"testing"

	"whyhot/internal/explain/catalog"
	"whyhot/internal/ingest/folded"
	"whyhot/internal/profile"
)

func parse(ctx context.Context, text string) (*profile.Profile, error) {
	return folded.Read(ctx, strings.NewReader(text))
}

func TestEveryEntryPassesItsOwnTests(t *testing.T) {
	cat, err := catalog.Builtin()
	if err != nil {
		t.Fatal(err)
	}
	for i := range cat.Entries {
		for _, err := range Run(t.Context(), cat, &cat.Entries[i], parse) {
			t.Error(err)
		}
	}
}

// A test that expects the opposite must fail, or the runner proves nothing.
func TestRunnerNoticesWrongExpectations(t *testing.T) {
	cat, err := catalog.Builtin()
	if err != nil {
		t.Fatal(err)
	}
	for i := range cat.Entries {
		e := cat.Entries[i]
		e.Tests = append([]catalog.Test(nil), e.Tests...)
		for j := range e.Tests {
			if e.Tests[j].Expect == catalog.ExpectSilent {
				e.Tests[j].Expect = catalog.ExpectFound
			} else {
				e.Tests[j].Expect = catalog.ExpectSilent
			}
		}
		if got := len(Run(t.Context(), cat, &e, parse)); got != len(e.Tests) {
			t.Errorf("%s: %d of %d inverted tests failed", e.ID, got, len(e.Tests))
		}
	}
}
