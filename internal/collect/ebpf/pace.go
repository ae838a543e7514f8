package ebpf

import "time"

// pace says how often things are looked at. It is the profiler's clocks too.
type pace struct {
	// look is how often forks, execs and new mappings are read. Between two looks
	// their rings must not fill.
	look time.Duration
	// monitor is how often processes that the kernel part listed are looked for. It
	// wakes the profiler when it lists one, so this is for what was missed; each time
	// the profiler reads some ninety counters.
	monitor time.Duration
	// poll is how often the buffer of traces is emptied, which holds a second of the
	// longest stacks at the highest frequency.
	poll time.Duration
	// progress is how often the request hears of it.
	progress time.Duration
	// unload is for how long what was learned of a binary is kept after its last
	// process.
	unload time.Duration
}

// paceOf gives the pace of one recording, whose first samples matter as much as the
// last, or of a continuous one, which must cost next to nothing on an idle machine:
// there every wake-up counts.
func paceOf(continuous bool) pace {
	if continuous {
		return pace{
			look: 100 * time.Millisecond, monitor: 2 * time.Second, poll: 250 * time.Millisecond, progress: time.Second,
			unload: 10 * time.Minute,
		}
	}
	return pace{
		look: 20 * time.Millisecond, monitor: 50 * time.Millisecond, poll: 100 * time.Millisecond, progress: 200 * time.Millisecond,
		unload: time.Hour,
	}
}

// MonitorInterval, like the methods below, is the profiler's name for it.
func (p pace) MonitorInterval() time.Duration { return p.monitor }

// TracePollInterval is poll.
func (p pace) TracePollInterval() time.Duration { return p.poll }

// PIDCleanupInterval is how often processes are looked at whose end was missed.
func (pace) PIDCleanupInterval() time.Duration { return 5 * time.Minute }

// ExecutableUnloadDelay is unload.
func (p pace) ExecutableUnloadDelay() time.Duration { return p.unload }
