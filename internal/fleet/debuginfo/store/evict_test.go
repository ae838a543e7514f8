package store

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// aged puts a file there that was last used so long ago.
func aged(t *testing.T, s *Store, id string, size int, ago time.Duration) {
	t.Helper()
	path := s.path(id)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, make([]byte, size), 0o600); err != nil {
		t.Fatal(err)
	}
	at := time.Now().Add(-ago)
	if err := os.Chtimes(path, at, at); err != nil {
		t.Fatal(err)
	}
}

// At the bound the files go of whose binaries nothing is kept, then those that were not used
// for longest; what machines run now stays, and so does what was asked about.
func TestFilesGoByUse(t *testing.T) {
	dir := t.TempDir()
	s, err := Open(dir, Options{})
	if err != nil {
		t.Fatal(err)
	}
	for i, ago := range []time.Duration{50 * time.Hour, 40 * time.Hour, 30 * time.Hour, 20 * time.Hour, 0} {
		aged(t, s, fmt.Sprintf("aa%02d", i), 100, ago)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	inUse := func(id string) bool { return id != "aa02" }
	if s, err = Open(dir, Options{MaxTotal: 500, InUse: inUse}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	there := func(want ...string) {
		t.Helper()
		var got []string
		for _, f := range s.all() {
			got = append(got, f.id)
		}
		if fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("there are %v, not %v", got, want)
		}
	}
	there("aa02", "aa00", "aa01", "aa03", "aa04")
	if _, err := s.judge(t.Context(), "aa00", "", false); err != nil { // an agent asks about it
		t.Fatal(err)
	}
	there("aa02", "aa01", "aa03", "aa04", "aa00")
	u, err := s.announce("bb00", 150)
	if err != nil {
		t.Fatal(err)
	}
	there("aa03", "aa04", "aa00")
	s.end(u, false)
	if _, size := s.Stats(); size != 300 {
		t.Errorf("%d bytes", size)
	}
	if _, err := s.announce("bb00", 450); !errors.Is(err, errFull) {
		t.Errorf("files that are used gave way: %v", err)
	}
	there("aa04", "aa00")
	if _, gone := s.Bound(); gone != 3 {
		t.Errorf("%d files went", gone)
	}
}

// Without a bound that is met the file of a binary of which nothing is kept goes after a week.
func TestFilesOfForgottenBinariesGo(t *testing.T) {
	s, err := Open(t.TempDir(), Options{InUse: func(id string) bool { return id == "aa00" }})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	aged(t, s, "aa00", 10, 300*24*time.Hour)
	aged(t, s, "aa01", 10, 6*24*time.Hour)
	aged(t, s, "aa02", 10, 8*24*time.Hour)
	s.Forget()
	if left := s.all(); len(left) != 2 || left[0].id != "aa01" || left[1].id != "aa00" {
		t.Errorf("left: %v", left)
	}
}
