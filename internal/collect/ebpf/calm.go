package ebpf

import (
	"os"
	"runtime"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// A recording does a little some hundred times a second. What Go's scheduler adds is as
// much again: it wakes a second thread for each that becomes runnable, and while one
// runs, or waits for a busy processor, its monitor thread looks every 20 µs whether it
// blocks.

// oneProcessor is up to how many samples a second one of Go's processors handles all that
// is to be done: a sample takes some 0.1 ms.
const oneProcessor = 2500

// slack is by how many nanoseconds a thread may be woken late while a recording runs. It
// is what keeps the monitor thread down, and a tenth of the shortest pace on the whole
// machine.
const slack = 5_000_000

// processorsFor tells how many of Go's processors a recording needs, 0 for as many as there
// are. Where the machine is busy, one thread gets less of it than two: that does not matter
// to a recording that goes first, but to one without end, which does not.
func (rec *recording) processorsFor() int {
	if rec.request.Settings.Batch > 0 || rec.frequency*runtime.NumCPU() > oneProcessor {
		return 0
	}
	return 1
}

// calm makes Go's scheduler cheap while the clock runs; restore ends that. Threads made
// meanwhile are the same. What this process starts meanwhile has its timers, too.
func calm(processors int) (restore func()) {
	was, err := os.ReadFile(slackFile("self"))
	usual, notNumber := strconv.Atoi(strings.TrimSpace(string(was)))
	if err != nil || notNumber != nil { // not on this kernel
		usual = slack
	}
	if usual < slack {
		setSlack(slack)
	}
	before := runtime.GOMAXPROCS(processors)
	return func() {
		runtime.GOMAXPROCS(before)
		if usual < slack {
			setSlack(usual)
		}
	}
}

func slackFile(thread string) string { return "/proc/" + thread + "/timerslack_ns" }

// setSlack is for all threads, which takes CAP_SYS_NICE.
func setSlack(nanoseconds int) {
	_ = unix.Prctl(unix.PR_SET_TIMERSLACK, uintptr(nanoseconds), 0, 0, 0) // this thread may without
	allThreads(func(thread int) {
		_ = os.WriteFile(slackFile(strconv.Itoa(thread)), strconv.AppendInt(nil, int64(nanoseconds), 10), 0) // it has ended, or this process may not
	})
}
