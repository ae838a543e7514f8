package ebpf

import (
	"time"

	"whyhot/internal/collect/proctree"
)

// expected tells which processes a recording will probably see. Only those are learned
// before the clock runs: most processes of a machine sleep, and the unwind tables of a
// browser or a database that does take longer than everything else. Of the others, the
// first sample is missing if they wake up; the profiler learns them then.
type expected struct {
	at      time.Duration // since the start of the machine
	before  map[int]proctree.Times
	samples float64 // of a process that runs all the time
}

// enoughSamples is how many samples are expected of a process at least.
const enoughSamples = 0.5

// openEnd stands for the length of recordings that the user will end.
const openEnd = 10 * time.Second

// expectedIn is for a recording that begins to be prepared now.
func expectedIn(frequency int, length time.Duration) *expected {
	if length == 0 {
		length = openEnd
	}
	e := &expected{samples: float64(frequency) * length.Seconds()}
	e.before, e.at = proctree.AllTimes()
	return e
}

// only are those of the processes that ran since, are new, or have run enough in their
// life.
func (e *expected) only(pids []uint32) []uint32 {
	times, at := proctree.AllTimes()
	var out []uint32
	for _, pid := range pids {
		if t, there := times[int(pid)]; there && e.of(int(pid), t, at) {
			out = append(out, pid)
		}
	}
	return out
}

func (e *expected) of(pid int, t proctree.Times, now time.Duration) bool {
	before, known := e.before[pid]
	if !known || before.Start != t.Start || t.CPU > before.CPU || t.Start >= now {
		return true
	}
	return float64(t.CPU)/float64(now-t.Start)*e.samples >= enoughSamples
}
