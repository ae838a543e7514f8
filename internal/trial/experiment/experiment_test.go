package experiment

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"whyhot/internal/finding"
	"whyhot/internal/host/ending"
	"whyhot/internal/trial"
	"whyhot/internal/trial/archive"
	"whyhot/internal/trial/run"
)

func TestOutcomeIsFinal(t *testing.T) {
	f, h := faster(), &heard{}
	r, err := runOn(t.Context(), f.machine(), Request{Terms: terms(), Command: []string{"prog"}}, h)
	if err != nil {
		t.Fatal(err)
	}
	o := r.Outcome
	v := o.Variants[0]
	if v.Verdict != trial.Faster || !strings.Contains(v.Explanation, "less time") || o.Rounds != 10 || o.Machine.CPUs == 0 || o.Machine.Kernel == "" {
		t.Errorf("%+v of %+v", v, o)
	}
	if len(f.specs) != 22 || f.opened != 0 || h.rounds == 0 {
		t.Errorf("%d runs, %d runners still open, %d rounds told", len(f.specs), f.opened, h.rounds)
	}
	rec := r.Record
	if rec.Outcome != any(o) || len(rec.Results) != 1 || rec.Results[0].Verdict != trial.Faster || rec.Directory == "" || rec.Time.IsZero() {
		t.Errorf("%+v", rec)
	}
	if Ending(o) != nil {
		t.Error(Ending(o))
	}
}

// Nobody has to listen.
func TestNilListener(t *testing.T) {
	if _, err := runOn(t.Context(), faster().machine(), Request{Terms: terms(), Command: []string{"prog"}}, nil); err != nil {
		t.Error(err)
	}
}

func TestSeedRepeatsTheOrder(t *testing.T) {
	order := func(seed uint64) string {
		f, r := faster(), Request{Terms: terms(), Command: []string{"prog"}}
		r.Schedule.Seed = &seed
		if _, err := runOn(t.Context(), f.machine(), r, nil); err != nil {
			t.Fatal(err)
		}
		var b strings.Builder
		for _, s := range f.specs {
			fmt.Fprint(&b, slices.Contains(s.Env, "FAST=1"), " ")
		}
		return b.String()
	}
	if first, again, other := order(1), order(1), order(2); first != again || first == other {
		t.Error("the order is not the seed's")
	}
}

// What is wrong is told before anything runs, is asked or is read.
func TestMistakesAreFoundFirst(t *testing.T) {
	base := func() Request {
		return Request{
			Terms: terms(), Command: []string{"prog"},
			Stdin: func(context.Context) (string, func(), error) {
				t.Error("standard input is read")
				return "", func() {}, nil
			},
			Findings: Findings{Target: func(context.Context, string, string) (Target, error) { return Target{}, nil }},
		}
	}
	for want, change := range map[string]func(*Request){
		"missing command":                    func(r *Request) { r.Command = nil },
		"given twice":                        func(r *Request) { r.Run = "./bench" },
		"--run:":                             func(r *Request) { r.Command, r.Run = nil, "'open" },
		"--finding needs --profile":          func(r *Request) { r.Finding = "x" },
		"does not name the recorded command": func(r *Request) { r.Command, r.Profile = nil, "p" },
		"proposes nothing":                   func(r *Request) { r.Profile, r.Finding, r.Variants.Env = "p", "x", nil },
		"nothing to try":                     func(r *Request) { r.Variants.Env = nil },
		"must be NAME=VALUE":                 func(r *Request) { r.Variants.Env = []string{"X"} },
		"--layouts: from 2 to 9":             func(r *Request) { r.Layouts = 1 },
		"--ignore":                           func(r *Request) { r.Ignore = []string{"("} },
		"--warm-up is at least 1":            func(r *Request) { r.Schedule.WarmUps = 0 },
		"unknown metric":                     func(r *Request) { r.Metric.Name = "speed" },
		"--fix changes the source":           func(r *Request) { r.Fixes = []string{"x"} },
		"--what-if compiles":                 func(r *Request) { r.WhatIf.Findings = []string{"alias-char-write-00000000"} },
		"say how with --build":               func(r *Request) { r.Variants.Builds.LTO = "auto" },
		"reads the profile a second":         func(r *Request) { r.Build.Command, r.Fixes, r.Profile = "make", []string{"x"}, "-" },
		"want retyped or hoisted":            func(r *Request) { r.WhatIf.World = "other" },
		"name the directory of its com":      func(r *Request) { r.Directory, r.Build.Command, r.Fixes = t.TempDir(), "make", []string{"x"} },
	} {
		f, r := faster(), base()
		change(&r)
		_, err := runOn(t.Context(), f.machine(), r, nil)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("want %q, got %v", want, err)
		}
		if len(f.specs) > 0 {
			t.Errorf("%s: %d runs", want, len(f.specs))
		}
	}
}

// A finding brings its command and what it proposes, unless other variants are
// named; the trial is kept beside its profile.
func TestFinding(t *testing.T) {
	profile := filepath.Join(t.TempDir(), "p.folded")
	asked := ""
	r := Request{Terms: terms(), Profile: profile, Finding: "f-1", Findings: Findings{
		Target: func(_ context.Context, path, id string) (Target, error) {
			asked = path + " " + id
			return Target{Command: []string{"recorded"}, Env: []string{"FAST=1"}}, nil
		},
	}}
	r.Variants.Env = nil
	f := faster()
	got, err := runOn(t.Context(), f.machine(), r, nil)
	if err != nil {
		t.Fatal(err)
	}
	if asked != profile+" f-1" || got.Outcome.Command[0] != "recorded" || got.Outcome.Variants[0].Name != "FAST=1" || got.Finding != "f-1" || len(got.Trials) != 1 {
		t.Errorf("%s, %+v", asked, got)
	}
	said, err := got.KeepBeside()
	if err != nil || !strings.Contains(said, "f-1: proved; kept in") {
		t.Errorf("%s, %v", said, err)
	}
	got.Profile = "-"
	if said, err := got.KeepBeside(); err != nil || !strings.Contains(said, "f-1: proved; not kept") {
		t.Errorf("%s, %v", said, err)
	}
	got.Trials = nil
	if said, _ := got.KeepBeside(); !strings.Contains(said, "nothing kept") {
		t.Error(said)
	}
	if said, _ := (&Result{Trials: []finding.Trial{{}}}).KeepBeside(); said != "" {
		t.Error(said)
	}
	if got.Outcome.Metric != trial.CPU { // a finding has a share of the CPU
		t.Errorf("decided by %s", got.Outcome.Metric)
	}
	r.Variants.Env = []string{"SLOW=1"}
	if got, err = runOn(t.Context(), faster().machine(), r, nil); err != nil || len(got.Outcome.Variants) != 1 || got.Outcome.Variants[0].Name != "SLOW=1" {
		t.Errorf("%+v, %v", got, err)
	}
}

func TestInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	f := faster()
	inner := f.each
	f.each = func(s run.Spec) *run.Result {
		if len(f.specs) == 12 {
			cancel()
		}
		return inner(s)
	}
	r, err := runOn(ctx, f.machine(), Request{Terms: terms(), Command: []string{"prog"}}, nil)
	if err != nil || r.Outcome.Stopped != trial.StopInterrupted || r.Outcome.Rounds != 5 {
		t.Fatalf("%+v, %v", r, err)
	}
	if _, ok := errors.AsType[*InterruptedError](Ending(r.Outcome)); !ok {
		t.Error(Ending(r.Outcome))
	}
	r, err = runOn(ctx, faster().machine(), Request{Terms: terms(), Command: []string{"prog"}}, nil)
	if _, ok := errors.AsType[*InterruptedError](err); !ok || r != nil {
		t.Errorf("ended before: %v, %v", r, err)
	}
	// Between the warm-up and the first round, too.
	ctx, cancel = context.WithCancel(t.Context())
	late := &heard{onAnnounce: cancel}
	r, err = runOn(ctx, faster().machine(), Request{Terms: terms(), Command: []string{"prog"}}, late)
	if _, ok := errors.AsType[*InterruptedError](err); !ok || r != nil {
		t.Errorf("ended behind the warm-up: %v, %v", r, err)
	}
}

func TestAdvice(t *testing.T) {
	f := faster()
	f.each = func(run.Spec) *run.Result { return &run.Result{Wall: time.Millisecond, End: ending.Ending{Code: 1}} }
	_, err := runOn(t.Context(), f.machine(), Request{Terms: terms(), Command: []string{"prog"}}, nil)
	if err == nil || !strings.Contains(err.Error(), "--ignore-failure") {
		t.Error(err)
	}
	_, err = Run(t.Context(), Request{Terms: terms(), Command: []string{"wc -c"}}, nil)
	if err == nil || !strings.Contains(err.Error(), "sh -c 'wc -c'") {
		t.Error(err)
	}
}

// What this process did before the trial is not taken for the trial's own work,
// which would hide what others do.
func TestMeterForgetsWhatWasBefore(t *testing.T) {
	for begin := ownCPU(); ownCPU()-begin < 200*time.Millisecond; {
		_ = strings.Repeat("x", 1<<10)
	}
	m := faster().machine().start()
	if ours := m.ours(); ours > 100*time.Millisecond {
		t.Errorf("%s of CPU time before the first run", ours)
	}
	r, release, err := m.runner()
	if err != nil {
		t.Fatal(err)
	}
	defer release()
	if _, err := r.Run(t.Context(), run.Spec{}); err != nil {
		t.Fatal(err)
	}
	if ours := m.ours(); ours < time.Second {
		t.Errorf("%s, and one run took a second", ours)
	}
}

func TestInputIsDescribed(t *testing.T) {
	input := filepath.Join(t.TempDir(), "words")
	if err := os.WriteFile(input, []byte("ab"), 0o600); err != nil {
		t.Fatal(err)
	}
	released := false
	f, r := faster(), Request{Terms: terms(), Command: []string{"prog"}}
	r.Stdin = func(context.Context) (string, func(), error) { return input, func() { released = true }, nil }
	got, err := runOn(t.Context(), f.machine(), r, nil)
	if err != nil || f.specs[0].Stdin != input || !released {
		t.Fatalf("%v, %+v, %t", err, f.specs[0], released)
	}
	if !slices.ContainsFunc(got.Record.Files, func(x archive.File) bool { return x.Role == "standard input" && x.Size == 2 }) {
		t.Errorf("%+v", got.Record.Files)
	}
	// Repeated without input, the first one's is read.
	r.Stdin, r.Repeats = nil, got.Record
	r.Repeats.ID = "first"
	again := faster()
	got, err = runOn(t.Context(), again.machine(), r, nil)
	if err != nil || again.specs[0].Stdin != input || got.Record.Repeats != "first" {
		t.Errorf("%v, %+v", err, again.specs[0])
	}
}

// Paths of a request start from its directory, not from where this process is.
func TestPathsStartFromTheDirectory(t *testing.T) {
	dir, build, _ := project(t)
	write(t, filepath.Join(dir, "cheap.diff"), patch)
	r := building(dir, build)
	r.Variants.Builds.Patches = []string{"cheap.diff"}
	r.Variants.Builds.Named = []string{"patch=cheap.diff+cflags=-DX"}
	got, err := Run(t.Context(), r, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range got.Outcome.Variants {
		if v.Ratios[trial.Number].Estimate != 1.25 {
			t.Errorf("%+v", v)
		}
	}
}
