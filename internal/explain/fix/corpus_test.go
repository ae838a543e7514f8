package fix_test

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"whyhot/internal/explain/analyzer/analyzertest"
	"whyhot/internal/explain/compdb"
	"whyhot/internal/explain/fix"
)

var update = flag.Bool("update", false, "write the golden diffs anew")

// fixture is a source file whose first lines say what is asked and what is to
// come of it; the line with HERE is the place.
type fixture struct {
	path  string
	text  []byte
	kind  string
	flags []string
	want  string // "fixed", "assumed: TEXT" or "refused: TEXT"
	line  int
}

func readFixture(t *testing.T, path string) fixture {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	f := fixture{path: path, text: text}
	for i, line := range strings.Split(string(text), "\n") {
		line = strings.TrimRight(line, "\r")
		if rest, ok := strings.CutPrefix(line, "// fix: "); ok {
			f.kind = rest
		} else if rest, ok := strings.CutPrefix(line, "// flags: "); ok {
			f.flags = strings.Fields(rest)
		} else if rest, ok := strings.CutPrefix(line, "// want: "); ok {
			f.want = rest
		}
		if strings.Contains(line, "// HERE") {
			f.line = i + 1
		}
	}
	if f.kind == "" || f.want == "" || f.line == 0 {
		t.Fatalf("%s lacks a line that says what is wanted, or HERE", path)
	}
	return f
}

func (f fixture) compiler() string {
	if filepath.Ext(f.path) == ".c" {
		return "clang-19"
	}
	return "clang++-19"
}

// TestCorpus holds every fixture against its golden diff or the reason of its
// refusal, and runs both sides of what was fixed: they write the same.
func TestCorpus(t *testing.T) {
	t.Parallel()
	binary := analyzertest.Path(t)
	files, err := filepath.Glob("../../../analyzer/test/fix/*.c*")
	files = slices.DeleteFunc(files, func(f string) bool { return strings.HasSuffix(f, ".diff") })
	if err != nil || len(files) < 40 {
		t.Fatalf("%d fixtures (%v), want 40 at least", len(files), err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			t.Parallel()
			checkFixture(t, binary, readFixture(t, file))
		})
	}
}

func checkFixture(t *testing.T, binary string, f fixture) {
	t.Helper()
	abs, err := filepath.Abs(f.path)
	if err != nil {
		t.Fatal(err)
	}
	unit, err := compdb.FromCommand(filepath.Dir(abs), abs, append(append([]string{f.compiler()}, f.flags...), "-c", abs))
	if err != nil {
		t.Fatal(err)
	}
	o := fix.Options{Binary: binary, Units: []compdb.Unit{unit}, Workers: 1}
	p, err := fix.Propose(t.Context(), o, fix.Place{File: abs, Line: f.line}, []string{f.kind})
	if reason, ok := strings.CutPrefix(f.want, "refused:"); ok {
		text := fmt.Sprint(err, p.Refusals)
		if p.Sound() || !strings.Contains(text, strings.TrimSpace(reason)) {
			t.Fatalf("want a refusal with %q, have %v; diff:\n%s", reason, text, fix.Diff(p.Changes, filepath.Dir(abs)))
		}
		return
	}
	if err != nil || !p.Sound() {
		t.Fatalf("not fixed: %v %v; effect %q; diff:\n%s", err, p.Refusals, p.Effect, fix.Diff(p.Changes, filepath.Dir(abs)))
	}
	reason, assumed := strings.CutPrefix(f.want, "assumed: ")
	if text := fmt.Sprint(p.Assumptions); assumed && !strings.Contains(text, reason) || !assumed && len(p.Assumptions) > 0 {
		t.Errorf("want %q, have the assumptions %v", f.want, text)
	}
	golden(t, f.path+".diff", fix.Diff(p.Changes, filepath.Dir(abs)))
	if was, is := output(t, f, f.text), output(t, f, p.Changes[0].After); was != is || was == "" {
		t.Errorf("the program wrote %q and writes %q", was, is)
	}
}

func golden(t *testing.T, path, have string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(path, []byte(have), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(want, []byte(have)) {
		t.Errorf("%s differs; have:\n%s", path, have)
	}
}

// output builds a program with bounds and undefined behaviour checked and runs it.
func output(t *testing.T, f fixture, text []byte) string {
	t.Helper()
	dir := t.TempDir()
	source := filepath.Join(dir, "x"+filepath.Ext(f.path))
	if err := os.WriteFile(source, text, 0o600); err != nil {
		t.Fatal(err)
	}
	args := append(append([]string{}, f.flags...), "-fsanitize=undefined", "-fno-sanitize-recover=all", source, "-o", filepath.Join(dir, "x"))
	if out, err := exec.CommandContext(t.Context(), f.compiler(), args...).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	out, err := exec.CommandContext(t.Context(), filepath.Join(dir, "x")).CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return string(out)
}
