package main

import (
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// module is a real module, so that what is read is what this Go's test runner writes.
func module(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{
		"go.mod":         "module m\ngo 1.24\n",
		"good/g_test.go": "package good\nimport \"testing\"\nfunc TestGood(t *testing.T) { t.Log(\"not shown\"); t.Run(\"part\", func(t *testing.T) {}) }\n",
		"skips/s_test.go": "package skips\nimport \"testing\"\nfunc TestSkips(t *testing.T) { t.Log(\"first\"); t.Skip(\"no moon,\\n no stars\") }\n" +
			"func TestPart(t *testing.T) { t.Run(\"a/b\", func(t *testing.T) { t.SkipNow() }) }\n",
		"bad/b_test.go":    "package bad\nimport \"testing\"\nfunc TestBad(t *testing.T) { t.Error(\"seen one\") }\nfunc TestFine(t *testing.T) {}\n",
		"broken/b_test.go": "package broken\nfunc f() { undefined() }\n",
		"panics/p_test.go": "package panics\nimport \"testing\"\nfunc TestPanics(t *testing.T) { panic(\"very wrong\") }\n",
		"empty/e.go":       "package empty\n",
	} {
		write(t, filepath.Join(dir, name), text)
	}
	return dir
}

func goTest(t *testing.T, dir string, packages ...string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "go", append([]string{"test", "-json"}, packages...)...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOFLAGS=", "GOWORK=off")
	out, err := cmd.Output() // fails where a test fails
	if exit := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return string(out)
}

func outcomes(results []result) []string {
	var out []string
	for _, r := range results {
		out = append(out, strings.TrimSpace(r.Outcome+" "+r.String()+" "+r.Reason))
	}
	slices.Sort(out)
	return out
}

func TestGoRun(t *testing.T) {
	var shown strings.Builder
	results, failed, err := readGo(strings.NewReader(goTest(t, module(t), "./...")), &shown)
	if err != nil || !failed {
		t.Fatalf("failed %v, %v", failed, err)
	}
	want := []string{
		"fail m/bad TestBad", "fail m/broken", "fail m/panics TestPanics", "pass m/bad TestFine", "pass m/good TestGood",
		"pass m/good TestGood/part", "pass m/skips TestPart", "skip m/skips TestPart/a/b", "skip m/skips TestSkips no moon, no stars",
	}
	if got := outcomes(results); !slices.Equal(got, want) {
		t.Errorf("have\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	for _, text := range []string{"ok  \tm/good", "seen one", "undefined", "very wrong", "FAIL\tm/bad", "?   \tm/empty"} {
		if !strings.Contains(shown.String(), text) {
			t.Errorf("%q is not shown", text)
		}
	}
	for _, text := range []string{"not shown", "=== RUN   TestGood", "no moon", "PASS\n"} {
		if strings.Contains(shown.String(), text) {
			t.Errorf("%q is shown", text)
		}
	}
	if t.Failed() {
		t.Log(shown.String())
	}
}

// What is no JSON is the go command's own, for example what it downloads.
func TestGoRunOtherLines(t *testing.T) {
	var shown strings.Builder
	results, failed, err := readGo(strings.NewReader("go: downloading x\n{broken\nlast"), &shown)
	if err != nil || failed || len(results) > 0 || shown.String() != "go: downloading x\n{broken\nlast" {
		t.Errorf("%v %v %v %q", results, failed, err, shown.String())
	}
}

func TestReason(t *testing.T) {
	for want, said := range map[string]string{
		"no moon, no stars":  "=== RUN   TestA\n    a_test.go:3: first\n    a_test.go:4: no moon,\n         no stars\n--- SKIP: TestA (0.00s)\n",
		"":                   "=== RUN   TestA\n--- SKIP: TestA (0.00s)\n",
		"gcc is not there":   "    testscript.go:584: WORK=$WORK\n        # A line. (0.0s)\n        > exec true\n        > [!exec:gcc] skip 'gcc is not there'\n        \n",
		"for no reason else": "    testscript.go:584: > skip 'for no reason else'\n        > skip 'for no reason else'\n",
	} {
		if got := reason(said); got != want {
			t.Errorf("%q gives %q, want %q", said, got, want)
		}
	}
}

func TestTAP(t *testing.T) {
	results, err := readTAP(strings.NewReader(`TAP version 13
# Subtest: sums
ok 1 - sums
  ---
  duration_ms: 1
  ...
# Subtest: suite
    # Subtest: inner # one
    ok 1 - inner # one
    # Subtest: later
    ok 2 - later # TODO not yet
    1..2
not ok 2 - suite
ok 3 - drawn # SKIP no screen
ok 4 - silent # SKIP
1..4
# pass 2
`), "web")
	want := []string{"fail web suite", "pass web inner # one", "pass web sums", "skip web drawn no screen", "skip web later not yet", "skip web silent"}
	if got := outcomes(results); err != nil || !slices.Equal(got, want) {
		t.Errorf("%v; have\n%s\nwant\n%s", err, strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	// A file that waits for ever fails as a whole; run again, it takes the place of that.
	late, err := readTAP(strings.NewReader("TAP version 13\nok 1 - sums\nnot ok 2 - /src/web/a.test.ts\n"), "web/a.test.ts")
	if got := outcomes(late); err != nil || !slices.Equal(got, []string{"fail web/a.test.ts", "pass web/a.test.ts sums"}) {
		t.Errorf("%q, %v", got, err)
	}
	dir := t.TempDir()
	first, second := filepath.Join(dir, "first"), filepath.Join(dir, "second")
	if err := errors.Join(writeResults(first, late), writeResults(second, late[:1]), runAgain(first, second)); err != nil {
		t.Error(err)
	}
	if all, err := readResults(first); err != nil || len(all) != 1 || !all[0].FailedAtFirst {
		t.Errorf("%v, %v", all, err)
	}
	if _, err := readTAP(strings.NewReader("node: bad option\n"), "web"); err == nil {
		t.Error("what is no TAP was read")
	}
}

func TestSummary(t *testing.T) {
	const allowed = "- test: \"m/* TestMoon*\"\n  says: no moon*\n  why: it is day\n- {test: step .NET, says: \"*\", why: Debian has none}\n"
	for _, c := range []struct {
		name    string
		results []result
		steps   string
		ok      bool
		text    string
		last    string
	}{
		{
			"all passed", []result{{Suite: "m/a", Test: "TestA", Outcome: pass, Seconds: 2}, {Suite: "m/a", Test: "TestA/b", Outcome: pass, Seconds: 1}},
			"build\t3.4\t6\tok\ntest\t2\t1\tok\n", true, "       5        7  all\n", "2 passed, 0 failed, 0 skipped\n",
		},
		{"slowest", []result{{Suite: "m/a", Test: "TestA", Outcome: pass, Seconds: 2}, {Suite: "m/a", Test: "TestA/b", Outcome: pass, Seconds: 1}}, "", true, "       2  m/a\n", "2 passed, 0 failed, 0 skipped\n"},
		{"failed", []result{{Suite: "m/a", Test: "TestA", Outcome: fail, Seconds: 2}}, "", false, "FAILED m/a TestA\n", "0 passed, 1 failed, 0 skipped\n"},
		{"expected skip", []result{{Suite: "m/x/y", Test: "TestMoon/full", Outcome: skip, Seconds: 0, Reason: "no moon here"}}, "", true, "expected: it is day", "0 passed, 0 failed, 1 skipped\n"},
		{"another reason", []result{{Suite: "m/x/y", Test: "TestMoon/full", Outcome: skip, Seconds: 0, Reason: "no stars"}}, "", false, "NOT EXPECTED", "0 passed, 0 failed, 1 skipped\n"},
		{"another test", []result{{Suite: "m/x/y", Test: "TestSun", Outcome: skip, Seconds: 0, Reason: "no moon here"}}, "", false, "NOT EXPECTED", "0 passed, 0 failed, 1 skipped\n"},
		{"a step is left out", nil, ".NET\t0\t0\tleft out: no network\n", true, "step .NET: no network", "0 passed, 0 failed, 1 skipped\n"},
		{"another step is left out", nil, "lint\t0\t0\tleft out: no tool\n", false, "NOT EXPECTED", "0 passed, 0 failed, 1 skipped\n"},
		{"a step failed", nil, "vet\t0\t0\tfailed\n", false, "vet  failed", "0 passed, 0 failed, 0 skipped\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			expected := filepath.Join(dir, "expected.yaml")
			write(t, expected, allowed)
			write(t, filepath.Join(dir, "steps.tsv"), c.steps)
			if err := writeResults(filepath.Join(dir, "go.jsonl"), c.results); err != nil {
				t.Fatal(err)
			}
			var out strings.Builder
			err := run([]string{"summary", dir, expected}, nil, &out)
			anySkip := run([]string{"summary", dir}, nil, &strings.Builder{})
			if failed := strings.Contains(c.text, "FAILED") || strings.Contains(c.text, "failed"); (anySkip == nil) == failed {
				t.Errorf("without a list: %v", anySkip)
			}
			if (err == nil) != c.ok || err != nil && !errors.Is(err, errFailed) {
				t.Errorf("error %v", err)
			}
			if !strings.Contains(out.String(), c.text) || !strings.HasSuffix(out.String(), c.last) {
				t.Errorf("want %q and at the end %q, have\n%s", c.text, c.last, out.String())
			}
		})
	}
}

func TestBadInput(t *testing.T) {
	dir := t.TempDir()
	steps, expected := filepath.Join(dir, "steps.tsv"), filepath.Join(dir, "expected.yaml")
	for text, files := range map[string][2]string{
		"lacks test, says or why": {"", "- test: a\n  says: b\n"},
		"unknown field":           {"", "- test: a\n  says: b\n  why: c\n  wy: d\n"},
		"is not name, seconds":    {"build 3\n", "- {test: a, says: b, why: c}\n"},
		"invalid syntax":          {"build\tx\t1\tok\n", "- {test: a, says: b, why: c}\n"},
	} {
		write(t, steps, files[0])
		write(t, expected, files[1])
		if err := run([]string{"summary", dir, expected}, nil, &strings.Builder{}); err == nil || !strings.Contains(err.Error(), text) {
			t.Errorf("%q: %v, want %q", files, err, text)
		}
	}
	if err := run([]string{"sum"}, nil, nil); err == nil || !strings.Contains(err.Error(), "usage:") {
		t.Error(err)
	}
}

// The list that `make test` uses can be read, and every entry says why.
func TestOurList(t *testing.T) {
	if _, err := readExpected("../../scripts/expected-skips.yaml"); err != nil {
		t.Error(err)
	}
}

// A package whose test fails every other time: the second run takes the first one's
// place, and what failed at first is named.
func TestRunAgain(t *testing.T) {
	dir := module(t)
	write(t, filepath.Join(dir, "moody/m_test.go"), "package moody\nimport (\"os\"; \"testing\")\n"+
		"func TestMoody(t *testing.T) { if os.Getenv(\"MOOD\") == \"\" { t.Error(\"bad mood\") } }\n"+
		"func TestCalm(t *testing.T) {}\n")
	keep := func(name string, packages ...string) string {
		path := filepath.Join(dir, name)
		results, _, err := readGo(strings.NewReader(goTest(t, dir, packages...)), io.Discard)
		if err != nil {
			t.Fatal(err)
		}
		if err := writeResults(path, results); err != nil {
			t.Fatal(err)
		}
		return path
	}
	first := keep("first.jsonl", "./good", "./moody")
	var failed strings.Builder
	if err := run([]string{"failed", first}, nil, &failed); err != nil || failed.String() != "m/moody\n" {
		t.Fatalf("%q, %v", failed.String(), err)
	}
	if err := run([]string{"again", first, keep("still", "./moody")}, nil, io.Discard); !errors.Is(err, errFailed) {
		t.Errorf("failed twice: %v", err)
	}
	t.Setenv("MOOD", "good")
	if err := run([]string{"again", first, keep("second", "./moody")}, nil, io.Discard); err != nil {
		t.Errorf("passed when run again: %v", err)
	}
	results, err := readResults(first)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"pass m/good TestGood", "pass m/good TestGood/part", "pass m/moody TestCalm", "pass m/moody TestMoody"}
	if got := outcomes(results); !slices.Equal(got, want) {
		t.Errorf("have %q", got)
	}
	write(t, filepath.Join(dir, "steps.tsv"), "")
	var said strings.Builder
	if err := summary(&said, dir, nil); err != nil || !strings.Contains(said.String(), "UNSTEADY: failed, and passed when run again: m/moody TestMoody\n") ||
		strings.Contains(said.String(), "again: m/moody TestCalm") || !strings.HasSuffix(said.String(), "4 passed, 0 failed, 0 skipped, 1 unsteady: passed only when run again\n") {
		t.Errorf("%v\n%s", err, said.String())
	}

	// What ended a package before its other tests ran does not vanish.
	panicked := keep("panicked.jsonl", "./panics")
	if err := run([]string{"again", panicked, keep("other", "./moody")}, nil, io.Discard); !errors.Is(err, errFailed) {
		t.Errorf("a run that does not have the failed test: %v", err)
	}
}
