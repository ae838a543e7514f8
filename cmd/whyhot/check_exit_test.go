package main

import (
	"errors"
	"testing"

	"whyhot/internal/check"
)

// The exit code of a check is its verdict, and with a flag what the verdict does not say.
func TestExitOfCheck(t *testing.T) {
	t.Parallel()
	differs := []check.Command{{Name: "./a"}, {Name: "./b", OutputDiffers: "line 2 of standard output"}}
	equal := []check.Command{{Name: "./a"}}
	for _, c := range []struct {
		verdict      check.Verdict
		commands     []check.Command
		strict, same bool
		want         int
	}{
		{check.NotSlower, differs, true, false, 0},
		{check.NotSlower, differs, false, true, checkDiffers},
		{check.NotSlower, equal, true, true, 0},
		{check.Slower, differs, false, true, checkSlower},
		{check.Undecided, equal, false, true, 0},
		{check.Undecided, equal, true, true, checkUndecided},
		{check.Undecided, differs, true, true, checkDiffers},
	} {
		f := checkFlags{strict: c.strict, same: c.same}
		got := 0
		if e, ok := errors.AsType[*exitError](f.exit(&check.Result{Verdict: c.verdict, Commands: c.commands})); ok {
			got = e.code
		}
		if got != c.want {
			t.Errorf("%s, --strict %t, --same-output %t: exit %d, want %d", c.verdict, c.strict, c.same, got, c.want)
		}
	}
}
