package main

import (
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"slices"

	"github.com/spf13/cobra"
)

// endless are the commands that run until they are stopped: how much memory they
// hold matters more than the time that collecting it takes.
var endless = []string{"agent", "receive"}

const (
	// smallHeap is how many bytes may be live before memory is collected as often as
	// Go does it by itself.
	smallHeap = 64 << 20
	// lazyPercent is by how much the heap may grow until then. Folding an 18 MB
	// recording takes two collections with it and eight without, for 10 MB more memory.
	lazyPercent  = 400
	usualPercent = 100
)

// collectLazily has memory collected seldom while little of it is in use. Most
// commands end before it would pay. A user's GOGC goes first.
func collectLazily(cmd *cobra.Command, _ []string) {
	if os.Getenv("GOGC") != "" || slices.Contains(endless, cmd.Name()) {
		return
	}
	debug.SetGCPercent(lazyPercent)
	watchHeap(struct{}{})
}

// besideRequests is the memory that a server takes apart from its requests.
const besideRequests = 128 << 20

// boundMemory has memory collected more often as the process nears what its requests
// may hold: without, it may hold twice that. A user's GOMEMLIMIT goes first.
func boundMemory(requests int64) {
	if os.Getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(requests + besideRequests)
	}
}

// residentHeap is what the agent's memory is held to while twice of what is live fits in.
// Reading the unwind tables of a library of 100 MB leaves much behind that is not.
const residentHeap = 96 << 20

// boundAgent has the agent's memory collected in time for residentHeap. A user's
// GOMEMLIMIT goes first.
func boundAgent() {
	if os.Getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(residentHeap)
		raiseLimit(struct{}{})
	}
}

// raiseLimit runs once a collection, as watchHeap does. Where much is live, collecting
// it again and again would gain nothing.
func raiseLimit(struct{}) {
	debug.SetMemoryLimit(max(residentHeap, 2*int64(liveHeap())))
	runtime.AddCleanup(new([16]byte), raiseLimit, struct{}{})
}

// liveHeap is how many bytes the last collection found to be in use.
func liveHeap() uint64 {
	live := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	metrics.Read(live)
	return live[0].Value.Uint64()
}

// watchHeap runs once a collection, by way of an object that each one finds dead.
func watchHeap(struct{}) {
	if liveHeap() > smallHeap {
		debug.SetGCPercent(usualPercent)
		return
	}
	runtime.AddCleanup(new([16]byte), watchHeap, struct{}{})
}
