//go:build cgo

package store

import (
	"context"
	"testing"

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
