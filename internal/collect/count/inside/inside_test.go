package inside

import (
	"context"
	"math/bits"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"testing"
	"time"

	"whyhot/internal/profile"
)

// run counts functions of a program that is written to a file of a name.
func run(t *testing.T, kind profile.Kind, interpreter, name, text string, arguments []string, functions ...string) (*Result, string) {
	t.Helper()
	return runIn(t, kind, interpreter, map[string]string{name: text}, name, name, arguments, functions...)
}

// runIn counts functions that are in a file of several, of which one is run.
func runIn(t *testing.T, kind profile.Kind, interpreter string, files map[string]string, of, program string, arguments []string, functions ...string) (*Result, string) {
	t.Helper()
	path, err := exec.LookPath(interpreter)
	if err != nil {
		t.Skip("no " + interpreter)
	}
	dir := t.TempDir()
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	file := filepath.Join(dir, of)
	var list []Function
	for _, f := range functions {
		list = append(list, Function{Name: f, File: file, Kind: kind})
	}
	r, err := Prepare(t.TempDir(), list)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(path, append(arguments, filepath.Join(dir, program))...)
	cmd.Env = r.Environment
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	got, err := r.Read()
	if err != nil {
		t.Fatal(err)
	}
	return got, file
}

// held holds what was counted against what there is.
func held(t *testing.T, got *Result, file string, want ...profile.FunctionCalls) {
	t.Helper()
	if len(got.Functions) != len(want) || len(got.NotCounted) != 0 {
		t.Errorf("%+v", got)
	}
	for _, w := range want {
		w.File = file
		found := false
		for _, f := range got.Functions {
			if n := bits.Len64(f.Count); len(f.Times) != 0 && len(f.Times) != n {
				t.Errorf("%s: %d times of %d calls", f.Name, len(f.Times), f.Count)
			}
			f.Line, f.Times, f.FirstTime, f.AgainTime = w.Line, nil, 0, 0
			found = found || reflect.DeepEqual(f, w)
		}
		if !found {
			t.Errorf("%+v is not in %+v", w, got.Functions)
		}
	}
}

// timed are a program's functions, of which late waits for a fifth of a second in its call of
// number 308, whose argument was there before, and itself calls itself.
func timed(t *testing.T, got *Result, late, itself string) {
	t.Helper()
	const atLeast, at = uint64(190 * time.Millisecond), 8 // of 256 to 511
	for _, f := range got.Functions {
		switch f.Name {
		case late:
			if len(f.Times) != at+1 || f.Times[at] < atLeast || slices.Max(f.Times) != f.Times[at] {
				t.Errorf("%s: %d", late, f.Times)
			}
			if f.AgainTime < atLeast || f.FirstTime == 0 || f.FirstTime >= atLeast {
				t.Errorf("%s: %d ns with new arguments, %d with known ones", late, f.FirstTime, f.AgainTime)
			}
		case itself:
			if len(f.Times) != 0 {
				t.Errorf("%s calls itself: %d", itself, f.Times)
			}
		}
	}
}

// A program that is killed has been counted until a second before.
func TestKilled(t *testing.T) {
	for name, x := range map[string]struct {
		kind                         profile.Kind
		interpreter, file, text, fun string
	}{
		"python": {profile.KindPython, "python3", "p.py", "import time\ndef f(n):\n    time.sleep(0.01)\n    return n\nwhile True:\n    f(1)\n", "f"},
		"node":   {profile.KindJS, "node", "p.js", "function f(n) { Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 10); return n; }\nfor (;;) f(1);\n", "f"},
		"perl":   {profile.KindPerl, "perl", "p.pl", "sub f { select undef, undef, undef, 0.01; return $_[0] }\nwhile (1) { my $x = f(1) }\n", "main::f"},
		"php":    {profile.KindPHP, "php", "p.php", "<?php\nfunction f($n) { usleep(10000); return $n; }\nwhile (true) { f(1); }\n", "f"},
		"ruby":   {profile.KindRuby, "ruby", "p.rb", "def f(n)\n  sleep 0.01\n  n\nend\nloop { f(1) }\n", "f"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path, err := exec.LookPath(x.interpreter)
			if err != nil {
				t.Skip("no " + x.interpreter)
			}
			file := filepath.Join(t.TempDir(), x.file)
			if err := os.WriteFile(file, []byte(x.text), 0o600); err != nil {
				t.Fatal(err)
			}
			r, err := Prepare(t.TempDir(), []Function{{Name: x.fun, File: file, Kind: x.kind}})
			if err != nil {
				t.Fatal(err)
			}
			ctx, stop := context.WithCancel(t.Context())
			defer stop()
			cmd := exec.CommandContext(ctx, path, file)
			cmd.Env = r.Environment
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			// The counts are there when they are there: a loaded machine takes longer.
			for {
				if all, err := filepath.Glob(filepath.Join(r.results, "*.json")); err == nil && len(all) > 0 {
					break
				}
				select {
				case <-t.Context().Done():
					t.Fatal("nothing was written")
				case <-time.After(20 * time.Millisecond):
				}
			}
			stop()
			_ = cmd.Wait() // it was killed
			got, err := r.Read()
			if err != nil {
				t.Fatal(err)
			}
			if len(got.Functions) != 1 || got.Functions[0].Count == 0 {
				t.Errorf("%+v", got)
			}
		})
	}
}
