package analyzer

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"whyhot/internal/explain/analyzer/analyzertest"
	"whyhot/internal/explain/compdb"
)

// saved has one unit analysed as an editor has it: by a resident, or by nil's new process.
func saved(t *testing.T, r *Resident, u compdb.Unit, whole ...bool) Reply {
	t.Helper()
	var got Outcome
	opts := Options{
		Binary: analyzertest.Path(t), Workers: 1, Resident: r, Whole: slices.Contains(whole, true), Blame: true, Predicates: []string{"char"},
		AST: ASTRequest{Layers: []string{LayerAST, LayerIR}},
	}
	if err := Run(t.Context(), []compdb.Unit{u}, opts, func(o Outcome) { got = o }); err != nil {
		t.Fatal(err)
	}
	if got.Err != nil {
		t.Fatal(got.Err)
	}
	return got.Reply
}

// said is all that a reply says, with absolute paths: a preamble names its headers so.
func said(t *testing.T, r Reply, dir string) string {
	t.Helper()
	r.FrontEndSeconds, r.AnalysisSeconds, r.Preamble, r.Reused = 0, 0, "", 0
	for i, d := range r.Dependencies {
		r.Dependencies[i] = filepath.Clean(absolute(d, dir))
	}
	slices.Sort(r.Dependencies)
	r.Dependencies = slices.Compact(r.Dependencies)
	data, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	var v any
	if err := json.Unmarshal(data, &v); err != nil {
		t.Fatal(err)
	}
	var walk func(any)
	walk = func(v any) {
		switch v := v.(type) {
		case map[string]any:
			for key, of := range v {
				if file, ok := of.(string); ok && key == "file" && file != "" {
					v[key] = filepath.Clean(absolute(file, dir))
				} else {
					walk(of)
				}
			}
		case []any:
			for _, of := range v {
				walk(of)
			}
		}
	}
	walk(v)
	data, err = json.MarshalIndent(v, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// settled writes a file whose time is one that a later write does not have.
func settled(t *testing.T, path, text string) {
	t.Helper()
	writeFileOf(t, path, text)
	before := time.Now().Add(-time.Hour)
	if err := os.Chtimes(path, before, before); err != nil {
		t.Fatal(err)
	}
}

func unitOfLine(t *testing.T, dir, line string) compdb.Unit {
	t.Helper()
	u, err := compdb.FromCommand(dir, "", strings.Fields(line))
	if err != nil {
		t.Fatal(err)
	}
	return u
}

const shapes = `#pragma once
#include <string>
#include <vector>
#define SHIFT 5
struct Shape { std::vector<unsigned char> pixels; int width; };
static inline void fill(Shape &s, const std::string &from) {
  for (std::size_t i = 0; i < from.size(); ++i)
    s.pixels[i] = from[i] >> SHIFT;
}
`

const shapesUser = `// A picture.
#include "shapes.h"
#include <algorithm>
#ifndef NDEBUG
#include <cassert>
#endif

namespace {
int sum(const Shape &s) {
  int n = 0;
  for (unsigned char c : s.pixels)
    n += c;
  return n;
}
}

int draw(Shape &s, const std::string &from, int *width) {
  fill(s, from);
  for (int i = 0; i < *width; ++i)
    s.pixels[i] = static_cast<unsigned char>(i);
  std::sort(s.pixels.begin(), s.pixels.end());
  return sum(s);
}

void widen(unsigned char *out, const Shape *s) {
  for (int i = 0; i < s->width; ++i)
    out[i] = static_cast<unsigned char>(i * 3);
}
`

const tableUser = `#include <stdint.h>
#include "table.h"
#include <string.h>
static int size(const struct table *t) { return t->n; }
void spread(struct table *t, uint8_t *out) {
  for (int i = 0; i < t->n; i++)
    out[i] = (uint8_t)(i ^ t->key);
}
int join(struct table *t, const char *a) {
  int n = 0;
  for (size_t i = 0; i < strlen(a); i++)
    n += a[i];
  return n + size(t);
}
`

// Over any edits, a resident with its preambles says what a new process says.
func TestResidentSaysWhatANewProcessSays(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	settled(t, filepath.Join(dir, "include", "shapes.h"), shapes)
	settled(t, filepath.Join(dir, "include", "table.h"), "struct table { int n, key; };\n")
	r := NewResident()
	defer r.Close()
	const edits = 10
	for _, of := range []struct{ name, line, text string }{
		{"draw.cpp", "c++ -O2 -std=c++17 -Iinclude -c draw.cpp", shapesUser},
		{"table.c", "cc -O2 -Iinclude -c table.c", tableUser},
	} {
		u := unitOfLine(t, dir, of.line)
		random := rand.New(rand.NewPCG(1, 2)) //nolint:gosec // no secret
		lines := strings.Split(of.text, "\n")
		states := map[string]int{}
		for i := range edits {
			next := slices.Clone(lines)
			at := random.IntN(len(next))
			switch i % 5 {
			case 0:
				next = append(next, fmt.Sprintf("void more%d(unsigned char *p, int *n) { for (int i = 0; i < *n; i++) p[i] = (unsigned char)i; }", i))
			case 1:
				next = slices.Insert(next, at, "")
			case 2:
				next = slices.Delete(next, at, at+1) // often an error
			case 3:
				next = slices.Insert(next, 0, "#include <stddef.h>")
			case 4:
				next = slices.Insert(next, len(next)/2, "// said in between")
			}
			text := strings.Join(next, "\n")
			writeFileOf(t, filepath.Join(dir, of.name), text)
			warm := saved(t, r, u)
			states[warm.Preamble]++
			cold := saved(t, nil, u)
			if cold.Preamble != "" {
				t.Fatal("a worker of one run keeps a preamble")
			}
			if len(cold.Errors) == 0 {
				lines = next
			}
			if got, want := said(t, warm, dir), said(t, cold, dir); got != want {
				t.Fatalf("edit %d of %s, preamble %q:\n%s\nnew process:\n%s\ntext:\n%s", i, of.name, warm.Preamble, got, want, text)
			}
		}
		if states["used"] < edits/3 || states["made"] == 0 {
			t.Errorf("%s: preambles %v, want most used", of.name, states)
		}
	}
}

// A preamble holds while its headers are as they were, whichever way they change.
func TestPreambleOfAHeaderThatChanges(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	header, inner := filepath.Join(dir, "a.h"), filepath.Join(dir, "b.h")
	settled(t, inner, "typedef unsigned char part;\n")
	settled(t, header, "#include \"b.h\"\n#if __has_include(\"c.h\")\n#include \"c.h\"\n#else\n#define STEP 1\n#endif\n")
	settled(t, filepath.Join(dir, "x.c"), "#include \"a.h\"\nvoid f(part *p, int *n) { for (int i = 0; i < *n; i += STEP) p[i] = 1; }\n")
	u := unitOfLine(t, dir, "cc -O2 -c x.c")
	r := NewResident()
	defer r.Close()
	expect := func(what, preamble string) {
		t.Helper()
		warm, cold := saved(t, r, u), saved(t, nil, u)
		if warm.Preamble != preamble {
			t.Errorf("%s: preamble %q, want %q", what, warm.Preamble, preamble)
		}
		if got, want := said(t, warm, dir), said(t, cold, dir); got != want {
			t.Errorf("%s:\n%s\nnew process:\n%s", what, got, want)
		}
	}
	expect("first", "made")
	expect("again", "used")
	// The same size and, to the second, the same time.
	info, err := os.Stat(inner)
	if err != nil {
		t.Fatal(err)
	}
	writeFileOf(t, inner, "typedef unsigned long part;\n")
	if err := os.Chtimes(inner, info.ModTime().Add(time.Millisecond), info.ModTime().Add(time.Millisecond)); err != nil {
		t.Fatal(err)
	}
	expect("a header of a header", "made")
	expect("that one again", "used")
	settled(t, filepath.Join(dir, "c.h"), "#define STEP 2\n")
	expect("a header that appears", "made")
	writeFileOf(t, header, "typedef no_such_type part;\n")
	expect("a header with an error", "")
	settled(t, header, "#include \"b.h\"\n#define STEP 1\n")
	expect("the repaired header", "made")
	writeFileOf(t, header, "#include \"b.h\"\n#define STEP 3\n")
	if err := os.Chtimes(header, time.Now(), time.Now().Add(time.Hour)); err != nil {
		t.Fatal(err)
	}
	expect("a header that may still be written", "")
	if err := os.Remove(inner); err != nil {
		t.Fatal(err)
	}
	expect("a header that is gone", "")
}

// Who no longer waits costs the resident neither its process nor its preambles, and a
// resident survives what crashes or hangs its process.
func TestResidentLivesOn(t *testing.T) {
	t.Parallel()
	binary := filepath.Join(t.TempDir(), "analyser")
	slow := strings.Replace(fakeAnalyser, "  *hang*)", "  *slow*) sleep 1; echo \"{\\\"version\\\":1,\\\"loops\\\":$$}\" ;;\n  *who*) echo \"{\\\"version\\\":1,\\\"loops\\\":$$}\" ;;\n  *hang*)", 1)
	if err := os.WriteFile(binary, []byte(slow), 0o700); err != nil {
		t.Fatal(err)
	}
	r := NewResident()
	say := func(ctx context.Context, limit time.Duration, what string) (int, error) {
		reply, err := r.ask(ctx, binary, limit, Request{Directory: "/", Arguments: []string{"c++", what}})
		return reply.Loops, err
	}
	const long = 20 * time.Second
	first, err := say(t.Context(), long, "who")
	if err != nil {
		t.Fatal(err)
	}
	hurried, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	if _, err := say(hurried, long, "slow"); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("an answer that nobody waits for: %v", err)
	}
	if again, err := say(t.Context(), long, "who"); err != nil || again != first {
		t.Errorf("process %d after one that was not waited for, %d before, %v", again, first, err)
	}
	if _, err := say(t.Context(), long, "crash"); !errors.Is(err, errWorkerDied) {
		t.Errorf("a crash: %v", err)
	}
	if _, err := say(t.Context(), 300*time.Millisecond, "hang"); err == nil || !strings.Contains(err.Error(), "no answer after") {
		t.Errorf("a hang: %v", err)
	}
	if again, err := say(t.Context(), long, "who"); err != nil || again == first {
		t.Errorf("process %d after a crash and a hang, %v", again, err)
	}
	r.Close()
	if _, err := say(t.Context(), long, "who"); !errors.Is(err, errClosed) {
		t.Errorf("a closed one: %v", err)
	}
}
