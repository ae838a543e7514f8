package experiment

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"whyhot/internal/host/tool"
	"whyhot/internal/trial"
	"whyhot/internal/trial/rebuild"
)

// project is a program that prints COST, and its build command, which counts its
// calls outside of the tree.
func project(t *testing.T) (dir, build, calls string) {
	t.Helper()
	for _, name := range []string{"gcc", "patch"} {
		if _, err := tool.Find(name); err != nil {
			t.Skipf("%s is not installed", name)
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
	r.Fixes, r.Check = []string{"f-1", "src/a.c:3"}, "./prog | grep -qE '80|100' || { echo FAIL: sums.sh; exit 1; }"
	t.Setenv("TMPDIR", t.TempDir())
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
	if bad.Name != "fix-src-a.c-3.diff" || bad.Verdict != trial.Failed || !strings.Contains(bad.Explanation, "exit 1; }): sums.sh (the whole output is in ") {
		t.Errorf("%+v", bad)
	}
	if asked != dir || !h.said("--fix f-1 is right if p and q do not overlap") || !h.said("grep -qE") {
		t.Errorf("%s, %q", asked, h.remarks)
	}
	// A finding's patch alone judges the finding.
	r.Fixes, r.Check, r.Profile = []string{"f-1"}, "", "p.pb.gz"
	r.Findings.Target = func(context.Context, string, string) (Target, error) { return Target{}, nil }
	if got, err := Run(t.Context(), r, h); err != nil || got.Finding != "f-1" || len(got.Trials) != 1 {
		t.Errorf("%+v, %v", got, err)
	}
	r.Profile = ""
	// What the baseline fails, too, is not held against a variant.
	r.Fixes, r.Check = []string{"f-1"}, "echo FAIL: always; exit 1"
	if got, err := Run(t.Context(), r, h); err != nil || got.Outcome.Variants[0].Verdict == trial.Failed || !h.said("fails the tests that the baseline fails, too: always") {
		t.Errorf("%v, %q", err, h.remarks)
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
	ctx, cancel := context.WithCancel(t.Context())
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
