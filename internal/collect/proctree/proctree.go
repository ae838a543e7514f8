// Package proctree reads which processes there are, who started whom and how much
// they ran.
//
// It owns the walk through /proc. It takes process IDs and gives process IDs and
// times; a process that ends meanwhile is left out. It must never import a sampler.
package proctree

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"time"
)

// All lists the processes that run now.
func All() []int { return all("/proc") }

// Descendants gives the processes with all that they started and that still run,
// in ascending order.
func Descendants(pids []int) []int { return descendants("/proc", pids) }

func all(root string) []int {
	entries, err := os.ReadDir(root)
	if err != nil {
		return nil
	}
	var out []int
	for _, e := range entries {
		if pid, err := strconv.Atoi(e.Name()); err == nil {
			out = append(out, pid)
		}
	}
	return out
}

func descendants(root string, pids []int) []int {
	if len(pids) == 0 {
		return nil
	}
	children := map[int][]int{}
	for _, pid := range all(root) {
		if parent, ok := parentOf(root, pid); ok {
			children[parent] = append(children[parent], pid)
		}
	}
	seen := map[int]bool{}
	queue := slices.Clone(pids)
	for len(queue) > 0 {
		pid := queue[0]
		queue = queue[1:]
		if seen[pid] {
			continue
		}
		seen[pid] = true
		queue = append(queue, children[pid]...)
	}
	out := make([]int, 0, len(seen))
	for pid := range seen {
		out = append(out, pid)
	}
	slices.Sort(out)
	return out
}

// parentOf reads the fourth field of a stat file.
func parentOf(root string, pid int) (int, bool) {
	fields := statOf(root, pid)
	if len(fields) <= statParent {
		return 0, false
	}
	parent, err := strconv.Atoi(string(fields[statParent]))
	return parent, err == nil
}

// Fields of a stat file, counted from the state, which is the third
// (proc_pid_stat(5)).
const (
	statParent = 1
	statUser   = 11
	statSystem = 12
	statStart  = 19
)

// statOf are the fields behind the second, the process's name in parentheses, which
// may hold anything.
func statOf(root string, pid int) [][]byte {
	text, err := os.ReadFile(filepath.Join(root, strconv.Itoa(pid), "stat"))
	if err != nil {
		return nil
	}
	return bytes.Fields(text[bytes.LastIndexByte(text, ')')+1:])
}

// Times are how much CPU time a process has used, and when it was started, after the
// machine was.
type Times struct{ CPU, Start time.Duration }

// AllTimes are those of all processes that run now, and the time since the machine was
// started.
func AllTimes() (times map[int]Times, now time.Duration) { return allTimes("/proc") }

// tick is the unit of times in /proc, on every machine (USER_HZ).
const tick = 10 * time.Millisecond

func allTimes(root string) (times map[int]Times, now time.Duration) {
	text, _ := os.ReadFile(filepath.Join(root, "uptime")) // without it nothing has an age
	if fields := bytes.Fields(text); len(fields) > 0 {
		seconds, _ := strconv.ParseFloat(string(fields[0]), 64)
		now = time.Duration(seconds * float64(time.Second))
	}
	times = map[int]Times{}
	for _, pid := range all(root) {
		fields := statOf(root, pid)
		if len(fields) <= statStart {
			continue
		}
		user, _ := strconv.ParseInt(string(fields[statUser]), 10, 64) // the kernel writes numbers
		system, _ := strconv.ParseInt(string(fields[statSystem]), 10, 64)
		start, _ := strconv.ParseInt(string(fields[statStart]), 10, 64)
		times[pid] = Times{CPU: time.Duration(user+system) * tick, Start: time.Duration(start) * tick}
	}
	return times, now
}
