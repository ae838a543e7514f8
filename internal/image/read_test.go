package image

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-containerregistry/pkg/name"
	"github.com/google/go-containerregistry/pkg/v1/tarball"

	"whyhot/internal/elfinfo/elffile"
	"whyhot/internal/host/tooltest"
	"whyhot/internal/image/imagetest"
	"whyhot/internal/image/inventory"
)

// apkDB is apk's data base with two packages.
const apkDB = "C:Q1abc=\nP:musl\nV:1.2.5-r0\nA:x86_64\no:musl\nF:lib\nR:ld-musl-x86_64.so.1\n\nC:Q1abc=\nP:zlib\nV:1.3.1-r1\nA:x86_64\no:zlib\nF:lib\nR:libz.so.1.3.1\n\n"

func saved(t *testing.T, layers ...imagetest.Files) string {
	t.Helper()
	i, err := imagetest.Image("", layers...)
	if err != nil {
		t.Fatal(err)
	}
	tag, err := name.NewTag("test:1")
	if err != nil {
		t.Fatal(err)
	}
	out := filepath.Join(t.TempDir(), "image.tar")
	if err := tarball.WriteToFile(out, tag, i); err != nil {
		t.Fatal(err)
	}
	return out
}

func read(t *testing.T, q inventory.Question) inventory.Inventory {
	t.Helper()
	out, err := Read(t.Context(), q, nil)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// described are packages as text, with their layers.
func described(ps []inventory.Package) []string {
	out := make([]string, 0, len(ps))
	for _, p := range ps {
		out = append(out, p.String()+" @"+string(rune('0'+p.Layer)))
	}
	return out
}

// The data base of a distribution is one file: which layer a package is from is told by
// when the data base had it.
func TestLayersOfPackages(t *testing.T) {
	base := imagetest.Debian(map[string][]string{"zlib1g 1:1.2.13": {"/lib/libz.so.1"}, "gzip 1.12": nil, "old 1": nil})
	second := imagetest.Debian(map[string][]string{"zlib1g 1:1.2.13": {"/lib/libz.so.1"}, "gzip 1.13": nil, "libjson-c5 0.16": nil})
	delete(second, "etc/os-release")
	third := imagetest.Files{"app/node_modules/moment/package.json": `{"name": "moment", "version": "2.29.4"}`}
	got := read(t, inventory.Question{Image: saved(t, base, second, third, imagetest.Files{"app/.wh.none": ""})})
	want := []string{"gzip 1.13 (deb) @2", "libjson-c5 0.16 (deb) @2", "zlib1g 1:1.2.13 (deb) @1", "moment 2.29.4 (npm) @3"}
	if ps := described(got.Packages); !slices.Equal(ps, want) {
		t.Errorf("packages %q, want %q", ps, want)
	}
	if got.System != "Debian GNU/Linux 12 (bookworm)" || len(got.Layers) != 4 || got.Kind != inventory.Archive {
		t.Errorf("%+v", got)
	}
}

// What a later layer deletes is not in the image.
func TestDeletedPackage(t *testing.T) {
	files := imagetest.Files{"app/node_modules/moment/package.json": `{"name": "moment", "version": "2.29.4"}`}
	got := read(t, inventory.Question{Image: saved(t, files, imagetest.Files{"app/node_modules/.wh.moment": ""})})
	if len(got.Packages) != 0 {
		t.Errorf("%q", described(got.Packages))
	}
}

func TestKindsOfPackages(t *testing.T) {
	if testing.Short() {
		t.Skip("builds a program")
	}
	layer := imagetest.Files{
		"lib/apk/db/installed": apkDB,
		"etc/os-release":       "ID=alpine\nVERSION_ID=3.20.0\nPRETTY_NAME=\"Alpine Linux v3.20\"\n",
		"usr/lib/python3/site-packages/PyYAML-6.0.dist-info/METADATA": "Metadata-Version: 2.1\nName: PyYAML\nVersion: 6.0\n",
		"usr/lib/node_modules/express/package.json":                   `{"name": "express", "version": "4.19.2"}`,
		"usr/lib/ruby/gems/3.1.0/specifications/json-2.6.1.gemspec":   "Gem::Specification.new do |s|\n  s.name = \"json\"\n  s.version = \"2.6.1\"\nend\n",
		"app/go-app": goProgram(t),
	}
	got := described(read(t, inventory.Question{Image: saved(t, layer)}).Packages)
	for _, want := range []string{"musl 1.2.5-r0 (apk) @1", "zlib 1.3.1-r1 (apk) @1", "pyyaml 6.0 (pypi) @1", "express 4.19.2 (npm) @1", "json 2.6.1 (gem) @1"} {
		if !slices.Contains(got, want) {
			t.Errorf("%s is missing in %q", want, got)
		}
	}
	if !slices.ContainsFunc(got, func(p string) bool { return strings.HasPrefix(p, "std ") && strings.Contains(p, "(go)") }) {
		t.Errorf("the standard library of the Go program is missing in %q", got)
	}
}

func goProgram(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{"go.mod": "module example.com/app\n\ngo 1.21\n", "main.go": "package main\n\nfunc main() {}\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	build := exec.CommandContext(t.Context(), tooltest.Find(t, "go"), "build", "-o", "app", ".")
	build.Dir = dir
	build.Env = append(os.Environ(), "CGO_ENABLED=0", "GOFLAGS=")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	text, err := os.ReadFile(filepath.Join(dir, "app"))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// Files that a profile names have owners, by the name that a process saw and by the one
// below a scanned directory.
func TestOwners(t *testing.T) {
	program := tooltest.Compile(t, "gcc", "lib.c", "int f(void) { return 1; }\n", "-shared", "-fPIC", "-Wl,--build-id")
	lib, err := os.ReadFile(program)
	if err != nil {
		t.Fatal(err)
	}
	files := imagetest.Debian(map[string][]string{"zlib1g 1:1.2.13": {"/lib/libz.so.1.2.13"}})
	files["usr/lib/libz.so.1.2.13"] = string(lib)
	files["lib@"] = "usr/lib"
	files["usr/lib/libz.so.1@"] = "libz.so.1.2.13"
	asked := []string{"/lib/libz.so.1", "/usr/lib/libz.so.1.2.13", "/no/such/file", "/usr/lib", "not/absolute", "/../../etc/passwd"}
	check := func(what string, i inventory.Inventory, layer int, names ...string) {
		t.Helper()
		for _, name := range names {
			f, ok := i.Files[name]
			if !ok || f.Path != "/usr/lib/libz.so.1.2.13" || f.Layer != layer || len(f.Owners) != 1 || i.Packages[f.Owners[0]].Name != "zlib1g" {
				t.Errorf("%s, %s: %+v", what, name, f)
			}
			if id := elffile.BuildIDOf(program); f.BuildID == "" || f.BuildID != id {
				t.Errorf("%s, %s: its build ID is %q, not %q", what, name, f.BuildID, id)
			}
		}
		if len(i.Files) != len(names) {
			t.Errorf("%s: %v", what, i.Files)
		}
	}
	check("archive", read(t, inventory.Question{Image: saved(t, files), Files: asked}), 1, "/lib/libz.so.1", "/usr/lib/libz.so.1.2.13")

	dir := t.TempDir()
	for name, text := range files {
		link, isLink := strings.CutSuffix(name, "@")
		at := filepath.Join(dir, link)
		if err := os.MkdirAll(filepath.Dir(at), 0o755); err != nil {
			t.Fatal(err)
		}
		if isLink {
			err = os.Symlink(text, at)
		} else {
			err = os.WriteFile(at, []byte(text), 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	below := filepath.Join(dir, "usr/lib/libz.so.1.2.13")
	check("directory", read(t, inventory.Question{Image: dir, Files: append(asked, below)}), 0, "/lib/libz.so.1", "/usr/lib/libz.so.1.2.13", below)
}

// A link out of a root directory leads nowhere: what is outside is not of the image.
func TestDirectoryHasNoOutside(t *testing.T) {
	dir, outside := t.TempDir(), t.TempDir()
	if err := os.WriteFile(filepath.Join(outside, "package.json"), []byte(`{"name": "moment", "version": "1"}`), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Join(dir, "node_modules"), 0o755); err != nil {
		t.Fatal(err)
	}
	for name, to := range map[string]string{"node_modules/moment": outside, "round": "round", "file": filepath.Join(outside, "package.json")} {
		if err := os.Symlink(to, filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	got := read(t, inventory.Question{Image: dir, Files: []string{"/node_modules/moment/package.json", "/file", "/round"}})
	if len(got.Packages) != 0 || len(got.Files) != 0 {
		t.Errorf("%v, %v", got.Packages, got.Files)
	}
}

// A data base that cannot be read is told of; the rest is read.
func TestDamagedDataBase(t *testing.T) {
	got := read(t, inventory.Question{Image: saved(t, imagetest.Files{
		"var/lib/rpm/rpmdb.sqlite":             "this is no data base",
		"app/node_modules/moment/package.json": `{"name": "moment", "version": "2.29.4"}`,
	})})
	if len(got.Packages) != 1 || !slices.ContainsFunc(got.Notes, func(n string) bool { return strings.Contains(n, "rpmdb.sqlite") }) {
		t.Errorf("%v, notes %q", got.Packages, got.Notes)
	}
}

func TestCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Read(ctx, inventory.Question{Image: saved(t, imagetest.Files{"a": "1"})}, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}
