package bolt

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestSamplesAsBoltReadsThem(t *testing.T) {
	functions := []function{{"main", 0x1000, 0x20}, {"helper/1", 0x1020, 0x10}, {"helper/2", 0x1040, 0x10}}
	var out bytes.Buffer
	used, hot := write(&out, functions, Samples{0x1045: 3, 0x1000: 1, 0x101f: 7, 0x1020: 2, 0x1035: 100, 0xfff: 100, 0x1050: 100})
	want := "no_lbr cycles\n1 main 0 1\n1 main 1f 7\n1 helper/1 0 2\n1 helper/2 5 3\n"
	if out.String() != want || used != 13 || hot != 3 {
		t.Errorf("got %d in %d and\n%s", used, hot, out.String())
	}
}

func TestWhatBoltCannotRewrite(t *testing.T) {
	script := filepath.Join(t.TempDir(), "script")
	if err := os.WriteFile(script, []byte("#!/bin/sh\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := CanRewrite(script); err == nil || !strings.Contains(err.Error(), "--bolt-binary") {
		t.Errorf("a script: %v", err)
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	if err := CanRewrite(self); err == nil || !strings.Contains(err.Error(), "relocations") && !strings.Contains(err.Error(), "symbol table") {
		t.Errorf("a program of Go: %v", err)
	}
}

func TestComplaintOfATool(t *testing.T) {
	if got := tail("BOLT-INFO: a\nBOLT-ERROR: no\nBOLT-INFO: b\n"); got != "BOLT-ERROR: no" {
		t.Errorf("got %q", got)
	}
	if got := tail("1\n2\n3\n4\n"); got != "2; 3; 4" {
		t.Errorf("got %q", got)
	}
}

func TestNoCounts(t *testing.T) {
	if _, err := (&Tool{"llvm-bolt"}).Merge(t.Context(), filepath.Join(t.TempDir(), "counts")); err == nil {
		t.Error("no counts, and no error")
	}
}
