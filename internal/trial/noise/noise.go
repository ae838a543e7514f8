//go:build linux

// Package noise names what on this machine disturbs a measurement.
//
// It owns two looks at the machine, before and after, and the sentences that
// follow from them. It takes nothing but /proc and /sys and gives notes for
// people. It must never import another package of this module.
package noise

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"whyhot/internal/finding/percent"
)

// Watch remembers the machine as it was at its start.
type Watch struct {
	root   string
	start  time.Time
	before snapshot
}

// snapshot is the state of the machine's counters.
type snapshot struct {
	load      float64
	busy      float64 // CPU seconds of all processors that were not idle
	steal     float64 // CPU seconds taken by other guests of the host
	throttled float64 // seconds for which the control group's quota held us back
	heat      float64 // times that a core slowed itself because of its temperature
	processes map[int]process
}

type process struct {
	name string
	cpu  float64 // seconds
}

// The thresholds above which something is worth a sentence, as shares of the
// time of one CPU.
const (
	busyProcess = 0.05
	busyOthers  = 0.15
	stolen      = 0.01
)

// Start takes the first look.
func Start() *Watch { return startAt("/") }

func startAt(root string) *Watch {
	return &Watch{root: root, start: time.Now(), before: look(root)}
}

// Busy is how many CPUs others kept busy until now; ours is as in Notes.
func (w *Watch) Busy(ours time.Duration) float64 {
	elapsed := time.Since(w.start).Seconds()
	if elapsed <= 0 {
		return 0
	}
	busy, _ := parseCPU(read(filepath.Join(w.root, "proc/stat")))
	return max(0, (busy-w.before.busy-ours.Seconds())/elapsed)
}

// Notes takes the second look and says what disturbed the time between. ours is
// the CPU time that the measured commands and this process used in it; advice,
// where not empty, is what helps against other busy processes.
func (w *Watch) Notes(ours time.Duration, advice string) []string {
	return notes(w.before, look(w.root), time.Since(w.start).Seconds(), ours.Seconds(), runtime.NumCPU(), smt(w.root), settings(w.root), advice)
}

func notes(before, after snapshot, elapsed, ours float64, cpus int, shared bool, fixed []string, advice string) []string {
	out := slices.Clone(fixed)
	if elapsed <= 0 {
		return out
	}
	others := (after.busy - before.busy - ours) / elapsed
	if others > busyOthers {
		text := fmt.Sprintf("other processes kept %.1f of %d CPUs busy during the trial", others, cpus)
		if names := busiest(before, after, elapsed); names != "" {
			text += ": " + names
		}
		if shared {
			text += "; two CPUs each share a core here (SMT), so that even work on another CPU slows the trial"
		}
		if advice != "" {
			text += "; " + advice
		}
		out = append(out, text)
	}
	if before.load > float64(cpus) {
		out = append(out, fmt.Sprintf("the load average was %.1f at the start, on %d CPUs", before.load, cpus))
	}
	if s := (after.steal - before.steal) / elapsed; s > stolen {
		out = append(out, fmt.Sprintf("the host took %s of a CPU from this virtual machine", percent.Text(s)))
	}
	if s := (after.throttled - before.throttled) / elapsed; s > stolen {
		out = append(out, fmt.Sprintf("the CPU quota of the control group held processes back for %s of the time", percent.Text(s)))
	}
	if n := after.heat - before.heat; n > 0 {
		out = append(out, fmt.Sprintf("the CPU was too hot and slowed itself %.0f times", n))
	}
	return out
}

// busiest names the processes that used the CPU between two looks. Those that
// ran at only one of them are not seen.
func busiest(before, after snapshot, elapsed float64) string {
	type use struct {
		name  string
		share float64
	}
	sums := map[string]float64{}
	for pid, now := range after.processes {
		was, ok := before.processes[pid]
		if ok && was.name == now.name {
			sums[now.name] += (now.cpu - was.cpu) / elapsed
		}
	}
	var uses []use
	for name, share := range sums {
		if share >= busyProcess {
			uses = append(uses, use{name, share})
		}
	}
	slices.SortFunc(uses, func(a, b use) int {
		return cmp.Or(cmp.Compare(b.share, a.share), cmp.Compare(a.name, b.name))
	})
	const most = 3
	texts := make([]string, 0, most)
	for _, u := range uses[:min(most, len(uses))] {
		texts = append(texts, fmt.Sprintf("%s %s", u.name, percent.Text(u.share)))
	}
	return strings.Join(texts, ", ")
}

func look(root string) snapshot {
	s := snapshot{processes: processes(root)}
	if f := strings.Fields(read(filepath.Join(root, "proc/loadavg"))); len(f) > 0 {
		s.load, _ = strconv.ParseFloat(f[0], 64)
	}
	s.busy, s.steal = parseCPU(read(filepath.Join(root, "proc/stat")))
	s.throttled = throttled(root)
	s.heat = heat(root)
	return s
}

const ticksPerSecond = 100 // USER_HZ on every Linux ABI that Go runs on

// parseCPU sums the first line of /proc/stat (proc(5)): user, nice, system,
// idle, iowait, irq, softirq, steal.
func parseCPU(stat string) (busy, steal float64) {
	line, _, _ := strings.Cut(stat, "\n")
	f := strings.Fields(line)
	const idle, iowait, stealField, known = 4, 5, 8, 9
	if len(f) < known || f[0] != "cpu" {
		return 0, 0
	}
	for i := 1; i < known; i++ {
		v, err := strconv.ParseFloat(f[i], 64)
		switch {
		case err != nil:
			return 0, 0
		case i == stealField:
			steal = v / ticksPerSecond
		case i != idle && i != iowait:
			busy += v / ticksPerSecond
		}
	}
	return busy, steal
}

// throttled is how long the quota of our own control group (version 2) stopped
// us, in seconds.
func throttled(root string) float64 {
	for line := range strings.Lines(read(filepath.Join(root, "proc/self/cgroup"))) {
		group, ok := strings.CutPrefix(strings.TrimSpace(line), "0::")
		if !ok {
			continue
		}
		for l := range strings.Lines(read(filepath.Join(root, "sys/fs/cgroup", group, "cpu.stat"))) {
			if v, ok := strings.CutPrefix(strings.TrimSpace(l), "throttled_usec "); ok {
				us, _ := strconv.ParseFloat(v, 64)
				return us / 1e6
			}
		}
	}
	return 0
}

// processes are the CPU times of all processes but this one.
func processes(root string) map[int]process {
	entries, err := os.ReadDir(filepath.Join(root, "proc"))
	if err != nil {
		return nil
	}
	out := map[int]process{}
	for _, e := range entries {
		pid, err := strconv.Atoi(e.Name())
		if err != nil || pid == os.Getpid() {
			continue
		}
		if p, ok := parseProcess(read(filepath.Join(root, "proc", e.Name(), "stat"))); ok {
			out[pid] = p
		}
	}
	return out
}

func parseProcess(stat string) (process, bool) {
	open, end := strings.IndexByte(stat, '('), strings.LastIndexByte(stat, ')')
	if open < 0 || end < open {
		return process{}, false
	}
	f := strings.Fields(stat[end+1:])
	const utime, stime = 11, 12
	if len(f) <= stime {
		return process{}, false
	}
	u, err1 := strconv.ParseFloat(f[utime], 64)
	s, err2 := strconv.ParseFloat(f[stime], 64)
	return process{stat[open+1 : end], (u + s) / ticksPerSecond}, err1 == nil && err2 == nil
}

func read(path string) string {
	data, err := os.ReadFile(path)
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(data))
}

// Machine names the processor and the kernel, as far as they are known.
func Machine() (model, kernel string) {
	for line := range strings.Lines(read("/proc/cpuinfo")) {
		key, value, ok := strings.Cut(line, ":")
		if ok && strings.TrimSpace(key) == "model name" {
			model = strings.TrimSpace(value)
			break
		}
	}
	return model, read("/proc/sys/kernel/osrelease")
}
