package stage

import (
	"os"
	"path/filepath"
	"testing"
)

func content(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func TestTreesTakeTurns(t *testing.T) {
	dir := t.TempDir()
	a, b, place := filepath.Join(dir, "a"), filepath.Join(dir, "b"), filepath.Join(dir, "place")
	for _, home := range []string{a, b} {
		if err := os.Mkdir(home, 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(home, "name"), []byte(filepath.Base(home)), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	s := New(place)
	for _, home := range []string{a, b, b, a} {
		if err := s.Put(home); err != nil {
			t.Fatal(err)
		}
		if got := content(t, filepath.Join(place, "name")); got != filepath.Base(home) || s.Home() != home {
			t.Errorf("%s is at the place and not %s", got, home)
		}
		for _, each := range []string{a, b} {
			if got := content(t, s.Path(each, "name")); got != filepath.Base(each) {
				t.Errorf("the path of %s leads to %s", each, got)
			}
		}
	}
	if err := s.Clear(); err != nil {
		t.Fatal(err)
	}
	if content(t, filepath.Join(a, "name")) != "a" || s.Home() != "" {
		t.Error("a is not at home")
	}
	if _, err := os.Lstat(place); !os.IsNotExist(err) {
		t.Errorf("something is left at the place: %v", err)
	}
}

func TestWhatWasMadeAtThePlaceGoesHome(t *testing.T) {
	dir := t.TempDir()
	s := New(filepath.Join(dir, "place"))
	if err := os.Mkdir(s.Place(), 0o700); err != nil {
		t.Fatal(err)
	}
	s.Adopt(filepath.Join(dir, "home"))
	if err := s.Put(filepath.Join(dir, "nowhere")); err == nil {
		t.Error("a tree that is not there was moved")
	}
	if _, err := os.Stat(filepath.Join(dir, "home")); err != nil || s.Home() != "" {
		t.Errorf("it did not go home: %v", err)
	}
}
