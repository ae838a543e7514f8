package experiment

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"whyhot/internal/finding"
	"whyhot/internal/host/ending"
	"whyhot/internal/trial"
	"whyhot/internal/trial/archive"
	"whyhot/internal/trial/rebuild"
	"whyhot/internal/trial/run"
	"whyhot/internal/trial/variant"
)

// heard is all that a listener was told.
type heard struct {
	steps      []string // "NAME WHAT"
	remarks    []string
	benchmarks []string
	rounds     int
}

func (h *heard) Building(s rebuild.Step)         { h.steps = append(h.steps, s.Name+" "+s.What) }
func (h *heard) Benchmark(name string, _, _ int) { h.benchmarks = append(h.benchmarks, name) }
func (h *heard) Measuring(trial.Progress)        { h.rounds++ }
func (h *heard) Remark(text string)              { h.remarks = append(h.remarks, text) }
func (h *heard) said(part string) bool           { return holds(h.remarks, part) }
func holds(texts []string, part string) bool {
	return slices.ContainsFunc(texts, func(t string) bool { return strings.Contains(t, part) })
}

// fake is a machine on which a run takes as long as the test says; its clock
// moves by what its runs take.
type fake struct {
	now    time.Time
	specs  []run.Spec
	each   func(s run.Spec) *run.Result
	opened int // runners that were not given up
}

func (f *fake) Now() time.Time { return f.now }

func (f *fake) Run(ctx context.Context, s run.Spec) (*run.Result, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	f.specs = append(f.specs, s)
	r := f.each(s)
	f.now = f.now.Add(r.Wall)
	return r, nil
}

func (f *fake) machine() machine {
	return machine{clock: f, runner: func() (run.Runner, func(), error) {
		f.opened++
		return f, func() { f.opened-- }, nil
	}}
}

// took is a run of so many milliseconds, a little more or less each time.
func took(ms, n int) *run.Result {
	d := time.Duration(ms)*time.Millisecond + time.Duration(n%7)*10*time.Microsecond
	same := run.Output{Name: "standard output", Length: 4, SHA256: "same", Written: true, FirstDifference: -1}
	return &run.Result{Wall: d, User: d, PeakRSS: 1 << 26, MinorFaults: 100, Stdout: same}
}

// faster is a machine on which FAST=1 halves the time.
func faster() *fake {
	f := &fake{now: time.Unix(1000, 0)}
	f.each = func(s run.Spec) *run.Result {
		if slices.Contains(s.Env, "FAST=1") {
			return took(500, len(f.specs))
		}
		return took(1000, len(f.specs))
	}
	return f
}

func terms() Terms {
	return Terms{Env: []string{"HOME=/"}, Variants: variant.Wanted{Env: []string{"FAST=1"}}, Schedule: trial.Schedule{WarmUps: 1, Rounds: 10}}
}

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
		"no command to try":             func(r *Request) { r.Command = nil },
		"given twice":                   func(r *Request) { r.Run = "./bench" },
		"--run:":                        func(r *Request) { r.Command, r.Run = nil, "'open" },
		"--finding needs --profile":     func(r *Request) { r.Finding = "x" },
		"which command was recorded":    func(r *Request) { r.Command, r.Profile = nil, "p" },
		"proposes nothing":              func(r *Request) { r.Profile, r.Finding, r.Variants.Env = "p", "x", nil },
		"nothing to try":                func(r *Request) { r.Variants.Env = nil },
		"must be NAME=VALUE":            func(r *Request) { r.Variants.Env = []string{"X"} },
		"--layouts: from 2 to 5":        func(r *Request) { r.Layouts = 1 },
		"--ignore":                      func(r *Request) { r.Ignore = []string{"("} },
		"--warm-up is at least 1":       func(r *Request) { r.Schedule.WarmUps = 0 },
		"unknown metric":                func(r *Request) { r.Metric.Name = "speed" },
		"--fix changes the source":      func(r *Request) { r.Fixes = []string{"x"} },
		"--what-if compiles":            func(r *Request) { r.WhatIf.Findings = []string{"alias-char-write-00000000"} },
		"say how with --build":          func(r *Request) { r.Variants.Builds.LTO = "auto" },
		"reads the profile a second":    func(r *Request) { r.Build.Command, r.Fixes, r.Profile = "make", []string{"x"}, "-" },
		"want retyped or hoisted":       func(r *Request) { r.WhatIf.World = "other" },
		"name the directory of its com": func(r *Request) { r.Directory, r.Build.Command, r.Fixes = t.TempDir(), "make", []string{"x"} },
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

// project is a program that prints COST, and its build command, which counts its
// calls outside of the tree.
func project(t *testing.T) (dir, build, calls string) {
	t.Helper()
	for _, tool := range []string{"gcc", "sh", "patch"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skipf("%s is not installed", tool)
		}
	}
	root := t.TempDir()
	dir, calls = filepath.Join(root, "project"), filepath.Join(root, "calls")
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(dir, "prog.c"), `#include <stdio.h>
#ifndef COST
#define COST 100
#endif
static int work(int x) { return x + COST; }
int (*volatile keep)(int) = work;
int main(void) { printf("took %d\n", COST); return 0; }
`)
	return dir, "echo x >>" + calls + " && gcc -O2 -o prog prog.c", calls
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func count(t *testing.T, path string) int {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return strings.Count(string(data), "\n")
}

func building(dir, build string) Request {
	r := Request{Terms: terms(), Run: "./prog"}
	r.Directory, r.Env, r.Variants.Env = dir, os.Environ(), nil
	r.Metric = trial.MetricChoice{Pattern: `took (\d+)`}
	r.Build.Command = build
	return r
}

// The layouts of a small difference are added to what is built: nothing is built
// twice, and what they show is in the outcome when Run returns.
func TestLayoutsBuildNothingTwice(t *testing.T) {
	dir, build, calls := project(t)
	r := building(dir, build)
	r.Variants.Builds.CFlags, r.Layouts = []string{"-DCOST=97"}, 3
	h := &heard{}
	got, err := Run(t.Context(), r, h)
	if err != nil {
		t.Fatal(err)
	}
	var builds []string
	for _, s := range h.steps {
		if name, ok := strings.CutSuffix(s, " build"); ok {
			builds = append(builds, name)
		}
	}
	slices.Sort(builds)
	if n := len(builds); n != 6 || len(slices.Compact(builds)) != n {
		t.Errorf("built: %q", builds)
	}
	if n := count(t, calls); n != 6 {
		t.Errorf("the build command ran %d times, want 6: two programs in three layouts", n)
	}
	o := got.Outcome
	v := o.Variants[0]
	if v.Verdict != trial.Faster || v.AcrossLayouts == nil || len(v.Layouts) < 2 || len(o.Baseline.Layouts) != 3 {
		t.Errorf("%+v", v)
	}
	if !holds(o.Notes, "decided by a second trial of 10 runs") || got.Record.Results[0].Verdict != v.Verdict {
		t.Errorf("%q", o.Notes)
	}
	if !h.said("building 3 layouts of baseline and variant") {
		t.Errorf("%q", h.remarks)
	}
	// The programs of the record were read before the copies went.
	roles := map[string]string{}
	for _, f := range got.Record.Files {
		roles[f.Role] = f.SHA256
		if _, err := os.Stat(f.Path); err == nil {
			t.Errorf("%s stays behind", f.Path)
		}
	}
	if a, b := roles["program of baseline"], roles["program of -DCOST=97"]; a == "" || b == "" || a == b {
		t.Errorf("%v", roles)
	}
}

// A large difference needs no layouts.
func TestLargeDifferencesNeedNoLayouts(t *testing.T) {
	dir, build, calls := project(t)
	r := building(dir, build)
	r.Variants.Builds.CFlags, r.Layouts = []string{"-DCOST=50"}, 4
	got, err := Run(t.Context(), r, nil)
	if err != nil || count(t, calls) != 2 || got.Outcome.Variants[0].AcrossLayouts != nil {
		t.Errorf("%+v, %v", got, err)
	}
}

const patch = `--- a/prog.c
+++ b/prog.c
@@ -1,6 +1,6 @@
 #include <stdio.h>
 #ifndef COST
-#define COST 100
+#define COST 80
 #endif
 static int work(int x) { return x + COST; }
 int (*volatile keep)(int) = work;
`

// A fix is a variant of its own; one that fails the user's tests is not measured.
func TestFixesAreTestedBeforeTheyAreMeasured(t *testing.T) {
	dir, build, _ := project(t)
	write(t, filepath.Join(dir, "compile_commands.json"), "[]")
	r := building(dir, build)
	r.Fixes, r.Check = []string{"f-1", "src/a.c:3"}, "./prog | grep -q 80"
	asked := ""
	r.Findings.Fix = func(_ context.Context, wanted, buildDir string) (Fix, error) {
		asked = buildDir
		if wanted == "f-1" {
			return Fix{Diff: patch, Assumptions: []string{"p and q do not overlap (prog.c:5)"}}, nil
		}
		return Fix{Diff: strings.Replace(patch, "80", "70", 1)}, nil
	}
	h := &heard{}
	got, err := Run(t.Context(), r, h)
	if err != nil {
		t.Fatal(err)
	}
	good, bad := got.Outcome.Variants[0], got.Outcome.Variants[1]
	if good.Name != "fix-f-1.diff" || good.Ratios[trial.Number].Estimate != 1.25 {
		t.Errorf("%+v", good)
	}
	// The patch itself is gone when somebody reads how it was built.
	if steps := strings.Join(good.Build.Steps, "; "); !strings.Contains(steps, "whyhot fix f-1 --apply") || strings.Contains(steps, "whyhot-fix-") {
		t.Errorf("%q", steps)
	}
	if bad.Name != "fix-src-a.c-3.diff" || bad.Verdict != trial.Failed || !strings.Contains(bad.Explanation, "fails the tests") {
		t.Errorf("%+v", bad)
	}
	if asked != dir || !h.said("--fix f-1 is right if p and q do not overlap") || !h.said("grep -q 80") {
		t.Errorf("%s, %q", asked, h.remarks)
	}
	// Without a patched build, a test has nothing to do.
	r.Fixes, r.Variants.Builds.CFlags = nil, []string{"-DCOST=50"}
	if _, err := Run(t.Context(), r, nil); err == nil || !strings.Contains(err.Error(), "none of them was built") {
		t.Error(err)
	}
}

// A profile's finding needs no build directory; a wrong fix is told.
func TestFixesThatCannotBeWritten(t *testing.T) {
	dir, build, _ := project(t)
	r := building(dir, build)
	r.Fixes, r.Profile = []string{"f-1"}, "p"
	r.Findings.Target = func(context.Context, string, string) (Target, error) { return Target{}, nil }
	r.Findings.Fix = func(_ context.Context, _, buildDir string) (Fix, error) {
		if buildDir != "" {
			t.Errorf("a build directory: %s", buildDir)
		}
		return Fix{}, errors.New("the loop may write")
	}
	if _, err := Run(t.Context(), r, nil); err == nil || err.Error() != "--fix f-1: the loop may write" {
		t.Error(err)
	}
}

func TestInterruptedWhileBuilding(t *testing.T) {
	dir, _, _ := project(t)
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	r := building(dir, "sleep 1000")
	r.Variants.Builds.PGO = true
	r.Build.Work = t.TempDir()
	stop := &stopper{cancel: cancel}
	_, err := Run(ctx, r, stop)
	if e, ok := errors.AsType[*InterruptedError](err); !ok || !strings.Contains(e.Error(), "while building") {
		t.Error(err)
	}
	if left, _ := os.ReadDir(r.Build.Work); len(left) > 0 {
		t.Errorf("%v stays behind", left)
	}
}

// stopper ends the trial when the first build begins.
type stopper struct {
	silence

	cancel context.CancelFunc
}

func (s *stopper) Building(step rebuild.Step) {
	if step.What == "build" {
		s.cancel()
	}
}

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
