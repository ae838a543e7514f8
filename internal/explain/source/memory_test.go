package source

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"whyhot/internal/finding"
)

// counting is an analyser that finds one loop in a.cpp, which includes a.h as c.cpp
// does, and writes down what it is asked.
func counting(t *testing.T, b *Build) (asked func() int) {
	t.Helper()
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	log := filepath.Join(t.TempDir(), "log")
	loop := fmt.Sprintf(`[{"file": "%s/a.cpp", "line": 3, "column": 3, "function": "_Z1fv"}]`, b.Dir())
	worlds := `{"written": {"present": true, "loads_per_iteration": 4}, "hoisted": {"present": true, "loads_per_iteration": 1}}`
	reply := fmt.Sprintf(`{"loops": 1, "dependencies": ["a.cpp", "a.h"], "candidates": [{"predicate": "char", "function": "_Z1fv", "start": %s, "end_line": 5, "confirmed": true, "reach": ["hoisted"], "effect": "fewer loads", "worlds": %s, "writes": [{"kind": "write", "type": "i8", "where": %s}]}]}`, loop, worlds, loop)
	analyser(t, fmt.Sprintf(`echo x >> %s
case $request in
*a.cpp*) echo '%s' ;;
*c.cpp*) echo '{"loops": 1, "dependencies": ["c.cpp", "a.h"]}' ;;
*) echo '{"loops": 1, "dependencies": ["b.cpp"]}' ;;
esac`, log, reply))
	old := time.Now().Add(-time.Hour)
	for _, f := range []string{"a.cpp", "b.cpp", "c.cpp", "a.h", database} {
		if err := os.Chtimes(filepath.Join(b.Dir(), f), old, old); err != nil {
			t.Fatal(err)
		}
	}
	return func() int {
		text, err := os.ReadFile(log)
		if err != nil && !os.IsNotExist(err) {
			t.Fatal(err)
		}
		return strings.Count(string(text), "x")
	}
}

func withHeader(t *testing.T) *Build {
	t.Helper()
	b := build(t, "-O2", "a.cpp", "b.cpp", "c.cpp")
	if err := os.WriteFile(filepath.Join(b.Dir(), "a.h"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	return b
}

func TestWhatWasFoundIsNotAskedForAgain(t *testing.T) {
	b := withHeader(t)
	asked := counting(t, b)
	o := Options{Workers: 1}
	a, err := b.Scan(t.Context(), nil, false, o)
	if err != nil || len(a.Findings) != 1 || asked() != 3 {
		t.Fatalf("%d findings, %d requests, %v: %q", len(a.Findings), asked(), err, a.Notes)
	}
	id := a.Findings[0].ID
	// Other stores than those of the scan: the request would be another one.
	other := Options{Workers: 1, Stores: []string{"size"}}
	f, _, err := b.Find(t.Context(), id, other)
	if err != nil || f == nil || f.Place.Line != 3 || asked() != 3 {
		t.Errorf("%v, %v, %d requests, want the 3 of the scan", f, err, asked())
	}
	for line, want := range map[int]int{3: 1, 4: 1, 5: 1, 2: 0, 6: 0} {
		if fs, err := b.At(t.Context(), finding.Line{File: "a.cpp", Line: line}, false, other); err != nil || len(fs) != want || asked() != 3 {
			t.Errorf("line %d: %d findings, want %d, %v, %d requests", line, len(fs), want, err, asked())
		}
	}
	// The place is no longer known, its unit is.
	if err := os.WriteFile(filepath.Join(b.Dir(), "a.cpp"), []byte("//\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if fs, err := b.At(t.Context(), finding.Line{File: "a.cpp", Line: 3}, false, other); err != nil || len(fs) > 0 {
		t.Errorf("%v of a file that has changed, %v", fs, err)
	}
	if f, _, err = b.Find(t.Context(), id, o); err != nil || f == nil || asked() != 4 {
		t.Errorf("%v, %v, %d requests, want one more, of the unit that changed", f, err, asked())
	}
	if f, all, err := b.Find(t.Context(), "alias-char-write-00000000", o); err != nil || f != nil || len(all) != 1 {
		t.Errorf("%v, %v, %v", f, all, err)
	}
}

func TestAHeaderIsLookedAtWhereItIsRead(t *testing.T) {
	b := withHeader(t)
	asked := counting(t, b)
	o := Options{Workers: 1}
	if n := b.Including("a.h", o).Len(); n != 3 {
		t.Errorf("%d units have the header, want 3: of none is known what it reads", n)
	}
	if _, err := b.Scan(t.Context(), nil, false, o); err != nil {
		t.Fatal(err)
	}
	for file, want := range map[string]string{"a.h": "a.cpp c.cpp", filepath.Join(b.Dir(), "a.h"): "a.cpp c.cpp", "b.cpp": "b.cpp"} {
		var names []string
		for _, u := range b.Including(file, o).Units() {
			names = append(names, filepath.Base(u.File))
		}
		if have := strings.Join(names, " "); have != want || asked() != 3 {
			t.Errorf("%s: %s after %d requests, want %s", file, have, asked(), want)
		}
	}
	// What includes it may have changed.
	if err := os.WriteFile(filepath.Join(b.Dir(), "b.cpp"), []byte("#include \"a.h\"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if n := b.Including("a.h", o).Len(); n != 3 {
		t.Errorf("%d units have the header, want 3: one has changed", n)
	}
}
