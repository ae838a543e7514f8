//go:build cgo

package duckdb

import (
	"testing"

	"whyhot/internal/store/engine"
)

// What is in the log alone counts, so that a quota acts on it, too, and about as much as after
// it was moved into the file; and it goes with the day that it is of.
func TestBytesOfTheLog(t *testing.T) {
	e := opened(t, t.TempDir())
	const commits = 5
	for n := uint64(1); n <= commits; n++ {
		commitRows(t, e, n)
	}
	bytes := func() (sum int64) {
		t.Helper()
		tables, err := e.Stats(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range tables {
			if s.Table == engine.Samples.Name {
				sum += s.Bytes
			}
		}
		return sum
	}
	logged, most := bytes(), e.logBytes()
	if logged == 0 || logged > most {
		t.Errorf("%d bytes, with %d of the log", logged, most)
	}
	if err := e.Compact(t.Context(), true); err != nil {
		t.Fatal(err)
	}
	if moved := bytes(); moved == 0 || logged < moved/20 || logged > 20*moved {
		t.Errorf("%d bytes in the log, and %d in the file", logged, moved)
	}
	commitRows(t, e, commits+1)
	if err := e.Drop(t.Context(), engine.Samples, 1<<31/engine.MinutesPerDay*engine.MinutesPerDay); err != nil {
		t.Fatal(err)
	}
	if left := bytes(); left != 0 {
		t.Errorf("%d bytes of no row", left)
	}
}
