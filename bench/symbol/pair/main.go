// Command pair times two commands against each other: one warm-up each, then
// rounds of both in random order, each reading the same file as standard input
// and writing to /dev/null. It prints medians of wall-clock time, of CPU time and
// of peak memory, and the ratio of medians with its 95 % interval.
package main

import (
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"time"

	"whyhot/internal/trial/stat"
)

// cost is what one run took.
type cost struct{ wall, cpu, peak float64 }

func main() {
	a := flag.String("a", "", "the first command, words separated by blanks")
	b := flag.String("b", "", "the second command")
	in := flag.String("in", "", "standard input of both")
	rounds := flag.Int("rounds", 11, "how often each is run")
	flag.Parse()
	if err := run(*a, *b, *in, *rounds); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(a, b, in string, rounds int) error {
	commands := [2][]string{strings.Fields(a), strings.Fields(b)}
	var costs [2][]cost
	for round := -1; round < rounds; round++ {
		first := rand.IntN(2) //nolint:gosec // the order of runs is no secret
		for _, i := range [2]int{first, 1 - first} {
			c, err := once(commands[i], in)
			if err != nil {
				return err
			}
			if round >= 0 {
				costs[i] = append(costs[i], c)
			}
		}
	}
	for _, m := range []struct {
		name, unit string
		of         func(cost) float64
	}{
		{"wall-clock time", "s", func(c cost) float64 { return c.wall }},
		{"CPU time", "s", func(c cost) float64 { return c.cpu }},
		{"peak memory", "MB", func(c cost) float64 { return c.peak }},
	} {
		x, y := values(costs[0], m.of), values(costs[1], m.of)
		s := stat.RatioOfMedians(x, y, rand.New(rand.NewPCG(1, 2))) //nolint:gosec // a bootstrap that repeats
		i := s.Interval(0.95)
		fmt.Printf("%-16s a %.3f %s  b %.3f %s  a/b %.2f (95%% interval %.2f to %.2f, %d rounds)\n",
			m.name, stat.Median(x), m.unit, stat.Median(y), m.unit, i.Estimate, i.Low, i.High, rounds)
	}
	return nil
}

func values(costs []cost, of func(cost) float64) []float64 {
	out := make([]float64, len(costs))
	for i, c := range costs {
		out[i] = of(c)
	}
	return out
}

func once(words []string, in string) (cost, error) {
	f, err := os.Open(in)
	if err != nil {
		return cost{}, err
	}
	defer func() { _ = f.Close() }()
	cmd := exec.CommandContext(context.Background(), words[0], words[1:]...)
	cmd.Stdin, cmd.Stderr = f, os.Stderr
	start := time.Now()
	if err := cmd.Run(); err != nil {
		return cost{}, fmt.Errorf("%s: %w", words[0], err)
	}
	c := cost{wall: time.Since(start).Seconds(), cpu: (cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()).Seconds()}
	if usage, ok := cmd.ProcessState.SysUsage().(*syscall.Rusage); ok {
		c.peak = float64(usage.Maxrss) / 1024
	}
	return c, nil
}
