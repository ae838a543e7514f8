//go:build linux

package run

import (
	"context"
	"errors"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
)

// guarded ends a process group when the context or the time is over.
type guarded struct {
	timedOut atomic.Bool
	quit     chan struct{}
	wg       sync.WaitGroup
}

func guard(ctx context.Context, pid int, timeout time.Duration) *guarded {
	g := &guarded{quit: make(chan struct{})}
	var expired <-chan time.Time
	timer := time.NewTimer(max(timeout, time.Hour))
	timer.Stop()
	if timeout > 0 {
		timer.Reset(timeout)
		expired = timer.C
	}
	g.wg.Go(func() {
		defer timer.Stop()
		select {
		case <-g.quit:
			return
		case <-expired:
			g.timedOut.Store(true)
		case <-ctx.Done():
		}
		signalGroup(pid, syscall.SIGTERM)
		select {
		case <-g.quit:
		case <-time.After(killGrace):
			signalGroup(pid, syscall.SIGKILL)
		}
	})
	return g
}

// stop returns once no further signal can be sent, so that the process id may
// be used again by others.
func (g *guarded) stop() {
	close(g.quit)
	g.wg.Wait()
}

func signalGroup(pid int, sig syscall.Signal) {
	_ = syscall.Kill(-pid, sig)
	_ = syscall.Kill(-pid, syscall.SIGCONT) // a stopped process takes no other signal
}

// leftovers are the descendants that outlived the command.
type leftovers struct {
	ended int
	usage syscall.Rusage
}

// sweep ends and reaps what the command left running, after the time that a
// descendant about to finish needs. The command's group may not be empty, and
// daemons that left the group have fallen to us. Where other commands run beside it,
// those of its own session are meant.
func sweep(pid int, beside bool, drains ...*drain) leftovers {
	var l leftovers
	session := 0
	if beside {
		session = pid
	}
	l.reap(session)
	deadline := time.Now().Add(drainGrace)
	for _, d := range drains {
		d.wait(time.Until(deadline))
	}
	l.reap(session)
	for round := 0; ; round++ {
		alive := childrenIn(session)
		groupAlive := syscall.Kill(-pid, 0) == nil
		if len(alive) == 0 && !groupAlive {
			return l
		}
		sig := syscall.SIGKILL
		if round == 0 {
			sig = syscall.SIGTERM
			l.ended += max(len(alive), 1)
		}
		signalGroup(pid, sig)
		for _, c := range alive {
			_ = syscall.Kill(c, sig)
		}
		for end := time.Now().Add(killGrace); time.Now().Before(end); time.Sleep(2 * time.Millisecond) {
			l.reap(session)
			if len(childrenIn(session)) == 0 && syscall.Kill(-pid, 0) != nil {
				return l
			}
		}
		const enough = 5 // a process in uninterruptible sleep cannot be ended by anyone
		if round == enough {
			return l
		}
	}
}

// reap waits for adopted descendants that are gone and adds what they used; 0 means all
// sessions.
func (l *leftovers) reap(session int) {
	for _, c := range childrenIn(session) {
		var status syscall.WaitStatus
		var ru syscall.Rusage
		got, err := syscall.Wait4(c, &status, syscall.WNOHANG, &ru)
		if err != nil || got != c {
			continue
		}
		addTime(&l.usage.Utime, ru.Utime)
		addTime(&l.usage.Stime, ru.Stime)
		l.usage.Minflt += ru.Minflt
		l.usage.Majflt += ru.Majflt
		l.usage.Maxrss = max(l.usage.Maxrss, ru.Maxrss)
	}
}

func addTime(to *syscall.Timeval, t syscall.Timeval) {
	*to = syscall.NsecToTimeval(to.Nano() + t.Nano())
}

// children are the direct children of this process. The command itself has been
// waited for when this is asked, and whyhot runs nothing beside it but what runs in turns
// with it.
func children() []int { return childrenOf(os.Getpid()) }

// childrenIn are those of a session, 0 for all.
func childrenIn(session int) []int {
	all := children()
	if session == 0 {
		return all
	}
	return slices.DeleteFunc(all, func(c int) bool {
		st, ok := readStat(c)
		return !ok || st.session != session
	})
}

// childrenOf reads the kernel's own list, or searches the process table where
// the kernel has none (CONFIG_PROC_CHILDREN).
func childrenOf(pid int) []int {
	base := "/proc/" + strconv.Itoa(pid) + "/task/"
	threads, err := os.ReadDir(base)
	if err != nil {
		return nil
	}
	var found []int
	for _, t := range threads {
		list, err := os.ReadFile(base + t.Name() + "/children")
		if err != nil {
			if t.Name() == strconv.Itoa(pid) && os.IsNotExist(err) {
				return searchChildren(pid)
			}
			continue
		}
		for f := range strings.FieldsSeq(string(list)) {
			if c, err := strconv.Atoi(f); err == nil {
				found = append(found, c)
			}
		}
	}
	return found
}

func searchChildren(pid int) []int {
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return nil
	}
	var found []int
	for _, e := range entries {
		c, err := strconv.Atoi(e.Name())
		if err != nil {
			continue
		}
		if st, ok := readStat(c); ok && st.parent == pid {
			found = append(found, c)
		}
	}
	return found
}

// procStat is what is used of /proc/PID/stat.
type procStat struct {
	parent, session int
	cpu             time.Duration
	whole           usedCPU // with what its children used that it has waited for
}

func readStat(pid int) (procStat, bool) {
	data, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return procStat{}, false
	}
	return parseStat(string(data))
}

// parseStat reads the fields behind the name, which may itself hold brackets
// and spaces (proc(5), /proc/PID/stat: ppid is field 4, session 6, utime 14, stime 15,
// cutime 16, cstime 17).
func parseStat(line string) (procStat, bool) {
	_, rest, ok := cutLast(line, ")")
	f := strings.Fields(rest)
	const ppid, session, utime, stime, cutime, cstime = 1, 3, 11, 12, 13, 14 // counted from the state, field 3
	if !ok || len(f) <= cstime {
		return procStat{}, false
	}
	var failed error
	number := func(i int) int {
		n, err := strconv.Atoi(f[i])
		failed = errors.Join(failed, err)
		return n
	}
	const tick = time.Second / 100 // USER_HZ is 100 on every Linux ABI that Go runs on
	ticks := func(i int) time.Duration { return time.Duration(number(i)) * tick }
	user, system := ticks(utime), ticks(stime)
	st := procStat{number(ppid), number(session), user + system, usedCPU{user + ticks(cutime), system + ticks(cstime)}}
	return st, failed == nil
}

func cutLast(s, sep string) (before, after string, found bool) {
	if i := strings.LastIndex(s, sep); i >= 0 {
		return s[:i], s[i+len(sep):], true
	}
	return s, "", false
}
