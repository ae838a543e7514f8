package rebuild

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"whyhot/internal/host/tool"
	"whyhot/internal/trial/rebuild/cache"
	"whyhot/internal/trial/run"
	"whyhot/internal/trial/variant"
)

var sources = map[string]string{
	"main.c": `#include <stdio.h>
#include <stdlib.h>
#include "lib/f.h"
int main(int argc, char **argv) {
	long n = argc > 1 ? atol(argv[1]) : 1000;
	unsigned long s = 0;
	for (long i = 0; i < n; i++) s += f(i);
	printf("%lu\n", s);
	return 0;
}
`,
	"lib/f.h": "unsigned long f(unsigned long);\nunsigned long g(unsigned long);\n",
	"lib/f.c": "#include \"f.h\"\nunsigned long f(unsigned long x) { return x % 100 == 7 ? g(x) : x * 2654435761u >> 7; }\n",
	"lib/g.c": "#include \"f.h\"\nunsigned long g(unsigned long x) { unsigned long s = 0; for (int i = 1; i < 9; i++) s += x / i; return s; }\n",
	"Makefile": `CC = gcc
CFLAGS = -O2 -g
bench: main.o lib/libf.a
	$(CC) -o $@ main.o -Llib -lf
lib/libf.a: lib/f.o lib/g.o
	ar rcs $@ $^
%.o: %.c
	$(CC) $(CFLAGS) -c $< -o $@
`,
}

type fixture struct {
	t    *testing.T
	root string
	o    Options
}

func newFixture(t *testing.T, compiler string) *fixture {
	t.Helper()
	for _, name := range []string{"make", compiler} {
		if _, err := tool.Find(name); err != nil {
			t.Skipf("%s is not installed", name)
		}
	}
	root := filepath.Join(t.TempDir(), "project")
	for name, text := range sources {
		p := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(p), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(p, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	runner, err := run.New()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(runner.Close)
	return &fixture{t, root, Options{
		Command: "make CC=" + compiler, Root: root, Dir: root, Run: []string{"./bench", "5000"},
		Env: os.Environ(), Work: t.TempDir(), Runner: runner,
	}}
}

func (f *fixture) prepare(builds ...*variant.Build) *Workshop {
	f.t.Helper()
	w, err := Prepare(f.t.Context(), f.o, builds)
	if err != nil {
		f.t.Fatal(err)
	}
	f.t.Cleanup(func() { _ = w.Close() })
	return w
}

// left are the names in the directory of the copies.
func (f *fixture) left() []string {
	f.t.Helper()
	entries, err := os.ReadDir(f.o.Work)
	if err != nil {
		f.t.Fatal(err)
	}
	var out []string
	for _, e := range entries {
		out = append(out, e.Name())
	}
	return out
}

func (f *fixture) state() string {
	f.t.Helper()
	h := sha256.New()
	err := filepath.WalkDir(f.root, func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err == nil && d.Type().IsRegular() {
			data, _ := os.ReadFile(p)
			_, _ = h.Write(data)
		}
		fmt.Fprintln(h, p, info.Mode(), info.ModTime())
		return err
	})
	if err != nil {
		f.t.Fatal(err)
	}
	return fmt.Sprintf("%x", h.Sum(nil))
}

func (f *fixture) output(w *Workshop, b *variant.Built) string {
	f.t.Helper()
	words := w.Command(b)
	cmd := exec.CommandContext(f.t.Context(), words[0], words[1:]...)
	cmd.Dir = b.Dir
	out, err := cmd.CombinedOutput()
	if err != nil {
		f.t.Fatalf("%q in %s: %v: %s", words, b.Dir, err, out)
	}
	return string(out)
}

func TestVariantsOfAMakeProject(t *testing.T) {
	for _, compiler := range []string{"gcc", "clang-19"} {
		t.Run(compiler, func(t *testing.T) {
			f := newFixture(t, compiler)
			// Built already, as the user's own tree is.
			if out, err := exec.CommandContext(t.Context(), "make", "-C", f.root, "CC="+compiler).CombinedOutput(); err != nil {
				t.Fatalf("%v: %s", err, out)
			}
			before := f.state()
			same, cflags, both := &variant.Build{CFlags: "-O2"}, &variant.Build{CFlags: "-O0 -DX='a b'"}, &variant.Build{PGO: true, LTO: "auto"}
			w := f.prepare(same, cflags, both, &variant.Build{CFlags: "-O2"})
			if f.state() != before {
				t.Error("the original was touched")
			}
			if len(w.made) != 3 {
				t.Errorf("%d builds were made of 3 different ones", len(w.made))
			}
			want := f.output(w, w.Baseline())
			for _, b := range []*variant.Build{cflags, both} {
				built := w.Built(b)
				if built.Failed != "" || built.Same != "" {
					t.Errorf("%s: failed %q, same %q", b.Name(), built.Failed, built.Same)
					continue
				}
				if len(built.Dir) != len(w.Baseline().Dir) {
					t.Errorf("%s and %s are not equally long", built.Dir, w.Baseline().Dir)
				}
				if got := f.output(w, built); got != want {
					t.Errorf("%s prints %q, the baseline %q", b.Name(), got, want)
				}
			}
			if w.Built(same).Same == "" {
				t.Error("flags that change nothing were not found to change nothing")
			}
			if !strings.Contains(strings.Join(w.Notes, "\n"), "trained with the measured command") {
				t.Errorf("notes: %q", w.Notes)
			}
			if err := w.Close(); err != nil || len(f.left()) != 0 {
				t.Errorf("left behind: %q, %v", f.left(), err)
			}
		})
	}
}

// A program whose usual exit status is not 0 trains all the same; one that fails only
// where it counts does not.
func TestTrainingWithTheUsualStatus(t *testing.T) {
	f := newFixture(t, "gcc")
	main := strings.Replace(sources["main.c"], "return 0;", "return 3 + (argc > 2 && getenv(argv[2]) != 0);", 1)
	if err := os.WriteFile(filepath.Join(f.root, "main.c"), []byte(main), 0o600); err != nil {
		t.Fatal(err)
	}
	b := &variant.Build{PGO: true}
	w := f.prepare(b)
	if built := w.Built(b); built.Failed != "" || built.Same != "" {
		t.Errorf("failed %q, same %q", built.Failed, built.Same)
	}
	script := "#!/bin/sh\n./bench 10\n[ -n \"$(find .. -name '*.gcda')\" ] && exit 9\nexit 3\n"
	if err := os.WriteFile(filepath.Join(f.root, "run.sh"), []byte(script), 0o600); err != nil {
		t.Fatal(err)
	}
	f.o.Run = []string{"sh", "run.sh"}
	w = f.prepare(b)
	if built := w.Built(b); !strings.Contains(built.Failed, "exit status 9") {
		t.Errorf("it fails where it is instrumented only, and it says %q", built.Failed)
	}
}

// What the build's own flags say is known, also of a build that was kept.
func TestWhatThePlainBuildTells(t *testing.T) {
	f := newFixture(t, "gcc")
	f.o.Cache = cache.In(filepath.Join(t.TempDir(), "cache"), 1<<30)
	f.o.Work = ""
	w := f.prepare()
	first := w.Plain(t.Context())
	if first.Level != "-O2" || first.Took <= 0 {
		t.Errorf("%+v", first)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if kept := f.prepare().Plain(t.Context()); !reflect.DeepEqual(kept, first) {
		t.Errorf("%+v of one that was kept, %+v before", kept, first)
	}
	f.o.Command += " CFLAGS="
	if p := f.prepare().Plain(t.Context()); p.Level != "-O0" {
		t.Errorf("%+v", p)
	}
}

func TestBoltRewritesTheProgram(t *testing.T) {
	f := newFixture(t, "gcc")
	b := &variant.Build{BOLT: true}
	f.o.BoltProfile = BoltInstrument
	w, err := Prepare(t.Context(), f.o, []*variant.Build{b})
	if err != nil && strings.Contains(err.Error(), "not installed") {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = w.Close() }()
	built := w.Built(b)
	if strings.Contains(built.Failed, "libbolt_rt") {
		t.Skip("BOLT's runtime is not installed")
	}
	if built.Failed != "" || built.Same != "" {
		t.Fatalf("failed %q, same %q", built.Failed, built.Same)
	}
	if got, want := f.output(w, built), f.output(w, w.Baseline()); got != want {
		t.Errorf("it prints %q, the baseline %q", got, want)
	}
}

func TestCompilersNamedByTheirPath(t *testing.T) {
	f := newFixture(t, "gcc")
	gcc, err := tool.Find("gcc")
	if err != nil {
		t.Fatal(err)
	}
	script := "#!/bin/sh\nset -e\n" + gcc + " -O2 main.c lib/f.c lib/g.c -o bench\n"
	if err := os.WriteFile(filepath.Join(f.root, "build.sh"), []byte(script), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, command := range []string{"sh build.sh", gcc + " -O2 main.c lib/f.c lib/g.c -o bench", "make CC=" + gcc} {
		f.o.Command = command
		b := &variant.Build{CFlags: "-O0"}
		w := f.prepare(b)
		if built := w.Built(b); built.Failed != "" || built.Same != "" {
			t.Errorf("%s: failed %q, same %q", command, built.Failed, built.Same)
		}
	}
}

func TestPatches(t *testing.T) {
	if _, err := tool.Find("patch"); err != nil {
		t.Skip("patch is not installed")
	}
	f := newFixture(t, "gcc")
	diff := func(name, text string) *variant.Build {
		p := filepath.Join(t.TempDir(), name)
		if err := os.WriteFile(p, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return &variant.Build{Patches: []string{p}}
	}
	good := diff("good.diff", "--- a/lib/g.c\n+++ b/lib/g.c\n@@ -1,2 +1,2 @@\n #include \"f.h\"\n-"+lastOf(sources["lib/g.c"])+"\n+unsigned long g(unsigned long x) { return 0 * x; }\n")
	bad := diff("bad.diff", "--- a/lib/g.c\n+++ b/lib/g.c\n@@ -1,1 +1,1 @@\n-there is no such line\n+x\n")
	before := f.state()
	w := f.prepare(good, bad)
	if f.state() != before {
		t.Error("the original was touched")
	}
	if built := w.Built(good); built.Failed != "" || f.output(w, built) == f.output(w, w.Baseline()) {
		t.Errorf("the patch had no effect: %q", built.Failed)
	}
	if built := w.Built(bad); !strings.Contains(built.Failed, "does not apply") {
		t.Errorf("got %q", built.Failed)
	}
	if _, err := Prepare(t.Context(), f.o, []*variant.Build{{Patches: []string{"/nowhere/x.diff"}}}); err == nil {
		t.Error("a patch that is not there was taken")
	}
}

func lastOf(text string) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	return lines[len(lines)-1]
}

func TestOnlyOneDirectoryGetsTheFlags(t *testing.T) {
	f := newFixture(t, "gcc")
	f.o.OnlyDir = "lib"
	b := &variant.Build{CFlags: "-O0"}
	w := f.prepare(b)
	if notes := strings.Join(w.Notes, "\n"); !strings.Contains(notes, "2 compiled sources in lib; 1 others") {
		t.Errorf("notes: %q", w.Notes)
	}
	if w.Built(b).Same != "" || w.Built(b).Failed != "" {
		t.Errorf("got %+v", w.Built(b))
	}
	f.o.OnlyDir = "nowhere"
	if _, err := Prepare(t.Context(), f.o, []*variant.Build{b}); err == nil || !strings.Contains(err.Error(), "--only-dir nowhere") {
		t.Errorf("got %v", err)
	}
}

func TestFailures(t *testing.T) {
	pgo := &variant.Build{PGO: true}
	const enough = 15 * time.Second // for what comes before the training, on a machine that is busy with more
	for _, c := range []struct {
		name    string
		change  func(*Options)
		build   *variant.Build
		whole   bool // the whole trial fails, not the variant alone
		message string
		log     bool
	}{
		{"build", func(o *Options) { o.Command = "echo broken >&2; exit 3" }, pgo, true, "exit status 3; the end of its output:\nbroken", true},
		{"absolute compiler", func(o *Options) { o.Command = "true" }, pgo, true, "absolute path", true},
		{"variant", func(*Options) {}, &variant.Build{CFlags: "-fno-such-flag"}, false, "no-such-flag", true},
		{"training", func(o *Options) { o.Train = []string{"./bench; exit 9"} }, pgo, false, "exit status 9", true},
		{"nothing trained", func(o *Options) { o.Train = []string{"true"} }, pgo, false, "wrote no counts", true},
		{"hanging training", func(o *Options) { o.Train, o.Timeout = []string{"make CC=gcc -s; sleep 600"}, enough }, pgo, false, "timed out after", true},
		{"no time left", func(o *Options) { o.Train, o.Until = []string{"sleep 600"}, time.Now().Add(enough) }, pgo, false, "timed out after", true},
		{"space", func(o *Options) { o.Command = "echo 'cc: error: No space left on device'; exit 1" }, pgo, true, "--work", true},
		{"outside", func(o *Options) { o.Dir = "/" }, pgo, true, "not in the tree", false},
		{"no command", func(o *Options) { o.Run = nil }, pgo, true, "--run", false},
		{"bolt profile", func(o *Options) { o.BoltProfile = "guess" }, pgo, true, "--bolt-profile", false},
		{"compiler", func(o *Options) { o.Compiler = "no-such-cc" }, pgo, true, "--compiler", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := newFixture(t, "gcc")
			c.change(&f.o)
			w, err := Prepare(t.Context(), f.o, []*variant.Build{c.build})
			text := ""
			if err != nil {
				text = err.Error()
			}
			if c.whole != (err != nil) {
				t.Fatalf("got %v", err)
			}
			if err == nil {
				text = w.Built(c.build).Failed
				_ = w.Close()
			}
			if !strings.Contains(text, c.message) {
				t.Errorf("got %q, want %q", text, c.message)
			}
			logs := slices.DeleteFunc(f.left(), func(s string) bool { return !strings.HasSuffix(s, ".log") })
			if len(logs) != len(f.left()) || c.log != (len(logs) == 1) {
				t.Errorf("left behind: %q", f.left())
			}
			if c.log && len(logs) == 1 && !strings.Contains(text, logs[0]) {
				t.Errorf("the message does not name the log %s: %s", logs[0], text)
			}
		})
	}
}

func TestInterruptLeavesNothing(t *testing.T) {
	f := newFixture(t, "gcc")
	ctx, cancel := context.WithCancel(t.Context())
	marker := filepath.Join(t.TempDir(), "running")
	f.o.Command = "make CC=gcc && if [ -e " + marker + " ]; then rm " + marker + "; sleep 1000; fi; : >" + marker
	f.o.Progress = func(s Step) {
		if s.Name == baseline || s.What != "build" {
			return
		}
		go func() {
			for ctx.Err() == nil {
				if _, err := os.Stat(marker); err != nil {
					cancel() // the variant's build has removed it and sleeps
				}
			}
		}()
	}
	_, err := Prepare(ctx, f.o, []*variant.Build{{LTO: "auto"}})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	if left := f.left(); len(left) != 0 {
		t.Errorf("left behind: %q", left)
	}
}
