//go:build cgo

package duckdb

import (
	"context"
	"errors"
	"math"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"whyhot/internal/store/engine"
)

// What compaction freed is given back to the disk, with questions and commits under way
// all the while, and every row is there afterwards, also in a new process.
func TestFileShrinks(t *testing.T) {
	dir := t.TempDir()
	e := opened(t, dir)
	e.leastSlack = math.MaxInt64 // not yet
	const commits = 40
	for n := uint64(1); n <= commits; n++ {
		commitRows(t, e, n)
		if n%10 == 0 {
			if err := e.Compact(t.Context(), true); err != nil {
				t.Fatal(err)
			}
		}
	}
	before := sizeOf(t, dir)
	used, free, err := e.sizes(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if float64(free) < partAsked*float64(used) {
		t.Fatalf("%d bytes are in use and %d free: the test needs more", used, free)
	}

	e.leastSlack = 0
	ctx, stop := context.WithCancel(t.Context())
	var asking sync.WaitGroup
	asking.Go(func() {
		for ctx.Err() == nil {
			if s, err := e.Sum(ctx, engine.Query{Table: engine.Samples, To: math.MaxUint32}); err != nil && ctx.Err() == nil {
				t.Error(err)
			} else if err == nil && s.Counts[0] < commits*rowsOfCommit {
				t.Errorf("%d rows, not %d", s.Counts[0], commits*rowsOfCommit)
			}
		}
	})
	asking.Go(func() { commitRows(t, e, commits+1) })
	err = e.Compact(t.Context(), true)
	stop()
	asking.Wait()
	if err != nil {
		t.Fatal(err)
	}
	commitRows(t, e, commits+2)
	if after := sizeOf(t, dir); after >= before-free/2 {
		t.Errorf("the file had %d bytes, of which %d were free, and has %d", before, free, after)
	}
	if err := e.Close(); err != nil {
		t.Fatal(err)
	}
	hasAll(t, dir, commits+2, false)
}

// One question that takes long keeps the file as it is, and holds nobody up.
func TestShrinkingWaitsForQuestions(t *testing.T) {
	e := opened(t, t.TempDir())
	defer e.Close()
	c, err := e.reader()
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	tried := make(chan error)
	go func() { tried <- e.waitUntilQuiet(ctx) }()
	if _, err := e.Sum(t.Context(), engine.Query{Table: engine.Samples, To: math.MaxUint32}); err != nil {
		t.Error(err)
	}
	cancel()
	if err := <-tried; !errors.Is(err, context.Canceled) {
		t.Errorf("the question that is under way was not waited for: %v", err)
	}
	e.release(c)
	if err := e.waitUntilQuiet(t.Context()); err != nil {
		t.Error(err)
	}
	e.using.Unlock()
}

// What a process that was killed left of a copy is removed, and the file is the old one.
func TestUnfinishedCopy(t *testing.T) {
	dir := t.TempDir()
	e := opened(t, dir)
	commitRows(t, e, 1)
	if err := e.Close(); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{copyName, copyName + ".wal"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("half a copy"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	hasAll(t, dir, 1, false)
	if left, err := filepath.Glob(filepath.Join(dir, copyName+"*")); err != nil || len(left) > 0 {
		t.Errorf("left: %v, %v", left, err)
	}
}

func opened(t *testing.T, dir string) *Engine {
	t.Helper()
	e, err := Open(dir, Options{})
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func commitRows(t *testing.T, e *Engine, n uint64) {
	t.Helper()
	if err := e.Commit(t.Context(), n, []*engine.Block{rowsOf(n)}); err != nil {
		t.Error(err)
	}
}

func sizeOf(t *testing.T, dir string) int64 {
	t.Helper()
	info, err := os.Stat(filepath.Join(dir, fileName))
	if err != nil {
		t.Fatal(err)
	}
	return info.Size()
}
