package main

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"whyhot/internal/collect"
	"whyhot/internal/collect/command"
	"whyhot/internal/collect/session"
)

// A command that succeeds and is too short for a sample is no failure; what was asked to be
// recorded for its own sake, or did not end by itself, is.
func TestTooShortForASample(t *testing.T) {
	var ended, failed command.Exit
	failed.Code = 3
	for name, c := range map[string]struct {
		result *session.Result
		err    error
		want   bool
	}{
		"it succeeded":       {&session.Result{Exit: &ended}, collect.ErrNoSamples, true},
		"it failed":          {&session.Result{Exit: &failed}, collect.ErrNoSamples, false},
		"-d ended it":        {&session.Result{Exit: &ended, EndedByUs: true}, collect.ErrNoSamples, false},
		"a process":          {&session.Result{}, collect.ErrNoSamples, false},
		"nothing ran":        {nil, collect.ErrNoSamples, false},
		"the sampler failed": {&session.Result{Exit: &ended}, errors.New("no buffer"), false},
	} {
		if got := tooShort(c.result, c.err); got != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
	f := &recordFlags{}
	f.options.Target.Command = []string{"true"}
	if got := tooShortText(filepath.Join(t.TempDir(), "none"), f); strings.Contains(got, "earlier") || !strings.Contains(got, "no profile is written") || !strings.Contains(got, "whyhot record --repeat auto -- true") {
		t.Error(got)
	}
	path := filepath.Join(t.TempDir(), "whyhot-true.pb.gz")
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if got := tooShortText(path, f); !strings.Contains(got, path+" is from an earlier recording") {
		t.Error(got)
	}
}

// A rate of 0 that is typed is no rate, and not the default.
func TestRateOfNothing(t *testing.T) {
	for _, rate := range []string{"0", "-1", "100000"} {
		cmd := newRecordCmd()
		cmd.SetArgs([]string{"-F", rate, "--", "true"})
		cmd.SilenceUsage, cmd.SilenceErrors = true, true
		if err := cmd.Execute(); err == nil || !strings.Contains(err.Error(), "-F "+rate+": must be between 1 and 20000") {
			t.Errorf("-F %s: %v", rate, err)
		}
	}
}
