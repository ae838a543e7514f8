package heap

import (
	"runtime"
	"runtime/debug"
	"testing"
	"time"
)

// percent is the collector's setting.
func percent() int {
	p := debug.SetGCPercent(usualPercent)
	debug.SetGCPercent(p)
	return p
}

func TestMemoryIsCollectedSeldomUntilMuchIsLive(t *testing.T) {
	runtime.GC() // what earlier tests left is not live
	before := percent()
	t.Cleanup(func() { debug.SetGCPercent(before) })
	debug.SetGCPercent(usualPercent)
	t.Setenv("GOGC", "100")
	CollectLazily()
	if got := percent(); got != usualPercent {
		t.Errorf("the user's GOGC is overruled: %d", got)
	}
	t.Setenv("GOGC", "")
	CollectLazily()
	runtime.GC()
	if got := percent(); got != lazyPercent {
		t.Errorf("it collects at %d%% while little is live", got)
	}
	live := make([]byte, 2*smallHeap)
	for end := time.Now().Add(2 * time.Minute); percent() != usualPercent; runtime.GC() {
		if time.Now().After(end) {
			t.Fatalf("still at %d%% with %d MB live", percent(), len(live)>>20)
		}
	}
	runtime.KeepAlive(live)
}

func TestTheAgentsLimitLeavesRoomForWhatIsLive(t *testing.T) {
	t.Setenv("GOMEMLIMIT", "")
	before := debug.SetMemoryLimit(-1)
	t.Cleanup(func() { debug.SetMemoryLimit(before) })
	runtime.GC() // what earlier tests left is not live
	BoundAgent()
	reaches := func(what string, right func(limit int64) bool) {
		t.Helper()
		for end := time.Now().Add(2 * time.Minute); !right(debug.SetMemoryLimit(-1)); runtime.GC() {
			if time.Now().After(end) {
				t.Fatalf("%s: the limit is %d MB", what, debug.SetMemoryLimit(-1)>>20)
			}
		}
	}
	reaches("little is live", func(limit int64) bool { return limit == residentHeap })
	live := make([]byte, residentHeap)
	// Room for the same again would be twice the memory for less collecting.
	reaches("much is live", func(limit int64) bool { return limit >= residentHeap+headroom && limit < 2*residentHeap })
	runtime.KeepAlive(live)
	reaches("it is gone", func(limit int64) bool { return limit == residentHeap })
}
