// Package heap sets how this process collects its memory: seldom where a command is
// over soon, in time where it runs for weeks.
//
// It owns the thresholds and what they were measured on. It takes the number of bytes
// that requests may hold, and changes settings of the Go runtime. It must never import
// another package of this module.
package heap

import (
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
)

const (
	// smallHeap is how many bytes may be live before memory is collected as often as
	// Go does it by itself.
	smallHeap = 64 << 20
	// lazyPercent is by how much the heap may grow until then. Folding an 18 MB
	// recording takes two collections with it and eight without, for 10 MB more memory.
	lazyPercent  = 400
	usualPercent = 100
)

// CollectLazily has memory collected seldom while little of it is in use: a short
// command ends before it would pay. A user's GOGC takes precedence.
func CollectLazily() {
	if os.Getenv("GOGC") != "" {
		return
	}
	debug.SetGCPercent(lazyPercent)
	afterEachCollection(func(live int64) (again bool) {
		if live > smallHeap {
			debug.SetGCPercent(usualPercent)
			return false
		}
		return true
	})
}

// besideRequests is the memory that a server takes apart from its requests.
const besideRequests = 128 << 20

// BoundServer has memory collected more often as the process nears what its requests
// may hold: without, it may hold twice that. A user's GOMEMLIMIT takes
// precedence.
func BoundServer(requests int64) {
	if os.Getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(requests + besideRequests)
	}
}

const (
	// residentHeap is what the agent's memory is held to while little of it is live.
	residentHeap = 64 << 20
	// headroom is how much may be dead beside what is live, and a quarter of that: the
	// runtime's own memory of some 10 MB is in it. Reading the unwind tables of a library
	// of 500 MB has 170 MB live; what it leaves behind meanwhile are small slices that grow,
	// which cost little to collect, since there are no pointers in them.
	headroom = 24 << 20
)

// BoundAgent has the agent's memory collected in time for residentHeap. Where more is
// live, it is collected soon, but not again and again, which would gain nothing. A user's
// GOMEMLIMIT takes precedence.
func BoundAgent() {
	if os.Getenv("GOMEMLIMIT") != "" {
		return
	}
	afterEachCollection(func(live int64) (again bool) {
		debug.SetMemoryLimit(max(residentHeap, live+live/4+headroom))
		return true
	})
}

// afterEachCollection looks now and after each collection, for as long as look says so,
// at how many bytes the last one found to be in use.
func afterEachCollection(look func(live int64) (again bool)) {
	sample := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	metrics.Read(sample)
	if look(int64(sample[0].Value.Uint64())) {
		// A collection finds this object dead.
		runtime.AddCleanup(new([16]byte), afterEachCollection, look)
	}
}
