package dirlock

import (
	"errors"
	"io/fs"
	"path/filepath"
	"testing"
)

func TestTake(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lock")
	first, err := Take(path, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Take(path, 0o600); !errors.Is(err, ErrTaken) {
		t.Errorf("taken twice: %v", err)
	}
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	again, err := Take(path, 0o600)
	if err != nil {
		t.Fatalf("given free, and not to be had: %v", err)
	}
	_ = again.Close()
	if _, err := Take(filepath.Join(path, "no", "lock"), 0o600); err == nil || errors.Is(err, ErrTaken) {
		t.Errorf("in a directory that is not there: %v", err)
	}
	if _, err := Take(filepath.Join(t.TempDir(), "none", "lock"), 0o600); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("in a directory that is not there: %v", err)
	}
}
