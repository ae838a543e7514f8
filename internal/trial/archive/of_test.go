package archive

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"whyhot/internal/host/allocator"
	"whyhot/internal/trial"
	"whyhot/internal/trial/suite"
	"whyhot/internal/trial/variant"
)

func put(t *testing.T, path, text string) string {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o755); err != nil {
		t.Fatal(err)
	}
	return path
}

func roles(r *Record) string {
	var out []string
	for _, f := range r.Files {
		out = append(out, f.Role)
	}
	return strings.Join(out, ", ")
}

// A record names every program that ran: the baseline's, those that were built,
// other command lines and libraries.
func TestRecordOfATrial(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"base/prog", "base/input", "base/other", "built/prog"} {
		put(t, filepath.Join(dir, name), name)
	}
	library := put(t, filepath.Join(dir, "lib.so"), "library")
	p := &trial.Plan{Command: []string{"./prog", "input"}, Dir: filepath.Join(dir, "base"), Variants: []variant.Variant{
		{Name: "built", Build: &variant.Build{}, Built: &variant.Built{Dir: filepath.Join(dir, "built")}},
		{Name: "other", Command: []string{"./other"}},
		{Name: "lib", Preload: &allocator.Library{Name: "lib", Path: library}},
	}}
	o := &trial.Outcome{Command: p.Command, Metric: trial.Wall, Seed: 3, Variants: []trial.VariantArm{{Arm: trial.Arm{Name: "built"}, Verdict: trial.Same}}}
	r := Of(o, p)
	want := "program of baseline, argument 1 of baseline, program of built, program of other, library lib"
	if got := roles(r); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if r.Seed != 3 || len(r.Results) != 1 || r.Results[0].Verdict != trial.Same || r.Outcome != any(o) {
		t.Errorf("%+v", r)
	}
	if r.Files[2].Path != filepath.Join(dir, "built", "prog") {
		t.Errorf("the program that was built: %+v", r.Files[2])
	}
}

func TestRecordOfASuite(t *testing.T) {
	dir := t.TempDir()
	put(t, filepath.Join(dir, "prog"), "prog")
	path := put(t, filepath.Join(dir, "suite.yaml"), "benchmarks")
	s := &suite.Result{Name: "mine", Benchmarks: []suite.Benchmarked{
		{Name: "a", Outcome: &trial.Outcome{Command: []string{"./prog"}, Directory: dir}}, {Name: "not measured"},
	}, Summary: []suite.Summary{{Variant: "v", Verdict: trial.Faster}}}
	r := OfSuite(s, path, os.Environ())
	if got := roles(r); got != "suite, program of a" || len(r.Results) != 1 || r.Results[0].Ratio != nil {
		t.Errorf("%s, %+v", got, r.Results)
	}
}

func TestStandardInput(t *testing.T) {
	dir := t.TempDir()
	words, empty := put(t, filepath.Join(dir, "words"), "ab"), put(t, filepath.Join(dir, "empty"), "")
	path, file, err := StandardInput(nil, words)
	if err != nil || path != words || file == nil || file.Path != words || file.Size != 2 {
		t.Fatalf("%s, %+v, %v", path, file, err)
	}
	if path, file, err := StandardInput(nil, ""); path != "" || file != nil || err != nil {
		t.Errorf("none: %s, %+v, %v", path, file, err)
	}
	was := &Record{ID: "x", Files: []File{{Role: "suite"}, *file}}
	for _, given := range []string{"", empty} {
		if path, file, err := StandardInput(was, given); path != words || file == nil || err != nil {
			t.Errorf("repeated with %q: %s, %+v, %v", given, path, file, err)
		}
	}
	was.Files[1].Path = ""
	if _, _, err := StandardInput(was, ""); err == nil || !strings.Contains(err.Error(), "2 bytes from a pipe") {
		t.Error(err)
	}
	if path, _, err := StandardInput(was, words); path != words || err != nil {
		t.Errorf("given again: %s, %v", path, err)
	}
	was.Files[1].Path = filepath.Join(dir, "gone")
	if _, _, err := StandardInput(was, ""); err == nil {
		t.Error("an input that is gone")
	}
}
