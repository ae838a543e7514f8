package metric

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"

	"whyhot/internal/host/tool"
	"whyhot/internal/trial/run"
)

// Counter counts the instructions that a command and its descendants execute in
// user mode: with the processor's own counters where the machine has them, else
// by simulation under valgrind.
type Counter struct {
	perf, valgrind string // path of the one that is used
	dir            string // for what the tools write
}

// NewCounter finds a way to count. dir is an existing directory for the tools'
// files; what is written there is removed after every run.
func NewCounter(dir string) (*Counter, error) {
	if hardwareCounts() {
		if perf, err := tool.Find("perf"); err == nil {
			return &Counter{perf: perf, dir: dir}, nil
		}
	}
	if valgrind, err := tool.Find("valgrind"); err == nil {
		return &Counter{valgrind: valgrind, dir: dir}, nil
	}
	if hardwareCounts() {
		return nil, errors.New("counting instructions needs perf or valgrind (Debian: apt-get install linux-perf, or valgrind)")
	}
	return nil, errors.New("counting instructions needs valgrind here, since this machine offers no hardware counters (Debian, Ubuntu: apt-get install valgrind)")
}

// hardwareCounts asks the kernel for the counter of retired instructions, which
// virtual machines often do not have.
func hardwareCounts() bool {
	attr := unix.PerfEventAttr{Type: unix.PERF_TYPE_HARDWARE, Config: unix.PERF_COUNT_HW_INSTRUCTIONS, Bits: unix.PerfBitExcludeKernel | unix.PerfBitExcludeHv | unix.PerfBitDisabled}
	attr.Size = uint32(unix.PERF_ATTR_SIZE_VER0)
	fd, err := unix.PerfEventOpen(&attr, 0, -1, -1, unix.PERF_FLAG_FD_CLOEXEC)
	if err != nil {
		return false
	}
	_ = unix.Close(fd)
	return true
}

// Note says how the numbers come about.
func (c *Counter) Note() string {
	if c.perf != "" {
		return "instructions are those the processor retired in user mode (perf stat)"
	}
	return "instructions were counted by valgrind in user mode, one thread at a time; they do not show caches, branches or waiting"
}

// Slowdown is about how many times as long a counted run takes.
func (c *Counter) Slowdown() float64 {
	if c.perf != "" {
		return 1
	}
	const valgrindTimes = 30
	return valgrindTimes
}

// Wrap returns a runner that fills Result.Instructions. Watched runs are not
// counted: under valgrind there would be no program to watch.
func (c *Counter) Wrap(inner run.Runner) run.Runner { return countingRunner{c, inner} }

type countingRunner struct {
	*Counter

	inner run.Runner
}

// Run counts one run.
func (r countingRunner) Run(ctx context.Context, spec run.Spec) (*run.Result, error) {
	if spec.Watch {
		return r.inner.Run(ctx, spec)
	}
	dir, err := os.MkdirTemp(r.dir, "whyhot-try-count-")
	if err != nil {
		return nil, fmt.Errorf("counting instructions: %w", err)
	}
	defer func() { _ = os.RemoveAll(dir) }()
	read := readCachegrind
	if r.perf != "" {
		read = readPerfStat
		spec.Args = append([]string{r.perf, "stat", "-e", "instructions:u", "-x", ",", "-o", filepath.Join(dir, "count"), "--"}, spec.Args...)
	} else {
		// Cachegrind without its caches counts the same instructions as callgrind,
		// in two thirds of the time.
		spec.Args = append([]string{r.valgrind, "-q", "--tool=cachegrind", "--cache-sim=no", "--trace-children=yes", "--cachegrind-out-file=" + filepath.Join(dir, "count.%p")}, spec.Args...)
	}
	res, err := r.inner.Run(ctx, spec)
	if err != nil {
		return nil, err
	}
	res.Simulated = r.valgrind != ""
	files, err := filepath.Glob(filepath.Join(dir, "count*"))
	if err != nil {
		return nil, fmt.Errorf("counting instructions: %w", err)
	}
	for _, f := range files {
		data, err := os.ReadFile(f)
		if err != nil {
			return nil, fmt.Errorf("counting instructions: %w", err)
		}
		n, err := read(string(data))
		if err != nil {
			return nil, fmt.Errorf("counting instructions: %w", err)
		}
		res.Instructions += n
	}
	return res, nil
}

// readCachegrind takes the total from a cachegrind output file: the line
// "summary: N" (Valgrind manual, "Cachegrind: file format"). A process that was
// killed leaves a file without one, which counts nothing.
func readCachegrind(text string) (float64, error) {
	for line := range strings.Lines(text) {
		value, ok := strings.CutPrefix(line, "summary:")
		if !ok {
			continue
		}
		first, _, _ := strings.Cut(strings.TrimSpace(value), " ")
		n, err := strconv.ParseFloat(strings.ReplaceAll(first, ",", ""), 64)
		if err != nil {
			return 0, fmt.Errorf("valgrind wrote %q", strings.TrimSpace(line))
		}
		return n, nil
	}
	return 0, nil
}

// readPerfStat takes the value from the lines that perf stat -x, writes:
// VALUE,UNIT,EVENT,… (perf-stat(1), "CSV FORMAT"). Machines with two kinds of
// cores write a line for each.
func readPerfStat(text string) (float64, error) {
	sum := 0.0
	for line := range strings.Lines(text) {
		f := strings.Split(strings.TrimSpace(line), ",")
		const event = 2
		if len(f) <= event || !strings.Contains(f[event], "instructions") {
			continue
		}
		if strings.HasPrefix(f[0], "<not counted") {
			continue // a core kind that nothing ran on
		}
		n, err := strconv.ParseFloat(f[0], 64)
		if err != nil {
			return 0, fmt.Errorf("perf stat wrote %q", strings.TrimSpace(line))
		}
		sum += n
	}
	return sum, nil
}
