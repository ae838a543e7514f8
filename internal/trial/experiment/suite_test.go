package experiment

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"whyhot/internal/trial"
)

func TestSuite(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "suite.yaml"), "benchmarks: [{name: a, command: prog 1}, {name: b, command: prog 2}]\nvariants: [{name: v, env: {FAST: 1}}]\n")
	f, h := faster(), &heard{}
	r := SuiteRequest{Terms: terms(), Path: "suite.yaml"}
	r.Directory, r.Variants.Env = dir, nil
	got, err := suiteOn(t.Context(), f.machine(), r, h)
	if err != nil {
		t.Fatal(err)
	}
	s := got.Result
	if s.Summary[0].Verdict != trial.Faster || s.Counted() != 2 || s.Machine.CPUs == 0 || !slices.Equal(h.benchmarks, []string{"a", "b"}) || f.opened != 0 {
		t.Errorf("%+v, %q", s, h.benchmarks)
	}
	if got.Record == nil || got.Record.Files[0].Role != "suite" || SuiteEnding(s) != nil {
		t.Errorf("%+v, %v", got.Record, SuiteEnding(s))
	}
	if f.specs[0].Dir != dir {
		t.Errorf("ran in %q", f.specs[0].Dir)
	}
	// The same from the standard input, and of it one benchmark.
	text, err := os.Open(filepath.Join(dir, "suite.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = text.Close() }()
	r.Path, r.Input, r.Only = "-", text, "b"
	f = faster()
	got, err = suiteOn(t.Context(), f.machine(), r, nil)
	if err != nil || len(got.Result.Benchmarks) != 1 || f.specs[0].Dir != dir {
		t.Errorf("%+v, %v", got, err)
	}
}

func TestMistakesOfSuites(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "plain.yaml"), "benchmarks: [{name: a, command: prog}]\n")
	write(t, filepath.Join(dir, "steps.yaml"), "benchmarks: [{name: a, command: prog}]\nsteps: [{name: v, build: cflags=-O3}]\n")
	for want, change := range map[string]func(*SuiteRequest){
		"nothing to try":        func(r *SuiteRequest) { r.Variants.Env = nil },
		"no place in the chain": func(r *SuiteRequest) { r.Path = "steps.yaml" },
		"is built: say how":     func(r *SuiteRequest) { r.Path, r.Variants.Env = "steps.yaml", nil },
		"--versus is another":   func(r *SuiteRequest) { r.Variants.Versus = []string{"x=y"} },
		"--only":                func(r *SuiteRequest) { r.Only = "(" },
		"none.yaml":             func(r *SuiteRequest) { r.Path = "none.yaml" },
		"in the tree that is built": func(r *SuiteRequest) {
			r.Build.Command, r.Path, r.Directory = "make", filepath.Join(dir, "plain.yaml"), t.TempDir()
		},
		"no benchmark of the suite":  func(r *SuiteRequest) { r.Only = "zzz" },
		"--runs and --min-runs cann": func(r *SuiteRequest) { r.Schedule.Rounds = -1 },
	} {
		r := SuiteRequest{Terms: terms(), Path: "plain.yaml"}
		r.Directory = dir
		change(&r)
		f := faster()
		_, err := suiteOn(t.Context(), f.machine(), r, nil)
		if err == nil || !strings.Contains(err.Error(), want) || len(f.specs) > 0 {
			t.Errorf("want %q, got %v after %d runs", want, err, len(f.specs))
		}
	}
}

// The benchmarks of a suite that is built run in the copies.
func TestSuiteOfBuilds(t *testing.T) {
	dir, build, calls := project(t)
	write(t, filepath.Join(dir, "suite.yaml"), "defaults: {metric-regex: 'took (\\d+)'}\nbenchmarks: [{name: a, command: ./prog}]\n")
	r := SuiteRequest{Terms: building(dir, build).Terms, Path: "suite.yaml"}
	r.Variants.Builds.CFlags = []string{"-DCOST=50"}
	got, err := Suite(t.Context(), r, nil)
	if err != nil || got.Result.Benchmarks[0].Variants[0].Ratio.Estimate != 2 || count(t, calls) != 2 {
		t.Errorf("%+v, %v", got, err)
	}
}
