package binfacts

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"whyhot/internal/elfinfo"
	"whyhot/internal/explain/judge"
	"whyhot/internal/host/tool"
	"whyhot/internal/profile"
)

func TestTrust(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	info, err := elfinfo.Read(self)
	if err != nil {
		t.Fatal(err)
	}
	foreign := filepath.Join(t.TempDir(), "script.sh")
	if err := os.WriteFile(foreign, []byte("#!/bin/sh\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	f := New()
	for _, c := range []struct {
		name string
		m    profile.Mapping
		want judge.Trust
	}{
		{"no build ID: the path must do", profile.Mapping{Path: self}, judge.PathTrust},
		{"another build", profile.Mapping{Path: self, BuildID: "00ff00ff"}, judge.NoTrust},
		{"a bare name", profile.Mapping{Path: filepath.Base(self)}, judge.NoTrust},
		{"not there", profile.Mapping{Path: "/no/such/file"}, judge.NoTrust},
		{"no ELF file", profile.Mapping{Path: foreign}, judge.NoTrust},
		{"a kernel region", profile.Mapping{Path: "[kernel.kallsyms]"}, judge.NoTrust},
	} {
		b, got := f.Binary(&c.m)
		if got != c.want || (b == nil) != (c.want == judge.NoTrust) {
			t.Errorf("%s: got trust %d and a binary: %v; want %d", c.name, got, b != nil, c.want)
		}
	}
	if info.BuildID != "" {
		if _, got := f.Binary(&profile.Mapping{Path: self, BuildID: info.BuildID}); got != judge.BuildIDExact {
			t.Errorf("the same build ID: got trust %d", got)
		}
	}
	// The Go tool is a Go program with its symbols; a test binary has none.
	tool, err := tool.Find("go")
	if err != nil {
		t.Fatal(err)
	}
	if tool, err = filepath.EvalSymlinks(tool); err != nil {
		t.Fatal(err)
	}
	b, trust := f.Binary(&profile.Mapping{Path: tool})
	if trust != judge.PathTrust {
		t.Fatalf("the Go tool at %s: got trust %d", tool, trust)
	}
	if sym, found, known := b.Defines(regexp.MustCompile(`^runtime\.mallocgc$`)); !known || !found || sym != "runtime.mallocgc" {
		t.Errorf("a Go program defines runtime.mallocgc: got %q, found %v, known %v", sym, found, known)
	}
	if _, found, _ := b.Defines(regexp.MustCompile(`^no_such_symbol$`)); found {
		t.Error("a symbol was found that is not there")
	}
}

// Of profiles that others sent nothing is believed for its path, and no file is read
// for them.
func TestByBuildID(t *testing.T) {
	libc, err := filepath.Glob("/lib/*-linux-gnu/libc.so.6")
	if err != nil || len(libc) == 0 {
		t.Fatalf("where is the libc? %v", err)
	}
	info, err := elfinfo.Read(libc[0])
	if err != nil || info.BuildID == "" {
		t.Fatal(err)
	}
	source := filepath.Join(t.TempDir(), "a.py")
	if err := os.WriteFile(source, []byte("import json\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	here, others := New(), ByBuildID()
	if _, ok := here.Source(source); !ok {
		t.Error("the source is not there")
	}
	if lines, ok := others.Source(source); ok || lines != nil {
		t.Errorf("%q was read", lines)
	}
	for buildID, want := range map[string]judge.Trust{"": judge.NoTrust, info.BuildID: judge.BuildIDExact, "00ff": judge.NoTrust} {
		if _, got := others.Binary(&profile.Mapping{Path: libc[0], BuildID: buildID}); got != want {
			t.Errorf("%q: trust %d", buildID, got)
		}
	}
}
