package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The bundle is committed so that a build needs no step before it; it must be
// the one that the sources give.
func TestCommittedBundleIsCurrent(t *testing.T) {
	files, err := bundle(pages["report"], "../src")
	if err != nil {
		t.Fatal(err)
	}
	if len(files) != 2 {
		t.Fatalf("got %d files, want page.js and page.css", len(files))
	}
	for name, want := range files {
		got, err := os.ReadFile(filepath.Join("../../internal/report/html/dist", name))
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got, want) {
			t.Errorf("%s is out of date: run `go generate ./internal/report/html`", name)
		}
	}
}

// The server's page takes libraries, which only scripts/test and npm ci bring.
func TestCommittedFleetBundleIsCurrent(t *testing.T) {
	if _, err := os.Stat("../node_modules/preact"); err != nil {
		t.Skip("the packages of npm are not installed: (cd web && npm ci)")
	}
	files, err := bundle(pages["fleet"], "../src")
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range files {
		got, err := os.ReadFile(filepath.Join("../../internal/server/page/dist", name))
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got, want) {
			t.Errorf("%s is out of date: run `make web`", name)
		}
	}
}

// Both files stand inside an HTML element, which the first end tag would close.
func TestBundleStaysInsideItsElement(t *testing.T) {
	files, err := bundle(pages["report"], "../src")
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range files {
		for _, end := range []string{"</script", "</style", "<!--"} {
			if bytes.Contains(bytes.ToLower(text), []byte(end)) {
				t.Errorf("%s contains %q", name, end)
			}
		}
	}
}

func TestBundleReportsWhereTheSourceIsWrong(t *testing.T) {
	dir := t.TempDir()
	if err := os.MkdirAll(filepath.Join(dir, "style"), 0o755); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"main.ts": "const = 1;\n", "style/page.css": ""} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	_, err := bundle(pages["report"], dir)
	if err == nil || !strings.Contains(err.Error(), "main.ts:1") {
		t.Errorf("got %v, want an error that names main.ts:1", err)
	}
	if err := run("report", dir, filepath.Join(dir, "out")); err == nil {
		t.Error("run wrote a broken bundle")
	}
	if _, err := os.Stat(filepath.Join(dir, "out")); err == nil {
		t.Error("run left an output folder behind after an error")
	}
}
