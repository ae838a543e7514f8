package run

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

func TestShiftMovesTheStackAndNothingElse(t *testing.T) {
	l := newLocal(t)
	env, err := exec.LookPath("env")
	if err != nil {
		t.Skip(err)
	}
	s := Spec{Args: []string{env}, Env: []string{"A=1", "B=2"}}
	plain := mustRun(t, l, s)
	s.Shift = 512
	if moved := mustRun(t, l, s); !plain.Stdout.Equal(moved.Stdout) {
		t.Errorf("the program sees something of it: %+v, %+v", plain.Stdout, moved.Stdout)
	}
	if path := shifted(env, s); len(path) != len(env)+512 {
		t.Errorf("path %q", path)
	}
}

func TestScriptsAndNamesStay(t *testing.T) {
	script := filepath.Join(t.TempDir(), "script")
	if err := os.WriteFile(script, []byte("#!/bin/sh\necho $0\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{script, "name", filepath.Join(t.TempDir(), "missing")} {
		if got := shifted(path, Spec{Shift: 16}); got != path {
			t.Errorf("%q became %q", path, got)
		}
	}
	if got := shifted("/bin/sh", Spec{Shift: 5000}); got != "/bin/sh" {
		t.Errorf("longer than a path can be: %d bytes", len(got))
	}
}

// The kernel keeps the name on the stack: with addresses not randomised, a
// longer one begins the stack lower.
func TestTheStackReallyMoves(t *testing.T) {
	setarch, err := exec.LookPath("setarch")
	if err != nil {
		t.Skip(err)
	}
	where := func(path string) uint64 {
		out, err := exec.CommandContext(t.Context(), setarch, "-R", path, "/proc/self/stat").Output()
		if err != nil {
			t.Skip(err)
		}
		const startstack = 25 // field 28 of proc(5), counted from the state
		f := strings.Fields(string(out[bytes.LastIndexByte(out, ')')+1:]))
		n, err := strconv.ParseUint(f[startstack], 10, 64)
		if err != nil || n == 0 {
			t.Skip("no stack address to see")
		}
		return n
	}
	cat, err := exec.LookPath("cat")
	if err != nil {
		t.Skip(err)
	}
	if a, b := where(cat), where(shifted(cat, Spec{Shift: 1024})); a == b {
		t.Errorf("the stack begins at %#x either way", a)
	}
}
