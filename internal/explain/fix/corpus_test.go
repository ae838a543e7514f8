package fix_test

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
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
	c := &corpus{analyzer: binary, dir: t.TempDir(), headers: map[string]func() (string, error){}}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			t.Parallel()
			c.check(t, readFixture(t, file))
		})
	}
}

// corpus is what the fixtures have in common.
type corpus struct {
	analyzer, dir string

	m       sync.Mutex
	headers map[string]func() (string, error) // precompiled, by flags
}

// header is the standard library's headers that most fixtures read, precompiled once for some
// flags: to parse them for both sides of each fixture was half of what the test took.
func (c *corpus) header(ctx context.Context, compiler string, flags []string) (string, error) {
	c.m.Lock()
	key := strings.Join(flags, " ")
	if c.headers[key] == nil {
		path := filepath.Join(c.dir, fmt.Sprintf("std%d.pch", len(c.headers)))
		c.headers[key] = sync.OnceValues(func() (string, error) {
			source := strings.TrimSuffix(path, ".pch") + ".h"
			if err := os.WriteFile(source, []byte("#include <cstdio>\n#include <string>\n#include <vector>\n"), 0o600); err != nil {
				return "", err
			}
			out, err := exec.CommandContext(ctx, compiler, append(slices.Clone(flags), "-x", "c++-header", source, "-o", path)...).CombinedOutput()
			if err != nil {
				return "", fmt.Errorf("%w: %s", err, out)
			}
			return path, nil
		})
	}
	made := c.headers[key]
	c.m.Unlock()
	return made()
}

func (c *corpus) check(t *testing.T, f fixture) {
	t.Helper()
	abs, err := filepath.Abs(f.path)
	if err != nil {
		t.Fatal(err)
	}
	unit, err := compdb.FromCommand(filepath.Dir(abs), abs, append(append([]string{f.compiler()}, f.flags...), "-c", abs))
	if err != nil {
		t.Fatal(err)
	}
	o := fix.Options{Binary: c.analyzer, Units: []compdb.Unit{unit}, Workers: 1}
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
	if was, is := c.output(t, f, f.text), c.output(t, f, p.Changes[0].After); was != is || was == "" {
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
func (c *corpus) output(t *testing.T, f fixture, text []byte) string {
	t.Helper()
	dir := t.TempDir()
	source := filepath.Join(dir, "x"+filepath.Ext(f.path))
	if err := os.WriteFile(source, text, 0o600); err != nil {
		t.Fatal(err)
	}
	args := append(slices.Clone(f.flags), "-fsanitize=undefined", "-fno-sanitize-recover=all")
	if strings.HasSuffix(source, ".cpp") && bytes.Contains(text, []byte("#include <vector>")) {
		header, err := c.header(context.WithoutCancel(t.Context()), f.compiler(), args)
		if err != nil {
			t.Fatal(err)
		}
		args = append(args, "-include-pch", header)
	}
	args = append(args, source, "-o", filepath.Join(dir, "x"))
	if out, err := exec.CommandContext(t.Context(), f.compiler(), args...).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	out, err := exec.CommandContext(t.Context(), filepath.Join(dir, "x")).CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return string(out)
}
