package source

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"whyhot/internal/explain/analyzer"
	"whyhot/internal/explain/compdb"
	"whyhot/internal/finding"
)

// build writes a database of empty units.
func build(t *testing.T, flags string, files ...string) *Build {
	t.Helper()
	dir := t.TempDir()
	entries := make([]string, 0, len(files))
	for _, f := range files {
		path := filepath.Join(dir, f)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		entries = append(entries, `{"directory": "`+dir+`", "file": "`+f+`", "command": "g++ `+flags+` -c `+f+`"}`)
	}
	if err := os.WriteFile(filepath.Join(dir, database), []byte("["+strings.Join(entries, ",")+"]"), 0o600); err != nil {
		t.Fatal(err)
	}
	b, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// analyser puts a script in the analyser's place that answers every request with
// one line.
func analyser(t *testing.T, body string) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "analyser")
	script := "#!/bin/sh\nwhile read -r request; do\n" + body + "\ndone\n"
	if err := os.WriteFile(path, []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("WHYHOT_ANALYZER", path)
}

func TestBuilds(t *testing.T) {
	b := build(t, "-O3 -fipa-pta -flto", "a.cpp", "lib/b.cpp")
	if b.Len() != 2 || !slices.Equal(b.Foreign(), []string{"-fipa-pta"}) || !b.LTO() {
		t.Errorf("%d units, foreign %q, LTO %t", b.Len(), b.Foreign(), b.LTO())
	}
	one, err := b.Only("lib/b.cpp")
	if err != nil || one.Len() != 1 || b.Len() != 2 {
		t.Errorf("%+v, %v", one, err)
	}
	if _, err := b.Only("c.cpp"); err == nil || !strings.Contains(err.Error(), "none of c.cpp is in") {
		t.Error(err)
	}
	if plain := build(t, "-O2", "a.cpp"); len(plain.Foreign()) > 0 || plain.LTO() {
		t.Errorf("foreign %q, LTO %t", plain.Foreign(), plain.LTO())
	}
	if _, err := Open(""); !errors.Is(err, ErrNoBuild) {
		t.Error(err)
	}
}

// A flag that is tested before an inner loop costs nothing in it; a store that has the inner
// loop load again does.
func TestSharesWithoutInnerLoops(t *testing.T) {
	o := rankOptions(nil, false)
	for rule, want := range map[string]bool{"bitfield-flag": true, "missed-vectorize": true, "alias-char-write": false} {
		if got := o.Own(finding.Finding{Rule: rule}); got != want {
			t.Errorf("%s: %v", rule, got)
		}
	}
}

func TestNames(t *testing.T) {
	for written, want := range map[string]bool{"a.cpp": true, "src/a.cpp": true, "/x/src/a.cpp": true, "./src/a.cpp": true, "b.cpp": false, "ba.cpp": false, "rc/a.cpp": false} {
		if got := Names(written, "/x/src/a.cpp"); got != want {
			t.Errorf("%q: %t", written, got)
		}
	}
}

// A unit that does not compile costs that unit only, and units that lack the same
// are one note.
func TestUnitsWithoutAnAnswerAreNotes(t *testing.T) {
	analyser(t, `case $request in
*good.cpp*) echo '{"loops": 1}' ;;
*) echo '{"errors": ["x.cpp:1:2: fatal error: gone.h: no such file"]}' ;;
esac`)
	b := build(t, "-O2", "bad.cpp", "good.cpp", "worse.cpp")
	var steps []Progress
	a, err := b.Scan(t.Context(), nil, false, Options{Workers: 1, NoCache: true, Progress: func(p Progress) { steps = append(steps, p) }})
	if err != nil || len(a.Findings) > 0 {
		t.Fatalf("%v, %v", a.Findings, err)
	}
	text := strings.Join(a.Notes, "\n")
	if !strings.Contains(text, "2 units, ") || !strings.Contains(text, "does not compile: gone.h: no such file") || strings.Contains(text, "good.cpp") {
		t.Errorf("notes %q", a.Notes)
	}
	if len(steps) != 4 || steps[0] != (Progress{Of: 3, What: "units"}) || steps[3].Done != 3 || steps[3].File == "" {
		t.Errorf("progress %+v", steps)
	}
	if !strings.HasPrefix(a.Looked, "3 units were") {
		t.Errorf("looked at %q", a.Looked)
	}
}

func TestStopping(t *testing.T) {
	analyser(t, `echo '{"loops": 1}'`)
	b := build(t, "-O2", "a.cpp", "b.cpp")
	ctx, cancel := context.WithCancel(t.Context())
	_, err := b.Scan(ctx, nil, false, Options{Workers: 1, NoCache: true, Progress: func(p Progress) {
		if p.Done == 1 {
			cancel()
		}
	}})
	stopped, ok := errors.AsType[*StoppedError](err)
	if !ok || stopped.Of != 2 || !errors.Is(err, context.Canceled) || !strings.Contains(err.Error(), "of 2 units") {
		t.Errorf("%v", err)
	}
}

func TestLoopsSayWhyThereIsNone(t *testing.T) {
	b := build(t, "-O2", "a.cpp")
	at := finding.Line{File: "a.cpp", Line: 3}
	analyser(t, `echo '{"loops": 1}'`)
	if _, _, err := b.Loops(t.Context(), at, false, Options{NoCache: true}); err == nil || !strings.Contains(err.Error(), "no loop at a.cpp:3") {
		t.Error(err)
	}
	analyser(t, `echo '{"errors": ["a.cpp:1: error: no"]}'`)
	if _, _, err := b.Loops(t.Context(), at, false, Options{NoCache: true}); err == nil || !strings.Contains(err.Error(), "does not compile") {
		t.Error(err)
	}
	analyser(t, `case $request in *'"at":{"file":"a.cpp","line":3}'*'"assembly":true'*|*'"assembly":true'*'"at":{"file":"a.cpp","line":3}'*) echo '{"candidates": [{"function": "f"}]}' ;; *) echo '{}' ;; esac`)
	if loops, _, err := b.Loops(t.Context(), at, true, Options{NoCache: true}); err != nil || len(loops) != 1 || loops[0].Function != "f" {
		t.Errorf("%+v, %v", loops, err)
	}
}

// What is blamed is one table: fix had its own, which lacked volatile.
func TestEveryStoreOfAFindingIsKnown(t *testing.T) {
	for id, want := range map[string]string{
		"alias-char-write-1a2b3c4d": "char", "bitfield-store-1a2b3c4d": "bitfield", "alias-pointer-store-1a2b3c4d": "pointer",
		"alias-size-store-1a2b3c4d": "size", "volatile-loop-1a2b3c4d": "volatile", "vector-bool-1a2b3c4d": "",
	} {
		if got := StoreOf(id); got != want {
			t.Errorf("%s blames %q, want %q", id, got, want)
		}
	}
	if !slices.Contains(Stores(), "volatile") {
		t.Errorf("stores %q", Stores())
	}
}

// A function of a header that is not where it was looked for is lacking there; a
// unit without an answer lacks everything.
func TestLack(t *testing.T) {
	unit := func(f string) compdb.Unit { return compdb.Unit{File: f} }
	lacks := lackOf([]analyzer.Outcome{
		{Unit: unit("a"), Reply: analyzer.Reply{Undefined: []string{"f"}}},
		{Unit: unit("b"), Err: errors.New("crashed")},
	})
	for _, c := range []struct {
		unit, name string
		want       bool
	}{{"a", "f", true}, {"a", "g", false}, {"b", "g", true}, {"c", "g", true}} {
		if got := lacks(unit(c.unit), c.name); got != c.want {
			t.Errorf("%s lacks %s: %t", c.unit, c.name, got)
		}
	}
}
