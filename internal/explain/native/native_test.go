package native_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"whyhot/internal/explain/analyzer/analyzertest"
	"whyhot/internal/explain/compdb"
	"whyhot/internal/explain/native"
	"whyhot/internal/host/tooltest"
)

const header = `#pragma once
struct Text { unsigned char *out; const unsigned char *in; long n; };
inline long length(const Text &t) { return t.n; }
`

const source = `#include "text.h"
void copied(Text &t) {
  for (long i = 0; i < length(t); i++)
    t.out[i] = t.in[i] ^ 32;
}
`

// The build's compiler is asked, with changes of the unit's own file and of a header.
func TestTheBuildsCompilerIsAsked(t *testing.T) {
	analyzertest.Use(t)
	gcc := tooltest.Find(t, "g++")
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(dir, "text.cpp")
	for name, text := range map[string]string{"text.h": header, "text.cpp": source} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	u, err := compdb.FromCommand(dir, file, []string{gcc, "-O3", "-c", file})
	if err != nil {
		t.Fatal(err)
	}
	ask := func(name, text string, moved int) native.Effect {
		t.Helper()
		e, err := native.Compare(t.Context(), native.Request{
			Unit: u, Files: map[string][]byte{filepath.Join(dir, name): []byte(text)}, Functions: []string{"_Z6copiedR4Text"},
			File: file, Line: 3, Moved: moved, Span: 1,
		})
		if err != nil {
			t.Fatal(err)
		}
		return e
	}
	if e := ask("text.cpp", "// nothing that counts\n"+source, 4); !e.Same || !strings.HasPrefix(e.String(), "compiled as before by ") {
		t.Errorf("a comment: %+v", e)
	}
	hoisted := strings.NewReplacer("  for (", "  unsigned char *const out = t.out;\n  const unsigned char *const in = t.in;\n  const long n = t.n;\n  for (",
		"length(t)", "n", "t.out[i]", "out[i]", "t.in[i]", "in[i]").Replace(source)
	if e := ask("text.cpp", hoisted, 6); e.Same || !strings.Contains(e.Before, "instructions") || !strings.HasPrefix(e.After, "vectorised") {
		t.Errorf("locals: %+v", e)
	}
	if e := ask("text.h", strings.Replace(header, "return t.n", "return 64", 1), 3); e.Compiler == "" || e.Same {
		t.Errorf("a header: %+v", e)
	}
	if got, err := os.ReadFile(filepath.Join(dir, "text.h")); err != nil || string(got) != header {
		t.Errorf("the user's header was changed: %v, %s", err, got)
	}
	if native.Asked(compdb.Unit{Written: []string{"/usr/bin/clang++-19"}}) {
		t.Error("clang is asked what the analyser has said")
	}
}
