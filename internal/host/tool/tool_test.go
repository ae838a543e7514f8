package tool

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// put writes a program of the shell.
func put(t *testing.T, dir, name, script string) string {
	t.Helper()
	path := filepath.Join(dir, name)
	if err := os.WriteFile(path, []byte(script), 0o700); err != nil { //nolint:gosec // it is a program
		t.Fatal(err)
	}
	return path
}

// What rustup puts on PATH stands for a compiler that is not installed: the one behind
// it on PATH is the tool.
func TestStubsAreAbsent(t *testing.T) {
	shims, system := t.TempDir(), t.TempDir()
	t.Setenv("PATH", shims+":"+system)
	put(t, shims, "rustc", "#!/bin/sh\necho 'error: no default is configured' >&2\nexit 1\n")
	_, err := Find("rustc")
	if !errors.Is(err, exec.ErrNotFound) || !strings.Contains(err.Error(), "no default is configured") {
		t.Errorf("a stub alone: %v", err)
	}
	want := put(t, system, "rustc", "#!/bin/sh\necho rustc 1.0\n")
	if got, err := Find("rustc"); err != nil || got != want {
		t.Errorf("a stub before the tool: %q, %v; want %q", got, err, want)
	}
}

func TestFind(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("PATH", dir)
	goLike := put(t, dir, "like-go", "#!/bin/sh\n[ \"$1\" = version ]\n")
	put(t, dir, "no-interpreter", "#!/does/not/exist\n")
	for _, c := range []struct {
		names []string
		want  string
	}{
		{[]string{"like-go"}, goLike},
		{[]string{"none", "like-go"}, goLike},
		{[]string{goLike}, goLike},
		{[]string{"none"}, ""},
		{[]string{"no-interpreter"}, ""},
		{[]string{filepath.Join(dir, "none")}, ""},
		{nil, ""},
	} {
		got, err := Find(c.names...)
		if got != c.want || (err == nil) != (c.want != "") {
			t.Errorf("%v: %q, %v; want %q", c.names, got, err, c.want)
		}
	}
}

// A tool is asked once, however many ask for it.
func TestAskedOnce(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("PATH", dir+":/usr/bin:/bin")
	log := filepath.Join(dir, "log")
	put(t, dir, "counted", "#!/bin/sh\necho asked >> "+log+"\n")
	for range 3 {
		if _, err := Find("counted"); err != nil {
			t.Fatal(err)
		}
	}
	text, err := os.ReadFile(log)
	if err != nil || string(text) != "asked\n" {
		t.Errorf("%q, %v", text, err)
	}
}
