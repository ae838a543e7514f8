package ebpf

import (
	"sync/atomic"
	"time"

	"whyhot/internal/collect"
	"whyhot/internal/collect/ebpf/largetables"
)

// pace says how often things are looked at. It is the profiler's clocks too.
type pace struct {
	// look is how often forks, execs and new mappings are read. Between two looks
	// their rings must not fill.
	look time.Duration
	// monitor is how often processes that were listed are looked for. The kernel part
	// wakes the profiler when it lists one, so this is for those that it missed and for
	// those that resync lists.
	monitor time.Duration
	// gather is for how long the processes that it lists wait for each other, 0 for not at
	// all.
	gather time.Duration
	// poll is how often the buffer of traces is emptied, which holds a second of the
	// longest stacks at the highest frequency.
	poll time.Duration
	// progress is how often the request hears of it.
	progress time.Duration
	// unload is for how long what was learned of a binary is kept after its last
	// process.
	unload time.Duration
	// large is from how many bytes of .eh_frame on unwind tables are made in parts, 0 for
	// never. It takes longer, and these tables are not kept on disk.
	large int64
	// pythonFrames is for loadSlowest.
	pythonFrames uint32
}

// paceOf gives the pace of one recording, whose first samples matter as much as the
// last, or of a continuous one, which must cost next to nothing on an idle machine:
// there every wake-up counts. On the whole machine a process is looked at when it had
// a sample, of which the looks need not be faster than samples come.
func paceOf(r *collect.Request, frequency int) pace {
	if r.Settings.Batch > 0 {
		return pace{
			look: 100 * time.Millisecond, monitor: 2 * time.Second, poll: 250 * time.Millisecond, progress: time.Second,
			unload: 10 * time.Minute, large: largetables.Least, gather: gatherOf(frequency),
		}
	}
	p := pace{
		look: 20 * time.Millisecond, monitor: 50 * time.Millisecond, poll: 100 * time.Millisecond, progress: 200 * time.Millisecond,
		unload: time.Hour,
	}
	switch {
	case r.Target.System:
		p.look, p.pythonFrames = p.monitor, fewFrames
	case len(r.Target.Command) > 0:
		p.look = 5 * time.Millisecond // a program loads its libraries in its first milliseconds
	}
	return p
}

// intervals are the profiler's clocks.
type intervals struct {
	pace

	made  atomic.Bool // useTables is done
	asked atomic.Int32
}

// MonitorInterval is asked for three times: while the profiler is made, for numbers of
// interpreters; then for the processes that are listed, which is monitor; and last for
// some ninety counters. The numbers go nowhere: all that gathering them does is take a
// fifth of what the profiler takes of the machine, and the first of them are gathered
// with what useTables replaces.
func (i *intervals) MonitorInterval() time.Duration {
	if !i.made.Load() || i.asked.Add(1) > 1 {
		return time.Hour
	}
	return i.monitor
}

// TracePollInterval, like the methods below, is the profiler's name for it.
func (p pace) TracePollInterval() time.Duration { return p.poll }

// PIDCleanupInterval is how often processes are looked at whose end was missed.
func (pace) PIDCleanupInterval() time.Duration { return 5 * time.Minute }

// ExecutableUnloadDelay is unload.
func (p pace) ExecutableUnloadDelay() time.Duration { return p.unload }
