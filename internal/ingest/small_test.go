package ingest

import (
	"bytes"
	"context"
	"runtime"
	"testing"
)

// A server reads thousands of small profiles: what is set aside for each has to be in
// proportion to it.
//
//nolint:paralleltest // the memory that others take would be counted
func TestSmallProfileTakesLittleMemory(t *testing.T) {
	packed := gzipped(t, asPprof(t))
	const reads, most = 50, 512 << 10 // the head alone is 64 KiB
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for range reads {
		if _, err := Read(context.Background(), bytes.NewReader(packed), "x", Options{}); err != nil {
			t.Fatal(err)
		}
	}
	runtime.ReadMemStats(&after)
	if got := (after.TotalAlloc - before.TotalAlloc) / reads; got > most {
		t.Errorf("reading a profile of %d bytes took %d bytes of memory, more than %d", len(packed), got, most)
	}
}
