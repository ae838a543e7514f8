// Package proctree reads which processes there are and who started whom.
//
// It owns the walk through /proc. It takes process IDs and gives process IDs; a
// process that ends meanwhile is left out. It must never import a sampler.
package proctree

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strconv"
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

// parentOf reads the fourth field of a stat file. The second is the process's
// name in parentheses, which may hold anything.
func parentOf(root string, pid int) (int, bool) {
	text, err := os.ReadFile(filepath.Join(root, strconv.Itoa(pid), "stat"))
	if err != nil {
		return 0, false
	}
	fields := bytes.Fields(text[bytes.LastIndexByte(text, ')')+1:])
	if len(fields) < 2 {
		return 0, false
	}
	parent, err := strconv.Atoi(string(fields[1]))
	return parent, err == nil
}
