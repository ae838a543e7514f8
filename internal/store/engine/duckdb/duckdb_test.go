//go:build cgo

package duckdb

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"whyhot/internal/store/engine"
	"whyhot/internal/store/engine/enginetest"
)

func TestConformance(t *testing.T) {
	enginetest.Run(t, func(t *testing.T) enginetest.Backend {
		dir := t.TempDir()
		return enginetest.Backend{
			Open: func() (engine.Engine, error) {
				e, err := Open(dir, Options{})
				if err != nil {
					return nil, err
				}
				return e, nil
			},
			Newer: func(t *testing.T) {
				e, err := Open(dir, Options{})
				if err != nil {
					t.Fatal(err)
				}
				if err := e.writer.exec(t.Context(), "UPDATE store_state SET version = version + 1"); err != nil {
					t.Fatal(err)
				}
				if err := e.Close(); err != nil {
					t.Fatal(err)
				}
			},
			Damage: func(t *testing.T) {
				f, err := os.OpenFile(filepath.Join(dir, fileName), os.O_RDWR, 0)
				if err != nil {
					t.Fatal(err)
				}
				defer f.Close()
				if _, err := f.WriteAt(make([]byte, 3*4096), 0); err != nil {
					t.Fatal(err)
				}
			},
		}
	})
}

// A database whose file has gone is damaged, and not a new one; also the second time.
func TestFileGone(t *testing.T) {
	dir := t.TempDir()
	e := opened(t, dir)
	commitRows(t, e, 1)
	if err := e.Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(filepath.Join(dir, fileName)); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if _, err := Open(dir, Options{}); !errors.Is(err, engine.ErrDamaged) || !strings.Contains(err.Error(), "to recover") {
			t.Errorf("opened without its file: %v", err)
		}
	}
}

// A copy of a directory that lacks the empty file is the database all the same; what an
// interrupted start left, and cannot be opened, is not in the way.
func TestTheMarkIsGone(t *testing.T) {
	dir := t.TempDir()
	e := opened(t, dir)
	commitRows(t, e, 1)
	if err := e.Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(filepath.Join(dir, madeName)); err != nil {
		t.Fatal(err)
	}
	e = opened(t, dir)
	if e.Committed() != 1 {
		t.Errorf("%d commits are there, want 1", e.Committed())
	}
	if err := e.Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(filepath.Join(dir, fileName)); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(dir, Options{}); !errors.Is(err, engine.ErrDamaged) {
		t.Errorf("opened without its file: %v", err)
	}
	dir = t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, fileName), []byte("DUCK"), 0o600); err != nil {
		t.Fatal(err)
	}
	e = opened(t, dir)
	commitRows(t, e, 1)
}
