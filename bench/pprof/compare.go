package main

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"slices"
	"syscall"
	"time"

	"whyhot/internal/trial/stat"
)

// run1 is what one run of a command cost.
type run1 struct {
	wall, cpu, peak float64 // s, s, MB
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
	for _, m := range []struct {
		name, unit string
		of         func(run1) float64
	}{
		{"wall time", "s", func(r run1) float64 { return r.wall }},
		{"CPU time", "s", func(r run1) float64 { return r.cpu }},
		{"peak memory", "MB", func(r run1) float64 { return r.peak }},
	} {
		a, b := column(runs[0], m.of), column(runs[1], m.of)
		ratio := stat.RatioOfMedians(b, a, rand.New(rand.NewPCG(1, 1))).Interval(0.95) //nolint:gosec // a resampling, repeatable
		fmt.Printf("| %s | %.2f %s (%.2f–%.2f) | %.2f %s (%.2f–%.2f) | %.1f× (%.1f–%.1f) |\n", m.name,
			stat.Median(a), m.unit, slices.Min(a), slices.Max(a), stat.Median(b), m.unit, slices.Min(b), slices.Max(b),
			ratio.Estimate, ratio.Low, ratio.High)
	}
	return nil
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
	if out, err := cmd.CombinedOutput(); err != nil {
		return run1{}, fmt.Errorf("%v: %w: %s", command, err, out)
	}
	r := run1{wall: time.Since(start).Seconds()}
	r.cpu = (cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()).Seconds()
	if u, ok := cmd.ProcessState.SysUsage().(*syscall.Rusage); ok {
		r.peak = float64(u.Maxrss) / 1024
	}
	return r, nil
}
