package pgo

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"whyhot/internal/trial/rebuild/wrapper"
)

func TestReadFit(t *testing.T) {
	log := filepath.Join(t.TempDir(), "build.log")
	text := `a.c:1:1: warning: '/w/01/p/#w#01#t#a.gcda' profile count data file not found [-Wmissing-profile]
a.c:9:1: warning: '/w/01/p/#w#01#t#a.gcda' profile count data file not found [-Wmissing-profile]
b.c:9:1: warning: ‘/w/01/p/#w#01#t#b.gcda’ profile count data file not found [-Wmissing-profile]
c.c:3:5: error: coverage mismatch for function 'f' while reading counter 'arcs' [-Wcoverage-mismatch]
warning: d.c: Function control flow change detected (hash mismatch) main Hash = 1 [-Wbackend-plugin]
warning: d.c: something else [-Wbackend-plugin]
the last line`
	if err := os.WriteFile(log, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	fit, err := ReadFit(log)
	if err != nil || fit != (Fit{Missing: 2, Mismatched: 2}) {
		t.Errorf("got %+v, %v", fit, err)
	}
	if _, err := ReadFit(log + ".none"); err == nil {
		t.Error("no log, and no error")
	}
}

func TestNoCounts(t *testing.T) {
	for _, f := range []wrapper.Family{wrapper.GCC, wrapper.Clang, wrapper.Rust} {
		_, err := Merge(t.Context(), &wrapper.Compiler{Family: f, Path: "none"}, t.TempDir())
		if err == nil || !strings.Contains(err.Error(), "no counts") {
			t.Errorf("%s: got %v", f, err)
		}
	}
}

func TestForget(t *testing.T) {
	dir := t.TempDir()
	if err := os.MkdirAll(filepath.Join(dir, "gcc"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "gcc", "a.gcda"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := Forget(dir); err != nil {
		t.Fatal(err)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) != 0 {
		t.Errorf("left: %v, %v", left, err)
	}
}

func TestToolsOfAnotherVersion(t *testing.T) {
	c := &wrapper.Compiler{Family: wrapper.Rust, Path: filepath.Join(t.TempDir(), "rustc"), Major: 999, Version: "1.0"}
	if _, err := Profdata(t.Context(), c); err == nil || !strings.Contains(err.Error(), "LLVM 999") {
		t.Errorf("got %v", err)
	}
}
