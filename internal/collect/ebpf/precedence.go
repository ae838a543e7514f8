package ebpf

import (
	"os"
	"strconv"

	"golang.org/x/sys/unix"
)

// precedence is the nice value of a recording. On a machine that is busy, loading takes
// twice as long without it, and what programs load is learned later, so that more stacks
// are cut. It takes no more of the machine with it, only sooner.
const precedence = -10

// goFirst gives the threads of this process, and those that they make, precedence over
// what is recorded, where this process may; restore ends that. A command that was
// started before does not have it.
func goFirst() (restore func()) {
	own, err := unix.Getpriority(unix.PRIO_PROCESS, 0)
	if err != nil {
		return func() {}
	}
	const zero = 20 // the system call gives 20 less the nice value
	was := zero - own
	if was <= precedence || unix.Setpriority(unix.PRIO_PROCESS, 0, precedence) != nil {
		return func() {}
	}
	setNice(precedence)
	return func() { setNice(was) }
}

// setNice is for all threads.
func setNice(nice int) {
	allThreads(func(thread int) { _ = unix.Setpriority(unix.PRIO_PROCESS, thread, nice) }) // it has ended
}

// allThreads calls set for each thread of this process. One that is made meanwhile
// inherits from the thread that makes it, so that it takes until a look finds none that
// was not set.
func allThreads(set func(thread int)) {
	const looks = 10
	done := map[int]bool{}
	for range looks {
		threads, err := os.ReadDir("/proc/self/task")
		if err != nil {
			return
		}
		before := len(done)
		for _, t := range threads {
			id, err := strconv.Atoi(t.Name())
			if err != nil || done[id] {
				continue
			}
			done[id] = true
			set(id)
		}
		if len(done) == before {
			return
		}
	}
}
