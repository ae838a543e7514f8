package explain

import (
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"whyhot/internal/explain/build"
	"whyhot/internal/explain/judge"
	"whyhot/internal/explain/source"
	"whyhot/internal/fetch"
	"whyhot/internal/finding"
	"whyhot/internal/finding/ledger"
	"whyhot/internal/profile"
)

const (
	busyMalloc = "app;main_[app];malloc_[libc.so.6];_int_malloc_[libc.so.6] 400\napp;main_[app];f_[app] 600\n"
	plain      = "app;main_[app];f_[app] 1000\n"
)

// readFolded writes a profile and reads it as a command would.
func readFolded(t *testing.T, text string) (path string, p *profile.Profile) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "p.folded")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := fetch.Profile(t.Context(), path, fetch.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return path, f.Profile
}

func builtin(t *testing.T) Rules {
	t.Helper()
	r, err := LoadRules()
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestExplain(t *testing.T) {
	path, p := readFolded(t, busyMalloc)
	r, err := Explain(t.Context(), Request{Profile: p, Path: path, Rules: builtin(t)})
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Findings) != 1 || r.Findings[0].Rule != "glibc-malloc" || r.Findings[0].General {
		t.Fatalf("findings %+v", r.Findings)
	}
	if r.Profile == nil || r.Profile.Path != path || r.Profile.Samples != 1000 || r.Version != finding.SchemaVersion {
		t.Errorf("profile %+v", r.Profile)
	}
	if !strings.Contains(r.Findings[0].Next.String(), path) {
		t.Errorf("the next command does not name the profile: %s", r.Findings[0].Next)
	}
	if !strings.Contains(r.Looked, "catalogue entries were checked on 1000 samples") {
		t.Errorf("looked at %q", r.Looked)
	}
}

// An empty list is no answer where one function has most of the CPU.
func TestExplainShowsWhatItCannotExplain(t *testing.T) {
	path, p := readFolded(t, plain)
	r, err := Explain(t.Context(), Request{Profile: p, Path: path, Rules: builtin(t)})
	if err != nil || len(r.Findings) != 0 || len(r.Unexplained) != 1 || r.Unexplained[0].Place.Function != "f" {
		t.Fatalf("%+v, %v", r, err)
	}
	if u := r.Unexplained[0]; !strings.Contains(u.Looked, "catalogue entries were checked") || !strings.Contains(u.Looked, "-p BUILD_DIR") || !strings.Contains(u.Looked, "-g") {
		t.Errorf("looked at %q", u.Looked)
	}
	_, p = readFolded(t, "app;main_[app];malloc_[libc.so.6];_int_malloc_[libc.so.6] 1000\n")
	if r, err = Explain(t.Context(), Request{Profile: p, Rules: builtin(t)}); err != nil || len(r.Findings) != 1 || len(r.Unexplained) != 0 {
		t.Errorf("the allocator is explained: %+v, %v", r, err)
	}
}

// General advice is named where nothing particular is worthwhile, and shown on
// demand.
func TestGeneralAdvice(t *testing.T) {
	_, p := readFolded(t, plain)
	rules := builtin(t)
	r, err := Explain(t.Context(), Request{Profile: p, Rules: rules})
	if err != nil || len(r.Findings) != 0 || !slices.ContainsFunc(r.Notes, func(n string) bool { return strings.Contains(n, "--all shows it") }) {
		t.Errorf("findings %v, notes %q, %v", r.Findings, r.Notes, err)
	}
	r, err = Explain(t.Context(), Request{Profile: p, Rules: rules, All: true})
	if err != nil || len(r.Findings) != 1 || r.Findings[0].Rule != "pgo-lto-native" {
		t.Errorf("with --all: %v, %v", r.Findings, err)
	}
	_, p = readFolded(t, busyMalloc)
	r, err = Explain(t.Context(), Request{Profile: p, Rules: rules})
	if err != nil || slices.ContainsFunc(r.Notes, func(n string) bool { return strings.Contains(n, "--all") }) {
		t.Errorf("general advice beside a worthwhile finding: %q, %v", r.Notes, err)
	}
}

func TestTrialsLiftFindings(t *testing.T) {
	path, p := readFolded(t, busyMalloc)
	request := Request{Profile: p, Path: path, Rules: builtin(t)}
	r, err := Explain(t.Context(), request)
	if err != nil {
		t.Fatal(err)
	}
	id := r.Findings[0].ID
	faster := finding.Trial{Variant: "mimalloc", Command: []string{"app"}, Runs: 9, Verdict: finding.Faster, SpeedUp: finding.Interval{Estimate: 1.2, Low: 1.1, High: 1.3}}
	if err := ledger.Append(path, id, []finding.Trial{faster}); err != nil {
		t.Fatal(err)
	}
	if r, err = Explain(t.Context(), request); err != nil || r.Findings[0].Certainty != finding.Proved || len(r.Findings[0].Trials) != 1 {
		t.Errorf("%+v, %v", r.Findings, err)
	}
	// Nothing lies beside the standard input, whatever a file "-" says.
	request.Path = "-"
	if r, err = Explain(t.Context(), request); err != nil || r.Findings[0].Certainty == finding.Proved || r.Profile.Path != "" {
		t.Errorf("%+v, %v", r, err)
	}
}

func TestFind(t *testing.T) {
	path, p := readFolded(t, busyMalloc)
	rules := builtin(t)
	r, err := Explain(t.Context(), Request{Profile: p, Path: path, Rules: rules, All: true})
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range r.Findings { // the general one, too
		f, err := Find(t.Context(), Request{Profile: p, Path: path, Rules: rules}, want.ID)
		if err != nil || f.ID != want.ID {
			t.Errorf("%s: %v, %v", want.ID, f, err)
		}
		if want.Rule == "glibc-malloc" && !slices.Contains(f.Fix.Preload, "mimalloc") {
			t.Errorf("%s proposes to preload %v", want.ID, f.Fix.Preload)
		}
	}
	if _, err := Find(t.Context(), Request{Profile: p, Path: path, Rules: rules}, "other-00000000"); err == nil || !strings.Contains(err.Error(), r.Findings[0].ID) {
		t.Errorf("the error does not name what there is: %v", err)
	}
	if _, err := Pick(nil, "here", "x"); err == nil || !strings.Contains(err.Error(), "none at all") {
		t.Error(err)
	}
}

func write(t *testing.T, dir, name, text string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

const entry = `id: slow-parse
title: slow_parse is slow
type: antipattern
ecosystem: native
family: other
why: it is
match:
  any:
    - name: ['^slow_parse$']
  measure: inclusive
  min_share: 0.05
  place: function
swap:
  kind: code
  steps: [use quick_parse]
reduction:
  low: 0.1
  high: 0.5
  basis: guessed
tests:
  - name: hot
    profile: |
      app;main_[app];slow_parse_[app] 600
      app;main_[app] 400
    expect: %s
  - name: other
    profile: |
      app;main_[app];parse_[app] 1000
    expect: silent
`

const matcher = `matchers:
  - id: own-loop
    message: a loop
    matcher: forStmt().bind("loop")
`

// One directory holds both kinds of rules.
func TestLoadRules(t *testing.T) {
	both := t.TempDir()
	write(t, both, "slow.yaml", strings.Replace(entry, "%s", "found", 1))
	write(t, both, "own.yaml", matcher)
	r, err := LoadRules(both)
	if err != nil || len(r.Source) != 1 || len(r.own) != 1 {
		t.Fatalf("%d source rules, %d entries, %v", len(r.Source), len(r.own), err)
	}
	if _, ok := r.Catalog.Entry("slow-parse"); !ok || len(r.Catalog.Entries) != len(builtin(t).Catalog.Entries)+1 {
		t.Error("the catalogue lacks the entry, or its own")
	}
	_, p := readFolded(t, "app;main_[app];slow_parse_[app] 600\napp;main_[app] 400\n")
	report, err := Explain(t.Context(), Request{Profile: p, Rules: r})
	if err != nil || len(report.Findings) != 1 || !strings.Contains(report.Findings[0].Next.String(), "--rules "+both) {
		t.Errorf("%+v, %v", report.Findings, err)
	}
	only := t.TempDir()
	write(t, only, "own.yaml", matcher)
	if r, err = LoadRules(only); err != nil || len(r.Source) != 1 {
		t.Errorf("source rules alone: %v", err)
	}
	neither := t.TempDir()
	for name, wrong := range map[string]string{neither: "yaml", filepath.Join(both, "slow.yaml"): "not a directory", filepath.Join(both, "absent"): "no such file"} {
		if _, err := LoadRules(name); err == nil || !strings.Contains(err.Error(), wrong) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestCheckRunsTheEntriesTests(t *testing.T) {
	right, wrong := t.TempDir(), t.TempDir()
	write(t, right, "slow.yaml", strings.Replace(entry, "%s", "found", 1))
	mistaken := strings.Replace(entry, "slow_parse_[app] 600", "quick_parse_[app] 600", 1)
	write(t, wrong, "slow.yaml", strings.Replace(mistaken, "%s", "found", 1))
	r, err := LoadRules(right)
	if err != nil {
		t.Fatal(err)
	}
	if done, err := r.Check(t.Context()); err != nil || !reflect.DeepEqual(done, Checked{Entries: 1, Tests: 2}) {
		t.Errorf("%+v, %v", done, err)
	}
	if r, err = LoadRules(wrong); err != nil {
		t.Fatal(err)
	}
	if _, err := r.Check(t.Context()); err == nil || !strings.Contains(err.Error(), "1 of 2 tests failed") {
		t.Errorf("a wrong expectation: %v", err)
	}
}

func TestPatchSaysWhatItLacks(t *testing.T) {
	path, p := readFolded(t, busyMalloc)
	r, err := Explain(t.Context(), Request{Profile: p, Path: path, Rules: builtin(t)})
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		request PatchRequest
		wrong   string
	}{
		"kind":             {PatchRequest{Subject: "a.c:1", Kind: "magic"}, "--kind magic"},
		"a line, no build": {PatchRequest{Subject: "a.c:1"}, "say where the build is"},
		"no source of it":  {PatchRequest{Subject: "alias-char-write-00000000"}, "is no FILE:LINE"},
		"not in the list":  {PatchRequest{Subject: "x-1", Findings: r.Findings, FindingsFile: "r.json"}, "r.json has no finding x-1"},
		"not on profile":   {PatchRequest{Subject: "x-1", Profile: p, ProfilePath: path}, "has no finding x-1"},
		"no build file":    {PatchRequest{Subject: r.Findings[0].ID, Profile: p, ProfilePath: path, Dir: t.TempDir()}, "build file"},
	} {
		c.request.Rules = builtin(t)
		if _, err := Patch(t.Context(), c.request); err == nil || !strings.Contains(err.Error(), c.wrong) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestCoverageIsAFraction(t *testing.T) {
	_, p := readFolded(t, plain)
	for _, c := range []float64{-0.1, 1.1} {
		r := Request{Profile: p, Rules: builtin(t), Source: &SourceRequest{Build: &source.Build{}, Coverage: c}}
		if _, err := Explain(t.Context(), r); err == nil || !strings.Contains(err.Error(), "coverage") {
			t.Errorf("coverage %v: %v", c, err)
		}
	}
}

func TestWhatMakesOthersMootComesFirst(t *testing.T) {
	var h heard
	for _, f := range []finding.Finding{
		{ID: "large", Rule: "alias-char-write"},
		{ID: "seen in frames alone", Rule: unoptimised, Certainty: finding.Suspected},
		{ID: "refuted", Rule: build.RuleInstrumented, Certainty: finding.Refuted},
		{ID: "moot", Rule: build.RuleSanitizer, Certainty: finding.Confirmed},
	} {
		h.found = append(h.found, judge.Found{Finding: f})
	}
	markForemost(h.found)
	found := h.findings()
	finding.Rank(found)
	if found[0].ID != "moot" || found[1].ID != "large" {
		t.Errorf("%+v", found)
	}
}
