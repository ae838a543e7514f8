package sources

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
)

func write(t *testing.T, text string, at ...string) {
	t.Helper()
	name := filepath.Join(at...)
	if err := os.MkdirAll(filepath.Dir(name), 0o750); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestRead(t *testing.T) {
	dir := t.TempDir()
	a, b, out := filepath.Join(dir, "a"), filepath.Join(dir, "b"), filepath.Join(dir, "out")
	write(t, "one\n", a, "src/io/read.c")
	write(t, "shorter\n", a, "read.c")
	write(t, "two\n", b, "lib/read.c")
	write(t, "secret", a, ".git/config")
	write(t, "secret", out, "key.c")
	write(t, "\x00\x01", a, "bin/tool")
	if err := os.Symlink(out, filepath.Join(a, "way")); err != nil {
		t.Fatal(err)
	}
	tree, err := Open([]string{a, b})
	if err != nil {
		t.Fatal(err)
	}
	defer tree.Close()
	for file, want := range map[string]string{
		"/build/app-1.2/src/io/read.c": "one\n", // the longest end
		"src/io/read.c":                "one\n",
		"/x/read.c":                    "shorter\n",
		"/x/lib/read.c":                "two\n", // longer in the second directory
		"/x/src/../lib/read.c":         "two\n",
		"/x/absent.c":                  "",
		"/x/.git/config":               "",
		"../out/key.c":                 "",
		"way/key.c":                    "", // a link that leads out
		out + "/key.c":                 "",
		"src":                          "",
		"":                             "",
	} {
		text, err := tree.Read(file)
		if text != want || (want == "") != errors.Is(err, ErrNone) {
			t.Errorf("%q gives %q, %v; want %q", file, text, err, want)
		}
	}
	if _, err := tree.Read("/x/bin/tool"); err == nil || errors.Is(err, ErrNone) {
		t.Errorf("a binary: %v", err)
	}
}

func TestNoDirectories(t *testing.T) {
	var none *Tree
	if _, err := (&Tree{}).Read("a.c"); !errors.Is(err, ErrNone) || !none.Empty() {
		t.Error(err)
	}
	if _, err := Open([]string{filepath.Join(t.TempDir(), "absent")}); err == nil {
		t.Error("a directory that is not there is taken")
	}
}
