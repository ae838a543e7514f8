package ebpf

import (
	"testing"
	"time"
)

func TestTimesAreRoughAndInOrder(t *testing.T) {
	begin := time.Unix(1000, 5)
	kept := sampleTimes{kept: true}
	seen := map[int64]bool{}
	last := int64(0)
	for elapsed := time.Duration(0); elapsed < time.Hour; elapsed += 3 * time.Millisecond {
		at := begin.Add(elapsed)
		got := kept.of(elapsed, at)
		if got < last || got <= int64(elapsed) {
			t.Fatalf("after %s: %d follows %d", elapsed, got, last)
		}
		if late := got - int64(elapsed); late > int64(max(firstSlice, elapsed/sliceShare)) {
			t.Fatalf("after %s: %s too late", elapsed, time.Duration(late))
		}
		seen[got], last = true, got
	}
	if len(seen) > 700 {
		t.Errorf("%d slices in an hour", len(seen))
	}
	if got := (sampleTimes{}).of(time.Second, begin); got != 0 {
		t.Errorf("%d where no times are kept", got)
	}
	if got := (sampleTimes{kept: true, precision: time.Second}).of(time.Minute, begin); got != time.Unix(1000, 0).UnixNano() {
		t.Errorf("%d", got)
	}
}
