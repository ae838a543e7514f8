package ebpf

import "time"

// code is what processes make as they run: JIT compilers map memory for it bit by bit. A
// Java machine that warms up does so many times a second, and the profiler reads some
// thousand pieces of its memory (the bounds of the interpreter's routines) each time that it
// looks at it: at 20 looks a second an eighth of a processor. So pauses between looks grow
// while a process goes on, as the kernel part's own do when it meets unknown code.
type code map[uint32]*codeOf

type codeOf struct {
	waits bool // it made code since the last look
	next  time.Time
	pause time.Duration
}

// anonymous is the kernel's name for memory that is mapped from no file.
const anonymous = "//anon"

// firstPause is after the first look; each further pause is twice as long.
const firstPause = 50 * time.Millisecond

// more notes that a process made code.
func (c code) more(pid uint32) {
	of := c[pid]
	if of == nil {
		of = &codeOf{}
		c[pid] = of
	}
	of.waits = true
}

// due calls look for the processes whose turn it is. No pause is longer than most, and one
// that made nothing for that long begins anew.
func (c code) due(now time.Time, most time.Duration, look func(pid uint32)) {
	for pid, of := range c {
		switch {
		case of.waits && !now.Before(of.next):
			look(pid)
			of.waits = false
			of.pause = min(most, max(firstPause, 2*of.pause))
			of.next = now.Add(of.pause)
		case !of.waits && now.After(of.next.Add(most)):
			delete(c, pid)
		}
	}
}
