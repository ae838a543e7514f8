package main

import (
	"slices"
	"testing"
	"time"

	"github.com/spf13/cobra"
)

// What is not typed is left to the trial: no budget is kept for certain, and the
// order is random.
func TestScheduleIsWhatWasTyped(t *testing.T) {
	f := tryFlags{family: &tryFamily{}}
	cmd := &cobra.Command{}
	f.schedule(cmd.Flags())
	f.order(cmd.Flags())
	if s := f.common(cmd).Schedule; s.Budget != nil || s.Seed != nil || s.WarmUps != 1 {
		t.Errorf("%+v", s)
	}
	if err := cmd.ParseFlags([]string{"--budget", "5m", "--seed", "0", "--pin", "1,2"}); err != nil {
		t.Fatal(err)
	}
	s := f.common(cmd).Schedule
	if s.Budget == nil || *s.Budget != 5*time.Minute || s.Seed == nil || *s.Seed != 0 || !slices.Equal(s.Pin, []int{1, 2}) {
		t.Errorf("%+v", s)
	}
}

// -p and --build-dir are one flag.
func TestBuildDirHasOneMeaning(t *testing.T) {
	for _, words := range [][]string{{"-p", "out"}, {"--build-dir", "out"}} {
		f := tryFlags{family: &tryFamily{}}
		cmd := &cobra.Command{}
		f.buildVariants(cmd.Flags())
		if err := cmd.ParseFlags(append(words, "--what-if", "a.c:3")); err != nil {
			t.Fatal(err)
		}
		if r := f.request(cmd, []string{"prog"}); r.WhatIf.BuildDir != "out" || !r.WhatIf.Asked() || r.Stdin == nil {
			t.Errorf("%q: %+v", words, r.WhatIf)
		}
	}
}

// The standard input is either the profile or every run's, not both.
func TestProfileFromStandardInput(t *testing.T) {
	f := tryFlags{family: &tryFamily{}, profile: "-"}
	if r := f.request(&cobra.Command{}, nil); r.Stdin != nil {
		t.Error("the runs read the profile")
	}
}
