package main

import (
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"syscall"
	"time"

	"whyhot/internal/ingest/pprof"
	"whyhot/internal/profile"
	"whyhot/internal/trial/stat"
)

// run1 is what one run of a command cost.
type run1 struct {
	wall, cpu, peak, allocated float64 // s, s, MB, MB
}

var columns = []struct {
	name, unit string
	of         func(run1) float64
}{
	{"wall time", "s", func(r run1) float64 { return r.wall }},
	{"CPU time", "s", func(r run1) float64 { return r.cpu }},
	{"peak memory", "MB", func(r run1) float64 { return r.peak }},
	{"allocated", "MB", func(r run1) float64 { return r.allocated }},
}

// compare runs ours and `pprof -top` in turn on the same file and prints
// medians and the ratio of medians with its 95 % interval.
func compare(file string, rounds int, name string, commands [2][]string) error {
	var runs [2][]run1
	for i := range rounds {
		order := []int{i % 2, 1 - i%2}
		for _, c := range order {
			r, err := measure(commands[c])
			if err != nil {
				return err
			}
			runs[c] = append(runs[c], r)
		}
	}
	st, err := os.Stat(file)
	if err != nil {
		return err
	}
	fmt.Printf("%d rounds in turn, file of %d MB\n\n", rounds, st.Size()>>20)
	fmt.Printf("| | %s | go tool pprof -top | ratio of medians (95%% interval) |\n", name)
	fmt.Println("|---|---|---|---|")
	for _, m := range columns[:3] {
		a, b := column(runs[0], m.of), column(runs[1], m.of)
		ratio := stat.RatioOfMedians(b, a, rand.New(rand.NewPCG(1, 1))).Interval(0.95) //nolint:gosec // a resampling, repeatable
		fmt.Printf("| %s | %.2f %s (%.2f–%.2f) | %.2f %s (%.2f–%.2f) | %.1f× (%.1f–%.1f) |\n", m.name,
			stat.Median(a), m.unit, slices.Min(a), slices.Max(a), stat.Median(b), m.unit, slices.Min(b), slices.Max(b),
			ratio.Estimate, ratio.Low, ratio.High)
	}
	return nil
}

// readers times loading in both ways in turn for each file.
func readers(files []string, rounds int) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	fmt.Println("| file | | google/pprof/profile | own | ratio of medians (95 % interval) |")
	fmt.Println("|---|---|---|---|---|")
	for _, file := range files {
		var runs [2][]run1
		for i := range rounds {
			for _, c := range []int{i % 2, 1 - i%2} {
				r, err := measure([]string{self, load, "-reader", []string{google, "own"}[c], file})
				if err != nil {
					return err
				}
				runs[c] = append(runs[c], r)
			}
		}
		rows(filepath.Base(file), runs)
	}
	return nil
}

func rows(name string, runs [2][]run1) {
	for _, m := range columns {
		a, b := column(runs[0], m.of), column(runs[1], m.of)
		if slices.Max(a) == 0 {
			continue // not measured
		}
		ratio := stat.RatioOfMedians(a, b, rand.New(rand.NewPCG(1, 1))).Interval(0.95) //nolint:gosec // a resampling, repeatable
		fmt.Printf("| %s | %s | %.4g %s | %.4g %s | %.2f (%.2f–%.2f) |\n", name, m.name,
			stat.Median(a), m.unit, stat.Median(b), m.unit, ratio.Estimate, ratio.Low, ratio.High)
	}
}

// write times writing in both ways in turn, in this process.
func write(p *profile.Profile, rounds int) error {
	var runs [2][]run1
	for i := range rounds {
		for _, c := range []int{i % 2, 1 - i%2} {
			runtime.GC()
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			start, cpu := time.Now(), used()
			err := []func(io.Writer, *profile.Profile) error{writeGoogle, pprof.Write}[c](io.Discard, p)
			if err != nil {
				return err
			}
			r := run1{wall: time.Since(start).Seconds(), cpu: used() - cpu}
			runtime.ReadMemStats(&after)
			r.allocated = float64(after.TotalAlloc-before.TotalAlloc) / (1 << 20)
			runs[c] = append(runs[c], r)
		}
	}
	rows("write", runs)
	return nil
}

// used is this process's CPU time in seconds.
func used() float64 {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano()).Seconds()
}

func column(runs []run1, of func(run1) float64) []float64 {
	xs := make([]float64, len(runs))
	for i, r := range runs {
		xs[i] = of(r)
	}
	return xs
}

func measure(command []string) (run1, error) {
	cmd := exec.Command(command[0], command[1:]...) //nolint:noctx // ends with the benchmark
	start := time.Now()
	out, err := cmd.CombinedOutput()
	if err != nil {
		return run1{}, fmt.Errorf("%v: %w: %s", command, err, out)
	}
	r := run1{wall: time.Since(start).Seconds()}
	// load says what it allocated in its first number.
	if _, err := fmt.Sscanf(string(out), "%f MB allocated", &r.allocated); err != nil {
		r.allocated = 0 // another program
	}
	r.cpu = (cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()).Seconds()
	if u, ok := cmd.ProcessState.SysUsage().(*syscall.Rusage); ok {
		r.peak = float64(u.Maxrss) / 1024
	}
	return r, nil
}
