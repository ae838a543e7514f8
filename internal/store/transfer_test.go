package store

import (
	"bytes"
	"context"
	"path/filepath"
	"slices"
	"strconv"
	"testing"

	"pgregory.net/rapid"

	"whyhot/internal/store/batch"
	"whyhot/internal/store/engine/memory"
)

// A store that was exported and imported answers as before, and goes on.
func TestExportAndImport(t *testing.T) {
	dir, n := t.TempDir(), 0
	rapid.Check(t, func(t *rapid.T) {
		n++
		s := openStore(t, filepath.Join(dir, "a", strconv.Itoa(n)), memory.New(), quick(Options{}))
		defer closeStore(t, s)
		appendProfile(t, s, drawn(t), batch.Options{})
		appendProfile(t, s, simple(map[string]int64{"main;f": 2}), batch.Options{ID: "x-2"})
		if err := s.PutDocument(context.Background(), "finding", "k", []byte("{}")); err != nil {
			t.Fatal(err)
		}
		var file bytes.Buffer
		if err := s.Export(context.Background(), &file, nil); err != nil {
			t.Fatal(err)
		}
		other := memory.New()
		if err := Import(context.Background(), other, bytes.NewReader(file.Bytes()), nil); err != nil {
			t.Fatal(err)
		}
		again := openStore(t, filepath.Join(dir, "b", strconv.Itoa(n)), other, quick(Options{}))
		defer closeStore(t, again)
		appendProfile(t, again, simple(map[string]int64{"main": 1}), batch.Options{ID: "x-2"})
		flush(t, again)
		want, err := s.Tree(context.Background(), lastDay(), TreeOptions{})
		if err != nil {
			t.Fatal(err)
		}
		got, err := again.Tree(context.Background(), lastDay(), TreeOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(treeOf(got), treeOf(want)) || len(again.Documents("finding")) != 1 {
			t.Fatalf("after the import: %q, not %q", treeOf(got), treeOf(want))
		}
		if err := Import(context.Background(), other, bytes.NewReader(file.Bytes()), nil); err == nil {
			t.Fatal("an import went into a store that was not empty")
		}
		cut := rapid.IntRange(0, file.Len()-1).Draw(t, "cut")
		if err := Import(context.Background(), memory.New(), bytes.NewReader(file.Bytes()[:cut]), nil); err == nil {
			t.Fatalf("%d of %d bytes were taken for a whole export", cut, file.Len())
		}
	})
}

func FuzzImport(f *testing.F) {
	f.Add([]byte(exportLine))
	f.Fuzz(func(_ *testing.T, data []byte) {
		_ = Import(context.Background(), memory.New(), bytes.NewReader(data), nil)
	})
}
