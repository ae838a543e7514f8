package buildreport

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestPlanGo(t *testing.T) {
	t.Setenv("GOFLAGS", "")
	p, err := plan(Options{Command: []string{"/usr/bin/go", "build", "-o", "x", "./..."}, Dir: "/r", Packages: []string{"a.b/c"}})
	if want := []string{"/usr/bin/go", "build", "-gcflags=-json=0,/r", "-gcflags=a.b/c=-json=0,/r", "-o", "x", "./..."}; err != nil || !slices.Equal(p.command, want) {
		t.Errorf("%q, %v", p.command, err)
	}
	for text, want := range map[string]string{
		"":                              "missing command",
		"go":                            "not a command of go that compiles",
		"go vet ./...":                  "not a command of go that compiles",
		"go build -gcflags=-N ./...":    "-gcflags of its own",
		"go build --gcflags all=-N ./x": "-gcflags of its own",
		"make all":                      "make: whyhot makes the reports of go",
	} {
		if _, err := plan(Options{Command: strings.Fields(text), Dir: "/r"}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
	t.Setenv("GOFLAGS", "-mod=mod -gcflags=-N")
	if _, err := plan(Options{Command: []string{"go", "build"}, Dir: "/r"}); err == nil {
		t.Error("GOFLAGS has flags that ours would replace")
	}
}

// A second run with the same directory would find the build in Go's cache, and write
// nothing.
func TestRunWritesAReport(t *testing.T) {
	src, dir := t.TempDir(), t.TempDir()
	for name, text := range map[string]string{
		"go.mod":  "module example.com/x\n\ngo 1.21\n",
		"main.go": "package main\n\nfunc main() { println(*f()) }\n\n//go:noinline\nfunc f() *int { x := 3; return &x }\n",
	} {
		if err := os.WriteFile(filepath.Join(src, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	t.Chdir(src)
	t.Setenv("GOFLAGS", "")
	var printed bytes.Buffer
	if err := Run(t.Context(), Options{Command: []string{"go", "build", "-o", "x", "."}, Dir: dir, Stdout: &printed, Stderr: &printed}); err != nil {
		t.Fatalf("%v\n%s", err, &printed)
	}
	text, err := os.ReadFile(filepath.Join(dir, "main", "main.json"))
	if err != nil || !bytes.Contains(text, []byte("x escapes to heap")) {
		t.Errorf("%s, %v", text, err)
	}
	if err := Run(t.Context(), Options{Command: []string{"go", "build", "./missing"}, Dir: dir, Stdout: &printed, Stderr: &printed}); err == nil || !strings.Contains(err.Error(), "go build") {
		t.Errorf("a build that fails: %v", err)
	}
}
