package preload

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"whyhot/internal/collect/command"
)

// switchSignal starts and stops the profiler in timed recordings. Nothing but
// threading libraries uses the real-time signals at this end.
const switchSignal = syscall.Signal(50)

const (
	// settled is how long a process must have run the same program before the
	// signal is sent. To a program that has just replaced it by exec and has not
	// loaded its libraries yet, the signal would be deadly.
	settled      = 50 * time.Millisecond
	pollInterval = 5 * time.Millisecond
	// writeLimit is how long writing the samples may take.
	writeLimit = 2 * time.Second
)

// startSwitch starts the profiler in the process, and again in every program
// that the process becomes by exec, until the returned function is called. That
// one makes the process write its samples: the SIGTERM that may follow would
// leave it no chance.
func startSwitch(proc *command.Process, dir string) (stop func()) {
	quit := make(chan struct{})
	on := make(chan bool)
	go func() { on <- keepOn(proc, quit) }()
	return func() {
		close(quit)
		if !<-on {
			return
		}
		// Files of programs that the process was before may be open still.
		before := openIn(proc.PID(), dir)
		if proc.Signal(switchSignal) != nil {
			return
		}
		// What there is gets read, whether this is in time or not.
		for deadline := time.Now().Add(writeLimit); openIn(proc.PID(), dir) == before && time.Now().Before(deadline); {
			time.Sleep(pollInterval)
		}
	}
}

// keepOn watches the process until quit and tells whether the profiler is on in
// the program that it runs at the end.
func keepOn(proc *command.Process, quit <-chan struct{}) bool {
	tick := time.NewTicker(pollInterval)
	defer tick.Stop()
	var started, seen string
	var since time.Time
	for {
		now := image(proc.PID())
		if now != seen {
			seen, since = now, time.Now()
		}
		if now != "" && now != started && time.Since(since) >= settled && handles(proc.PID(), switchSignal) {
			if proc.Signal(switchSignal) == nil {
				started = now
			}
		}
		select {
		case <-quit:
			return started != "" && started == image(proc.PID()) && handles(proc.PID(), switchSignal)
		case <-proc.Done():
			return false
		case <-tick.C:
		}
	}
}

// image changes when a process replaces its program: the auxiliary vector holds
// addresses that the kernel randomises at each exec.
func image(pid int) string {
	auxv, err := os.ReadFile(fmt.Sprintf("/proc/%d/auxv", pid))
	if err != nil {
		return ""
	}
	return string(auxv)
}

// handles tells whether a process has a handler for the signal.
func handles(pid int, sig syscall.Signal) bool {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return false
	}
	for line := range strings.Lines(string(status)) {
		mask, ok := strings.CutPrefix(line, "SigCgt:")
		if !ok {
			continue
		}
		bits, err := strconv.ParseUint(strings.TrimSpace(mask), 16, 64)
		return err == nil && bits&(1<<(sig-1)) != 0
	}
	return false
}

// openIn counts the files of the directory that a process has open.
func openIn(pid int, dir string) int {
	fds := fmt.Sprintf("/proc/%d/fd", pid)
	entries, err := os.ReadDir(fds)
	if err != nil {
		return 0
	}
	n := 0
	for _, entry := range entries {
		target, err := os.Readlink(filepath.Join(fds, entry.Name()))
		if err == nil && filepath.Dir(target) == dir {
			n++
		}
	}
	return n
}
