package main

import (
	"runtime"
	"runtime/debug"
	"testing"
	"time"

	"github.com/spf13/cobra"
)

// gcPercent is the collector's setting.
func gcPercent() int {
	p := debug.SetGCPercent(usualPercent)
	debug.SetGCPercent(p)
	return p
}

func TestMemoryIsCollectedSeldomUntilMuchIsLive(t *testing.T) {
	t.Setenv("GOGC", "")
	runtime.GC() // what earlier tests left is not live
	before := gcPercent()
	t.Cleanup(func() { debug.SetGCPercent(before) })
	debug.SetGCPercent(usualPercent)
	collectLazily(&cobra.Command{Use: "agent"}, nil)
	if got := gcPercent(); got != usualPercent {
		t.Errorf("the agent collects at %d %%", got)
	}
	collectLazily(&cobra.Command{Use: "top"}, nil)
	runtime.GC()
	if got := gcPercent(); got != lazyPercent {
		t.Errorf("top collects at %d %% while little is live", got)
	}
	live := make([]byte, 2*smallHeap)
	for end := time.Now().Add(20 * time.Second); gcPercent() != usualPercent; runtime.GC() {
		if time.Now().After(end) {
			t.Fatalf("still at %d %% with %d MB live", gcPercent(), len(live)>>20)
		}
	}
	runtime.KeepAlive(live)
}

func TestTheAgentsLimitLeavesRoomForWhatIsLive(t *testing.T) {
	t.Setenv("GOMEMLIMIT", "")
	before := debug.SetMemoryLimit(-1)
	t.Cleanup(func() { debug.SetMemoryLimit(before) })
	runtime.GC() // what earlier tests left is not live
	boundAgent()
	reaches := func(what string, right func(limit int64) bool) {
		t.Helper()
		for end := time.Now().Add(20 * time.Second); !right(debug.SetMemoryLimit(-1)); runtime.GC() {
			if time.Now().After(end) {
				t.Fatalf("%s: the limit is %d MB", what, debug.SetMemoryLimit(-1)>>20)
			}
		}
	}
	reaches("little is live", func(limit int64) bool { return limit == residentHeap })
	live := make([]byte, residentHeap)
	reaches("much is live", func(limit int64) bool { return limit >= 2*residentHeap })
	runtime.KeepAlive(live)
	reaches("it is gone", func(limit int64) bool { return limit == residentHeap })
}
