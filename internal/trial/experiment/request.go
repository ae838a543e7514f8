package experiment

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"regexp"
	"time"

	"whyhot/internal/trial"
	"whyhot/internal/trial/archive"
	"whyhot/internal/trial/rebuild"
	"whyhot/internal/trial/stat"
	"whyhot/internal/trial/variant"
	"whyhot/internal/trial/whatif"
)

// Terms are what trials of one command and suites have in common.
type Terms struct {
	Directory     string   // where commands run and relative paths start, "" for the current one
	Env           []string // of the baseline
	Variants      variant.Wanted
	Metric        trial.MetricChoice
	Ignore        []string // regular expressions of what is not compared in outputs
	Outputs       []string // files that are compared beside standard output
	IgnoreFailure bool     // measure a command that exits with a status other than 0
	Schedule      trial.Schedule
	// Deadline ends builds, tests and runs however much of the budget is left, and goes
	// before a number of rounds; zero for none.
	Deadline time.Time
	Served   trial.Served // what loads the command, where that is a server
	Places   []string     // NAME=DIR: where a variant, or the baseline, runs
	Copies   bool         // each runs in a copy of the directory
	// Build says how the program is built, where variants are; without a command,
	// nothing is.
	Build rebuild.Options
	// Layouts is how many layouts of baseline and variant decide on a variant that is
	// built and differs by little, 0 for none.
	Layouts int
	// Check is a command for the shell that tests patched builds before they are
	// measured, "" for none; CheckAll has it test every variant, built or not.
	Check    string
	CheckAll bool
}

// Request is a trial of one command.
type Request struct {
	Terms

	Command []string
	Run     string // Command as one line for the shell, in its place

	Profile  string // whose recorded command is tried where none is given
	Finding  string // of the profile; its own variants are tried where none are named
	Findings Findings

	Fixes  []string    // findings, or FILE:LINE, whose machine-written fix is a variant
	WhatIf whatif.Wish // findings that a variant is built without

	// Stdin opens the file that every run reads, once everything else is known to be
	// right; nil for none.
	Stdin func(ctx context.Context) (path string, release func(), err error)
	// Repeats is the trial that this one repeats, nil for none.
	Repeats *archive.Record
	// Continue adds rounds to the trial that this one repeats.
	Continue bool
}

// Findings answers what a trial asks of findings. Each function is needed only
// where a Request speaks of it.
type Findings struct {
	// Target is what a profile says of a trial, and with a finding what that proposes
	// to try. A finding that the profile does not have is an error.
	Target func(ctx context.Context, profile, finding string) (Target, error)
	// Fix writes the fix of a finding, or of what is at FILE:LINE. buildDir has the
	// compile_commands.json, "" where there is none and the profile has to do.
	Fix func(ctx context.Context, wanted, buildDir string) (Fix, error)
}

// Target is a recorded command, and what a finding proposes to change about it.
type Target struct {
	Command []string
	Preload []string
	Env     []string // NAME=VALUE
}

// Fix is a patch, and what has to hold for it to be right.
type Fix struct {
	Diff        string
	Assumptions []string
}

// FewestLayouts and MostLayouts bound how many layouts there can be.
const FewestLayouts = stat.FewestLayouts

// check finds what is wrong with the terms before anything is looked for.
func (t *Terms) check(p *trial.Plan) error {
	if t.Directory != "" {
		dir, err := filepath.Abs(t.Directory)
		if err != nil {
			return fmt.Errorf("the directory of the trial: %w", err)
		}
		t.Directory = dir
	}
	if err := t.Schedule.Apply(p); err != nil {
		return err
	}
	if t.Layouts < 0 || t.Layouts > 0 && t.Layouts < FewestLayouts || t.Layouts > variant.MostLayouts {
		return fmt.Errorf("--layouts: from %d to %d layouts, or 0 for none", FewestLayouts, variant.MostLayouts)
	}
	if err := t.Metric.Apply(p); err != nil {
		return err
	}
	for _, e := range t.Ignore {
		re, err := trial.ParseIgnore(e)
		if err != nil {
			return fmt.Errorf("--%w", err)
		}
		p.Ignore = append(p.Ignore, re)
	}
	p.Dir, p.Env, p.Outputs, p.IgnoreFailure = t.Directory, t.Env, t.Outputs, t.IgnoreFailure
	if t.Served.Load != "" && t.built() {
		return errors.New("--load is not supported with --build: build the variants first, and name them with --versus")
	}
	return t.Served.Apply(p, t.Metric.Given())
}

// built says that there is something to build.
func (t *Terms) built() bool { return t.Build.Command != "" }

// path is a path of the request from the current directory.
func (t *Terms) path(p string) string {
	if filepath.IsAbs(p) {
		return p
	}
	return filepath.Join(t.Directory, p)
}

// check finds what is wrong with a request before anything is looked for.
func (r *Request) check() error {
	switch {
	case r.Finding != "" && r.Profile == "":
		return errors.New("--finding needs --profile: the file that the finding is in")
	case r.Profile == "-" && len(r.Fixes) > 0:
		return errors.New("--fix reads the profile a second time: keep it in a file, and name that with --profile")
	case r.Run != "" && len(r.Command) > 0:
		return errors.New("the command to measure is given twice: with --run and after --")
	case len(r.Fixes) > 0 && !r.built():
		return errors.New("--fix changes the source: say how the program is built with --build, for example --build 'make -j2' --run './bench input'")
	case r.WhatIf.Asked() && !r.built():
		return errors.New("--what-if compiles the program again: say how with --build, for example --build 'make -j2' --run './bench input'")
	}
	return r.WhatIf.Check()
}

// compiled tells by an expression which benchmarks are meant, nil for all.
func compiled(only string) (func(name string) bool, error) {
	if only == "" {
		return nil, nil //nolint:nilnil // all of them
	}
	re, err := regexp.Compile(only)
	if err != nil {
		return nil, fmt.Errorf("--only: %w", err)
	}
	return re.MatchString, nil
}
