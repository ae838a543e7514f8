package source

import (
	"bytes"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"whyhot/internal/explain/analyzer/analyzertest"
	"whyhot/internal/finding"
)

// copied is a build of copies of files.
func copied(t *testing.T, dirs ...string) *Build {
	t.Helper()
	to := t.TempDir()
	var entries []string
	for i, dir := range dirs {
		err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
			if err != nil || !slices.Contains([]string{".c", ".cpp", ".h"}, filepath.Ext(path)) {
				return err
			}
			text, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			compiler := map[string]string{".c": "clang-19 -std=gnu17", ".cpp": "clang++-19 -std=c++20"}[filepath.Ext(path)]
			name := fmt.Sprintf("%d-%s", i, d.Name())
			if filepath.Ext(path) == ".h" {
				name = d.Name()
			} else {
				entries = append(entries, fmt.Sprintf(`{"directory": %q, "file": %q, "command": "%s -O3 -c %s"}`, to, name, compiler, name))
			}
			return os.WriteFile(filepath.Join(to, name), text, 0o600)
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(to, database), []byte("["+strings.Join(entries, ",")+"]"), 0o600); err != nil {
		t.Fatal(err)
	}
	b, err := Open(to)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func ids(t *testing.T, b *Build, suspected bool) map[string]finding.Finding {
	t.Helper()
	a, err := b.Scan(t.Context(), nil, suspected, Options{Stores: Stores(), Remarks: suspected, NoCache: true, NoPatches: true})
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]finding.Finding{}
	for _, f := range a.Findings {
		if o, taken := out[f.ID]; taken {
			t.Errorf("%s is %s:%d and %s:%d", f.ID, filepath.Base(f.Place.File), f.Place.Line, filepath.Base(o.Place.File), o.Place.Line)
		}
		out[f.ID] = f
	}
	return out
}

// Each fixture of the analyser is a unit of one build; twins.cpp has what tells two
// loops apart least.
func TestIDsAreUnique(t *testing.T) {
	analyzertest.Use(t)
	dirs := []string{"testdata/ids", "../../../analyzer/test/ast", "../../../analyzer/test/ir"}
	if all := ids(t, copied(t, dirs...), true); len(all) < 250 {
		t.Errorf("%d findings, want 250 at least: too few to tell", len(all))
	}
}

// An id is of the loop, not of its line: lines that move, and units and functions that
// are not looked at, leave it as it is.
func TestIDsStay(t *testing.T) {
	analyzertest.Use(t)
	b := copied(t, "testdata/ids")
	before := ids(t, b, true)
	if len(before) < 40 {
		t.Fatalf("%d findings, want 40 at least", len(before))
	}
	for id, f := range before {
		if f.Place.Line == 0 {
			t.Errorf("%s has no line", id)
		}
	}
	files, err := filepath.Glob(filepath.Join(b.Dir(), "*.*"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		if filepath.Base(file) == database {
			continue
		}
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		// Above the functions, and in them above their loops.
		text = append([]byte("// moved\n\n"), bytes.ReplaceAll(text, []byte("  for ("), []byte("  // moved\n  for ("))...)
		if err := os.WriteFile(file, text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	after := ids(t, b, true)
	for id := range before {
		if _, ok := after[id]; !ok {
			t.Errorf("%s, %s of line %d, has another id where lines moved", id, before[id].Rule, before[id].Place.Line)
		}
	}
	one, err := b.Only("0-twins.cpp")
	if err != nil {
		t.Fatal(err)
	}
	for id := range ids(t, one, true) {
		if _, ok := after[id]; !ok {
			t.Errorf("%s is in one unit, not in the build that has it", id)
		}
	}
	if len(after) != len(before) {
		t.Errorf("%d findings where there were %d: %v", len(after), len(before), slices.Sorted(maps.Keys(after)))
	}
}
