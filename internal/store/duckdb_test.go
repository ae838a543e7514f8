//go:build cgo

package store

import (
	"archive/tar"
	"compress/gzip"
	"context"
	"io"
	"os"
	"path/filepath"
	"testing"
	"time"

	"pgregory.net/rapid"

	"whyhot/internal/store/batch"
	"whyhot/internal/store/engine"
	"whyhot/internal/store/engine/duckdb"
)

// The store on the engine that people use: the same answers, also after a restart and
// after compacting.
func TestOnDuckDB(t *testing.T) {
	open := func(_ context.Context, dir string) (engine.Engine, error) { return duckdb.Open(dir, duckdb.Options{}) }
	for seed := range 12 {
		dir, p := t.TempDir(), rapid.Custom(drawn).Example(seed)
		for try := range 3 {
			s, err := Open(t.Context(), dir, open, quick(Options{}))
			if err != nil {
				t.Fatal(err)
			}
			appendProfile(t, s, p, batch.Options{ID: "once"})
			if try == 1 {
				if err := s.Compact(t.Context()); err != nil {
					t.Fatal(err)
				}
			}
			flush(t, s)
			compareAll(t, s, p)
			closeStore(t, s)
		}
	}
}

func openDuckDB(_ context.Context, dir string) (engine.Engine, error) {
	return duckdb.Open(dir, duckdb.Options{})
}

func TestLabelsOnDuckDB(t *testing.T) { testLabels(t, openDuckDB) }

// A store of a version that kept no labels goes on, and what its journal still has is taken:
// three batches of three samples each are in the file's tables, and as many in its journal.
func TestAStoreWithoutLabels(t *testing.T) {
	dir := t.TempDir()
	unpack(t, "testdata/without-labels.tar.gz", dir)
	s, err := Open(t.Context(), dir, openDuckDB, quick(Options{}))
	if err != nil {
		t.Fatal(err)
	}
	defer closeStore(t, s)
	r := appendProfile(t, s, labelled(testNow.Add(-time.Hour), map[string]int64{"thread=main": 5}), batch.Options{Labels: batch.Labels{Service: "web", Version: "1", Host: "h0", Container: "c", Process: "p"}})
	if len(r.Warnings) != 0 {
		t.Errorf("%q", r.Warnings)
	}
	flush(t, s)
	for range 2 {
		for text, want := range map[string]int64{`thread=""`: 18, `thread="main"`: 5, `host="h0"`: 11, `service="web"`: 23} {
			sel := lastDay()
			sel.Where = condition(t, text)
			if got := total(t, s, sel); got != want {
				t.Errorf("%s: %d, not %d", text, got, want)
			}
		}
		if err := s.Age(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
}

func unpack(t *testing.T, name, dir string) {
	t.Helper()
	file, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	z, err := gzip.NewReader(file)
	if err != nil {
		t.Fatal(err)
	}
	for in := tar.NewReader(z); ; {
		head, err := in.Next()
		if err == io.EOF { //nolint:errorlint // it is given as it is
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		at := filepath.Join(dir, filepath.Clean("/"+head.Name))
		if head.FileInfo().IsDir() {
			err = os.MkdirAll(at, 0o700)
		} else {
			var data []byte
			if data, err = io.ReadAll(in); err == nil {
				err = os.WriteFile(at, data, 0o600)
			}
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}
