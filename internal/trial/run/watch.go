//go:build linux

package run

import (
	"os"
	"strconv"
	"strings"
	"time"

	"whyhot/internal/host/allocator"
)

// The watcher looks often while processes are young, to see even short ones,
// and seldom later.
const (
	firstLook = 500 * time.Microsecond
	lastLook  = 50 * time.Millisecond
)

// watch follows the tree of one process.
type watch struct {
	root    int
	lib     *allocator.Library
	seen    map[int]*Process
	order   []*Process
	quit    chan struct{}
	stopped chan struct{}
}

// startWatch returns nil when the spec asks for no watching.
func startWatch(spec Spec, pid int) *watch {
	if !spec.Watch {
		return nil
	}
	w := &watch{root: pid, lib: spec.Library, seen: map[int]*Process{}, quit: make(chan struct{}), stopped: make(chan struct{})}
	go w.loop()
	return w
}

func (w *watch) stop() []Process {
	if w == nil {
		return nil
	}
	close(w.quit)
	<-w.stopped
	out := make([]Process, len(w.order))
	for i, p := range w.order {
		out[i] = *p
	}
	return out
}

func (w *watch) loop() {
	defer close(w.stopped)
	pause := firstLook
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		select {
		case <-w.quit:
			return
		case <-timer.C:
		}
		known := len(w.order)
		w.look(w.root)
		pause = min(pause*5/4, lastLook)
		if len(w.order) > known {
			pause = firstLook
		}
		timer.Reset(pause)
	}
}

func (w *watch) look(pid int) {
	w.observe(pid)
	for _, c := range childrenOf(pid) {
		w.look(c)
	}
}

// observe updates what is known of one process. A process that executes another
// program starts a new entry.
func (w *watch) observe(pid int) {
	program, err := os.Readlink("/proc/" + strconv.Itoa(pid) + "/exe")
	if err != nil {
		return
	}
	program = strings.TrimSuffix(program, " (deleted)")
	p := w.seen[pid]
	if p == nil || p.Program != program {
		p = &Process{PID: pid, Program: program}
		w.seen[pid] = p
		w.order = append(w.order, p)
		if w.lib != nil {
			// Through the process, so that a program in another root is read too.
			if prog, err := allocator.Inspect("/proc/" + strconv.Itoa(pid) + "/exe"); err == nil {
				if p.Why = prog.WhyIgnored(*w.lib); p.Why != "" {
					p.State = allocator.NotLoaded
				}
			}
		}
	}
	if st, ok := readStat(pid); ok {
		p.CPU = max(p.CPU, st.cpu)
	}
	status := statusOf(pid)
	p.PeakRSS = max(p.PeakRSS, parsePeak(status))
	p.Threads = max(p.Threads, int(parseStatus(status, "Threads")))
	if w.lib != nil && p.State == allocator.Early {
		if s, err := allocator.InProcess(pid, *w.lib); err == nil {
			p.State = s
		}
	}
}

func ownPeakRSS() int64 { return peakRSS(os.Getpid()) }

// peakRSS is the VmHWM of a process in bytes, 0 when it cannot be read.
func peakRSS(pid int) int64 { return parsePeak(statusOf(pid)) }

// statusOf is /proc/PID/status, "" when it cannot be read.
func statusOf(pid int) string {
	data, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/status")
	if err != nil {
		return ""
	}
	return string(data)
}

func parsePeak(status string) int64 {
	const kilo = 1024
	return parseStatus(status, "VmHWM") * kilo
}

// parseStatus is the number of a line of it, 0 where there is none.
func parseStatus(status, name string) int64 {
	_, rest, _ := strings.Cut(status, "\n"+name+":")
	line, _, _ := strings.Cut(rest, "\n")
	n, err := strconv.ParseInt(strings.TrimSpace(strings.TrimSuffix(line, " kB")), 10, 64)
	if err != nil {
		return 0
	}
	return n
}
