package tree

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"pgregory.net/rapid"
)

func write(t *testing.T, root string, files map[string]string) {
	t.Helper()
	for name, content := range files {
		p := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(p), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(p, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

func scan(t *testing.T, root string, o Options) *Source {
	t.Helper()
	s, err := Scan(t.Context(), root, o)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func read(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// state is everything about a tree that a build could change.
func state(t *testing.T, root string) string {
	t.Helper()
	h := sha256.New()
	err := filepath.WalkDir(root, func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		fmt.Fprintln(h, p, info.Mode(), info.ModTime())
		if d.Type().IsRegular() {
			fmt.Fprintln(h, read(t, p))
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf("%x", h.Sum(nil))
}

func TestCopyIsIndependent(t *testing.T) {
	root, to := filepath.Join(t.TempDir(), "project"), filepath.Join(t.TempDir(), "copy")
	write(t, root, map[string]string{"a.c": "int a;", "sub/b.c": "int b;", "sub/run.sh": "#!/bin/sh\n"})
	if err := os.Chmod(filepath.Join(root, "sub/run.sh"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Link(filepath.Join(root, "a.c"), filepath.Join(root, "linked.c")); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(filepath.Join(root, "sub"), 0o555); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = os.Chmod(filepath.Join(root, "sub"), 0o755) }()
	before := state(t, root)
	s := scan(t, root, Options{})
	if err := s.Copy(t.Context(), to, nil); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"a.c", "sub/b.c", "linked.c", "sub/run.sh"} {
		if err := os.WriteFile(filepath.Join(to, name), []byte("overwritten"), 0o600); err != nil {
			t.Error(err)
		}
	}
	if info, err := os.Stat(filepath.Join(to, "sub/run.sh")); err != nil || info.Mode()&0o111 == 0 {
		t.Errorf("the script is no longer executable: %v, %v", info, err)
	}
	if state(t, root) != before {
		t.Error("writing to the copy changed the original")
	}
	if p := s.Changed(); p != "" {
		t.Errorf("%s is said to have changed", p)
	}
	if err := Remove(to); err != nil {
		t.Error(err)
	}
}

func TestWhatIsLeftOut(t *testing.T) {
	root, to := filepath.Join(t.TempDir(), "project"), filepath.Join(t.TempDir(), "copy")
	write(t, root, map[string]string{
		"a.c": "", ".git/config": "", "sub/.git": "gitdir: elsewhere", "big.bin": "", "data/x": "", "data/y/z": "", "keep/data.c": "",
		"target/CACHEDIR.TAG": "Signature: 8a477f597d28d172789f06886806bc55\n", "target/x.o": "",
	})
	if err := syscall.Mkfifo(filepath.Join(root, "pipe"), 0o600); err != nil {
		t.Fatal(err)
	}
	s := scan(t, root, Options{Exclude: []string{"*.bin", "data/"}})
	if err := s.Copy(t.Context(), to, nil); err != nil {
		t.Fatal(err)
	}
	var got []string
	_ = filepath.WalkDir(to, func(p string, d fs.DirEntry, _ error) error {
		if !d.IsDir() {
			rel, _ := filepath.Rel(to, p)
			got = append(got, rel)
		}
		return nil
	})
	if want := []string{"a.c", "keep/data.c"}; !slices.Equal(got, want) {
		t.Errorf("copied %q, want %q", got, want)
	}
	skipped := slices.Sorted(slices.Values(s.Skipped()))
	if want := []string{".git", "big.bin", "data", "pipe", "sub/.git", "target"}; !slices.Equal(skipped, want) {
		t.Errorf("skipped %q, want %q", skipped, want)
	}
	if _, err := Scan(t.Context(), root, Options{Exclude: []string{"[a"}}); err == nil {
		t.Error("a broken pattern was taken")
	}
}

func TestProductsAreOlderThanSources(t *testing.T) {
	root, to := filepath.Join(t.TempDir(), "project"), filepath.Join(t.TempDir(), "copy")
	write(t, root, map[string]string{
		"a.c": "int a;", "a.o": "\x7fELF\x02\x01\x01" + strings.Repeat("\x00", 60), "lib.a": "!<arch>\n", "b.lo": "# libtool object\n", "notes.txt": "!",
	})
	if err := scan(t, root, Options{}).Copy(t.Context(), to, nil); err != nil {
		t.Fatal(err)
	}
	age := func(dir, name string) time.Time {
		info, err := os.Stat(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		return info.ModTime()
	}
	for _, name := range []string{"a.o", "lib.a", "b.lo"} {
		if !age(to, name).Before(age(to, "a.c")) {
			t.Errorf("%s is not older than its source", name)
		}
	}
	for _, name := range []string{"a.c", "notes.txt"} {
		if !age(to, name).Equal(age(root, name)) {
			t.Errorf("%s has another time than in the original", name)
		}
	}
}

func TestPathsLeadIntoTheCopy(t *testing.T) {
	root, to := filepath.Join(t.TempDir(), "project"), filepath.Join(t.TempDir(), "copy")
	outside := filepath.Join(t.TempDir(), "input")
	binary := "\x7fELF\x00" + root + "/x"
	write(t, root, map[string]string{
		"build/CMakeCache.txt": "HOME=" + root + "\nCC=/usr/bin/cc\n", "build/sub/rules": root + "/a.c:/usr/bin/cc:/usr/bin/cc-3\n",
		"Makefile": "CC=/usr/bin/cc\n", "script": "/usr/bin/cc\n", "a.bin": binary,
	})
	for name, target := range map[string]string{
		"inside": "build/sub", "absolute": root + "/Makefile", "away": outside, "up": "../elsewhere",
	} {
		if err := os.Symlink(target, filepath.Join(root, name)); err != nil {
			t.Fatal(err)
		}
	}
	s := scan(t, root, Options{})
	if err := s.Copy(t.Context(), to, []Move{{"/usr/bin/cc", "/w/cc"}}); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{
		"build/CMakeCache.txt": "HOME=" + to + "\nCC=/w/cc\n", "build/sub/rules": to + "/a.c:/w/cc:/usr/bin/cc-3\n",
		"Makefile": "CC=/w/cc\n", "script": "/usr/bin/cc\n", "a.bin": binary,
	} {
		if got := read(t, filepath.Join(to, name)); got != want {
			t.Errorf("%s: got %q, want %q", name, got, want)
		}
	}
	for name, want := range map[string]string{
		"inside": "build/sub", "absolute": to + "/Makefile", "away": outside, "up": filepath.Join(filepath.Dir(s.Root()), "elsewhere"),
	} {
		if got, err := os.Readlink(filepath.Join(to, name)); err != nil || got != want {
			t.Errorf("link %s: got %q, %v, want %q", name, got, err, want)
		}
	}
}

func TestRebase(t *testing.T) {
	moves := []Move{{"/a/p", "/copy/1"}}
	for in, want := range map[string]string{
		"/a/p":                  "/copy/1",
		"-I/a/p/inc -L/a/p":     "-I/copy/1/inc -L/copy/1",
		"-isystem/a/p":          "-isystem/copy/1",
		"x=/a/p:/a/p;'/a/p'":    "x=/copy/1:/copy/1;'/copy/1'",
		"/a/p2 /a/p-1 /a/p.d":   "/a/p2 /a/p-1 /a/p.d",
		"/x/a/p ${D}/a/p b/a/p": "/x/a/p ${D}/a/p b/a/p",
		"in /a/p.":              "in /copy/1.",
		"--prefix=/a/p":         "--prefix=/copy/1",
	} {
		if got := Rebase(in, moves); got != want {
			t.Errorf("%q: got %q, want %q", in, got, want)
		}
	}
}

func TestRebaseIsUndone(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := strings.ReplaceAll(rapid.StringMatching(`([a-z/ .:=-]{0,6}(/src/p)?){0,6}`).Draw(t, "text"), "/other/q", "")
		there := Rebase(text, []Move{{"/src/p", "/other/q"}})
		if back := Rebase(there, []Move{{"/other/q", "/src/p"}}); back != text {
			t.Fatalf("%q became %q and %q", text, there, back)
		}
	})
}

func TestChangedOriginal(t *testing.T) {
	root := filepath.Join(t.TempDir(), "project")
	write(t, root, map[string]string{"a.c": "int a;", "b.c": "int b;"})
	s := scan(t, root, Options{})
	write(t, root, map[string]string{"b.c": "int bb;"})
	if p := s.Changed(); p != "b.c" {
		t.Errorf("got %q", p)
	}
}

func TestRoom(t *testing.T) {
	root := filepath.Join(t.TempDir(), "project")
	write(t, root, map[string]string{"big/a": strings.Repeat("x", 1<<20), "b": "x"})
	s := scan(t, root, Options{})
	if err := s.Room(t.TempDir(), 1); err != nil {
		t.Error(err)
	}
	if s.shares(root) {
		t.Skip("this file system shares content between copies")
	}
	err := s.Room(root, 1<<40)
	if e, ok := errors.AsType[*SpaceError](err); !ok || e.Largest[0] != "big" || !strings.Contains(err.Error(), "--work") {
		t.Errorf("got %v", err)
	}
}

func TestCancelledCopy(t *testing.T) {
	root := filepath.Join(t.TempDir(), "project")
	write(t, root, map[string]string{"a": "x"})
	s := scan(t, root, Options{})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := s.Copy(ctx, filepath.Join(t.TempDir(), "copy"), nil); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

func TestFullDisk(t *testing.T) {
	err := enough(&fs.PathError{Op: "write", Path: "x", Err: syscall.ENOSPC}, "/copy")
	if !errors.Is(err, syscall.ENOSPC) || !strings.Contains(err.Error(), "--work") {
		t.Errorf("got %v", err)
	}
}

func TestRefusesTheWholeFileSystem(t *testing.T) {
	for _, root := range []string{"/", filepath.Join(t.TempDir(), "none")} {
		if _, err := Scan(t.Context(), root, Options{}); err == nil {
			t.Errorf("%s was taken", root)
		}
	}
}

// FuzzRebase: a text without the path stays as it is, whatever its bytes, and a
// path that stands alone is always replaced.
func FuzzRebase(f *testing.F) {
	for _, s := range []string{"", "-I/a/p/x", "/a/p.", "\x00/a/p\xff", "a/a/p", "/a/p/a/p"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		moves := []Move{{"/a/p", "/q"}}
		if !strings.Contains(text, "/a/p") && Rebase(text, moves) != text {
			t.Errorf("%q became %q", text, Rebase(text, moves))
		}
		if got := Rebase(text+"\n/a/p\n", moves); !strings.HasSuffix(got, "\n/q\n") {
			t.Errorf("%q became %q", text+"\n/a/p\n", got)
		}
	})
}

// Times alone change what is built of a tree, not what it says.
func TestTextLeavesTimesOut(t *testing.T) {
	root := t.TempDir()
	write(t, root, map[string]string{"a.c": "int x;"})
	hashes := func() (content, text string) {
		s := scan(t, root, Options{})
		content, err := s.Content(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if text, err = s.Text(t.Context()); err != nil {
			t.Fatal(err)
		}
		return content, text
	}
	content, text := hashes()
	if err := os.Chtimes(filepath.Join(root, "a.c"), time.Time{}, time.Unix(1, 0)); err != nil {
		t.Fatal(err)
	}
	if c, x := hashes(); c == content || x != text {
		t.Errorf("the time changed: content %v, text %v", c != content, x != text)
	}
	write(t, root, map[string]string{"a.c": "int y;"})
	if _, x := hashes(); x == text {
		t.Error("another text has the same hash")
	}
}

// What the measured program writes is copied and no part of the content.
func TestProductsAreNoContent(t *testing.T) {
	root := filepath.Join(t.TempDir(), "project")
	write(t, root, map[string]string{"a.c": "1", "out/.keep": ""})
	before := scan(t, root, Options{})
	write(t, root, map[string]string{"out/result": "first", "state.db": "x"})
	wrote := scan(t, root, Options{}).Stamps().Since(before.Stamps())
	if !slices.Equal(wrote, []string{"out/result", "state.db"}) {
		t.Fatalf("%q", wrote)
	}
	content := func() [2]string {
		s := scan(t, root, Options{Products: wrote})
		c, err := s.Content(t.Context())
		text, errText := s.Text(t.Context())
		if err != nil || errText != nil {
			t.Fatal(err, errText)
		}
		to := filepath.Join(t.TempDir(), "copy")
		if err := s.Copy(t.Context(), to, nil); err != nil || !exists(filepath.Join(to, "state.db")) {
			t.Errorf("a product is not copied: %v", err)
		}
		return [2]string{c, text}
	}
	first := content()
	write(t, root, map[string]string{"out/result": "second, and longer"})
	if second := content(); second != first {
		t.Error("what the program wrote is part of the content")
	}
	write(t, root, map[string]string{"a.c": "2"})
	if third := content(); third == first {
		t.Error("the source is not")
	}
}
