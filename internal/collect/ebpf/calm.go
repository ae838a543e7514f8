package ebpf

import (
	"os"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// slack is by how many nanoseconds a thread may be woken late while a recording runs: a
// tenth of the pace on the whole machine. A recording does a little some hundred times a
// second, and while a goroutine works, or waits for a busy processor, the monitor thread of
// Go's scheduler looks every 20 µs whether it blocks. That was a third of what whyhot took.
const slack = 5_000_000

// calm keeps the monitor thread down while the clock runs; restore ends that. Threads made
// meanwhile are the same. What this process starts meanwhile has its timers, too.
func calm() (restore func()) {
	was, err := os.ReadFile(slackFile("self"))
	if err != nil { // not on this kernel
		return func() {}
	}
	usual, err := strconv.Atoi(strings.TrimSpace(string(was)))
	if err != nil || usual >= slack {
		return func() {}
	}
	setSlack(slack)
	return func() { setSlack(usual) }
}

func slackFile(thread string) string { return "/proc/" + thread + "/timerslack_ns" }

// setSlack is for all threads, which takes CAP_SYS_NICE.
func setSlack(nanoseconds int) {
	_ = unix.Prctl(unix.PR_SET_TIMERSLACK, uintptr(nanoseconds), 0, 0, 0) // this thread may without
	allThreads(func(thread int) {
		_ = os.WriteFile(slackFile(strconv.Itoa(thread)), strconv.AppendInt(nil, int64(nanoseconds), 10), 0) // it has ended, or this process may not
	})
}
