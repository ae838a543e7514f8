package symbol

import (
	"debug/elf"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"whyhot/internal/host/tooltest"
)

// command runs a program and gives its output.
func command(t *testing.T, dir, name string, args ...string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), name, args...)
	cmd.Dir = dir
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s %s: %v\n%s", name, strings.Join(args, " "), err, stderr.String())
	}
	return string(out)
}

// compile builds testdata/prog.cpp into a fresh directory.
func compile(t *testing.T, compiler string, flags ...string) string {
	t.Helper()
	path := tooltest.Find(t, compiler)
	dir := t.TempDir()
	for _, name := range []string{"prog.cpp", "prog.h"} {
		data, err := os.ReadFile(filepath.Join("testdata", name))
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	out := filepath.Join(dir, "prog")
	args := append([]string{"-std=c++17", "-O2", "prog.cpp", "-o", out}, flags...)
	cmd := exec.CommandContext(t.Context(), path, args...)
	cmd.Dir = dir
	if msg, err := cmd.CombinedOutput(); err != nil {
		t.Skipf("%s cannot build with %v here: %s", compiler, flags, msg)
	}
	return out
}

// everyAddress lists the addresses of a binary's .text.
func everyAddress(t *testing.T, path string) []uint64 {
	t.Helper()
	f, err := elf.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	s := f.Section(".text")
	if s == nil {
		t.Fatal("no .text")
	}
	addrs := make([]uint64, 0, s.Size)
	for a := s.Addr; a < s.Addr+s.Size; a++ {
		addrs = append(addrs, a)
	}
	return addrs
}
