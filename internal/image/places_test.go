package image

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"whyhot/internal/image/inventory"
	"whyhot/internal/image/packages"
)

func module(name string) string { return `{"name": "` + name + `", "version": "1.0.0"}` }

// ofRunningSystem reads files as those of the system that runs.
func ofRunningSystem(t *testing.T, q inventory.Question, files map[string]string) (found, notes, doing []string) {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		at := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(at), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(at, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	info, err := root.Stat(".")
	if err != nil {
		t.Fatal(err)
	}
	finder, err := packages.New()
	if err != nil {
		t.Fatal(err)
	}
	q.Image = "/"
	r := reading{ctx: t.Context(), q: q, finder: finder, doing: func(d string) { doing = append(doing, d) }, asked: askedFor(q.Files)}
	if err := r.readInPlace(root, device(info), true); err != nil {
		t.Fatal(err)
	}
	for _, p := range r.out.Packages {
		found = append(found, p.Name)
	}
	return found, r.out.Notes, doing
}

func runningSystem() map[string]string {
	return map[string]string{
		"var/lib/dpkg/status":                                       "Package: gzip\nStatus: install ok installed\nArchitecture: amd64\nVersion: 1.12\nDescription: x\n\n",
		"usr/lib/node_modules/express/package.json":                 module("express"),
		"usr/lib/node_modules/express/node_modules/ms/package.json": module("ms"),
		"srv/app/node_modules/moment/package.json":                  module("moment"),
		"home/me/app/node_modules/mine/package.json":                module("mine"),
		"root/node_modules/roots/package.json":                      module("roots"),
		"src/project/.git/HEAD":                                     "ref: refs/heads/main\n",
		"src/project/node_modules/linter/package.json":              module("linter"),
		"usr/include/node_modules/header/package.json":              module("header"),
		"proc/1/node_modules/kernel/package.json":                   module("kernel"),
		"tmp/node_modules/scratch/package.json":                     module("scratch"),
	}
}

// Of a system that runs, what users and caches hold is left out, and the answer says so.
func TestPlacesOfRunningSystem(t *testing.T) {
	found, notes, doing := ofRunningSystem(t, inventory.Question{}, runningSystem())
	if want := []string{"gzip", "express", "moment", "ms"}; !slices.Equal(found, want) {
		t.Errorf("found %q, want %q", found, want)
	}
	if want := "left out: /home, /root, /src/project, /tmp; --everywhere reads them"; !slices.Equal(notes, []string{want}) {
		t.Errorf("notes %q, want %q", notes, want)
	}
	// The distribution's packages are there before the first other name is looked at.
	if i := slices.IndexFunc(doing, func(d string) bool { return strings.HasPrefix(d, "1 packages of the distribution; looking at /") }); i < 0 {
		t.Errorf("said %q", doing)
	}
}

func TestEverywhere(t *testing.T) {
	found, notes, _ := ofRunningSystem(t, inventory.Question{Everywhere: true}, runningSystem())
	if want := []string{"gzip", "express", "linter", "mine", "moment", "ms", "roots", "scratch"}; !slices.Equal(found, want) || len(notes) != 0 {
		t.Errorf("found %q, want %q; notes %q", found, want, notes)
	}
}

// What a profile names is read wherever it lies, and nothing else that lies there.
func TestPlacesThatAProfileNames(t *testing.T) {
	q := inventory.Question{Files: []string{"/home/me/app/bin/node", "/src/project/node_modules/native.node"}}
	found, _, _ := ofRunningSystem(t, q, runningSystem())
	if want := []string{"gzip", "express", "linter", "mine", "moment", "ms"}; !slices.Equal(found, want) {
		t.Errorf("found %q, want %q", found, want)
	}
}

// Links inside the root are followed from wherever the walk is, those out of it are not.
func TestLinksFromAnOpenDirectory(t *testing.T) {
	dir, outside := t.TempDir(), t.TempDir()
	for _, d := range []string{"a/b/c", "usr/bin"} {
		if err := os.MkdirAll(filepath.Join(dir, d), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for _, at := range []string{filepath.Join(dir, "usr/bin/tool"), filepath.Join(outside, "secret")} {
		if err := os.WriteFile(at, []byte(filepath.Base(at)), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for name, to := range map[string]string{"a/b/c/in": "../../../usr/bin/tool", "a/b/c/out": filepath.Join(outside, "secret"), "a/b/c/up": "../../../../../../../../etc/passwd"} {
		if err := os.Symlink(to, filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	info, err := root.Stat(".")
	if err != nil {
		t.Fatal(err)
	}
	d := &rooted{dirFS: root.FS().(dirFS), root: root, device: device(info), places: placesOf(inventory.Question{Image: dir}, false)}
	defer d.closeBelow()
	for _, name := range []string{".", "a", "a/b", "a/b/c"} {
		if _, err := d.ReadDir(name); err != nil {
			t.Fatal(err)
		}
	}
	f, err := d.Open("a/b/c/in")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if s, err := f.Stat(); err != nil || s.Size() != int64(len("tool")) {
		t.Errorf("%v, %v", s, err)
	}
	for _, name := range []string{"a/b/c/out", "a/b/c/up"} {
		if _, err := d.Stat(name); err == nil {
			t.Errorf("%s can be asked for", name)
		}
		if f, err := d.Open(name); err == nil {
			f.Close()
			t.Errorf("%s can be opened", name)
		}
	}
}
