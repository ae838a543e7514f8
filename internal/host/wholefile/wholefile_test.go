package wholefile

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

func text(s string) func(*os.File) error { return Bytes([]byte(s)) }

// only checks that the directory holds these files, with these contents.
func only(t *testing.T, dir string, want map[string]string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		got, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			t.Fatal(err)
		}
		if w, ok := want[e.Name()]; !ok || w != string(got) {
			t.Errorf("%s holds %q, want %q", e.Name(), got, w)
		}
	}
	if len(entries) != len(want) {
		t.Errorf("%d files, want %d", len(entries), len(want))
	}
}

func TestWritesAndReplaces(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a")
	for _, s := range []string{"a longer text", "short"} {
		if err := Write(path, 0o640, text(s)); err != nil {
			t.Fatal(err)
		}
		only(t, dir, map[string]string{"a": s})
	}
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if info.Mode() != 0o640 {
		t.Errorf("mode %v", info.Mode())
	}
}

func TestOldFileIsSeenUntilTheEnd(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a")
	if err := Write(path, 0o600, text("old")); err != nil {
		t.Fatal(err)
	}
	err := Write(path, 0o600, func(f *os.File) error {
		if _, err := f.WriteString("new"); err != nil {
			return err
		}
		now, err := os.ReadFile(path)
		if string(now) != "old" {
			t.Errorf("while it is written the file holds %q", now)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	only(t, dir, map[string]string{"a": "new"})
}

func TestFailureLeavesWhatWasThere(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a")
	if err := Write(path, 0o600, text("old")); err != nil {
		t.Fatal(err)
	}
	fault := errors.New("fault")
	err := Write(path, 0o600, func(f *os.File) error {
		return errors.Join(text("half")(f), fault)
	})
	if !errors.Is(err, fault) {
		t.Errorf("error %v", err)
	}
	only(t, dir, map[string]string{"a": "old"})
}

func TestNoPlaceToWrite(t *testing.T) {
	dir := t.TempDir()
	if err := Write(dir, 0o600, text("x")); err == nil {
		t.Error("a directory was written to")
	}
	err := Write(filepath.Join(dir, "none", "a"), 0o600, text("x"))
	if !errors.Is(err, fs.ErrNotExist) || !strings.Contains(err.Error(), filepath.Join("none", "a")) || strings.Contains(err.Error(), ".whyhot-") {
		t.Errorf("a directory that does not exist: %v", err)
	}
	only(t, dir, nil)
}

func TestSymbolicLinkStays(t *testing.T) {
	dir, far := t.TempDir(), t.TempDir()
	path, target := filepath.Join(dir, "link"), filepath.Join(far, "a")
	if err := os.WriteFile(target, []byte("old"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(target, path); err != nil {
		t.Fatal(err)
	}
	if err := Write(path, 0o600, text("new")); err != nil {
		t.Fatal(err)
	}
	if to, err := os.Readlink(path); err != nil || to != target {
		t.Errorf("the link leads to %q: %v", to, err)
	}
	only(t, far, map[string]string{"a": "new"})
}

func TestPipeIsWrittenTo(t *testing.T) {
	path := filepath.Join(t.TempDir(), "pipe")
	if err := unix.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
	// Both ways, so that neither side waits for the other.
	pipe, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = pipe.Close() }()
	if err := Write(path, 0o600, text("text")); err != nil {
		t.Fatal(err)
	}
	got := make([]byte, 10)
	n, err := pipe.Read(got)
	if err != nil || string(got[:n]) != "text" {
		t.Errorf("read %q: %v", got[:n], err)
	}
	if info, err := os.Lstat(path); err != nil || info.Mode().Type() != fs.ModeNamedPipe {
		t.Errorf("the pipe is now %v: %v", info.Mode(), err)
	}
}

func TestWriteDurably(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "x")
	for _, content := range []string{"one", "two"} {
		if err := WriteDurably(path, 0o600, text(content)); err != nil {
			t.Fatal(err)
		}
		only(t, dir, map[string]string{"x": content})
	}
	if err := WriteDurably(path, 0o600, func(*os.File) error { return errors.New("no") }); err == nil {
		t.Error("no error")
	}
	only(t, dir, map[string]string{"x": "two"})
}
