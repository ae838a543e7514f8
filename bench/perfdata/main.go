// Command perfdata measures the reading of perf.data files: `whyhot fold` against
// `perf script` piped into a stack collapser, run in turn on the same file.
//
//	perfdata [-rounds N] [-whyhot PROGRAM] [-stackcollapse stackcollapse-perf.pl] [-samply PROGRAM] FILE
//
// The awk program prints what whyhot prints and nothing else; -stackcollapse
// adds the pipeline that most people have, with the Perl program of FlameGraph
// (https://github.com/brendangregg/FlameGraph). -samply adds the importer of samply
// (https://github.com/mstange/samply), which names nothing either, merges nothing, and
// writes JSON.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"whyhot/internal/trial/stat"
)

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "perfdata:", err)
		os.Exit(1)
	}
}

func run() error {
	rounds := flag.Int("rounds", 7, "how often each side runs")
	collapse := flag.String("collapse", "bench/perfdata/collapse.awk", "the awk program behind perf script")
	whyhot := flag.String("whyhot", "bin/whyhot", "the program to measure")
	usual := flag.String("stackcollapse", "", "also measure against this `PROGRAM` of FlameGraph")
	samply := flag.String("samply", "", "also measure against this `PROGRAM` of samply")
	flag.Parse()
	if flag.NArg() != 1 {
		return errors.New("one file is wanted")
	}
	return compare(flag.Arg(0), *collapse, *whyhot, *usual, *samply, *rounds)
}

// side is one way to get folded stacks.
type side struct {
	name string
	cmd  []string
	wall []float64 // seconds
	cpu  []float64
}

func compare(file, collapse, whyhot, usual, samply string, rounds int) error {
	script := func(args string) *side {
		return &side{"perf script " + args, []string{
			"bash", "-o", "pipefail", "-c",
			`perf script -i "$1" ` + args + ` 2>/dev/null | awk -f "$2"`, "sh", file, collapse,
		}, nil, nil}
	}
	fold := func(args ...string) *side {
		cmd := append([]string{whyhot, "fold"}, args...)
		return &side{strings.Join(cmd[1:], " "), append(cmd, file), nil, nil}
	}
	pairs := [][2]*side{
		{script("--no-inline -F comm,pid,tid,ip"), fold("--no-symbols")},
		{script("--no-inline -F comm,pid,tid,ip,sym,dso"), fold("--no-inline")},
		{script("-F comm,pid,tid,ip,sym,dso"), fold()},
	}
	if usual != "" {
		published := func(args string) *side {
			return &side{strings.TrimSpace("perf script "+args) + " into stackcollapse-perf.pl", []string{
				"bash", "-o", "pipefail", "-c", `perf script ` + args + ` -i "$1" 2>/dev/null | perl "$2"`, "sh", file, usual,
			}, nil, nil}
		}
		pairs = append(pairs, [2]*side{published("--no-inline"), fold("--no-inline")}, [2]*side{published(""), fold()})
	}
	if samply != "" {
		dir, err := os.MkdirTemp("", "whyhot-perfdata-")
		if err != nil {
			return err
		}
		defer func() { _ = os.RemoveAll(dir) }()
		written := filepath.Join(dir, "profile.json")
		pairs = append(pairs, [2]*side{
			{"samply import --save-only", []string{samply, "import", "--save-only", "-o", written, file}, nil, nil}, fold("--no-symbols"),
		})
	}
	// What both keep between runs is there before the first that counts.
	for _, pair := range pairs {
		for _, s := range pair {
			if err := s.time(); err != nil {
				return err
			}
			s.wall, s.cpu = nil, nil
		}
	}
	rng := rand.New(rand.NewPCG(1, 2)) //nolint:gosec // resampling wants to be repeatable
	fmt.Println("| perf | whyhot | time | perf | whyhot | ratio | 95 % interval |\n|---|---|---|---|---|---|---|")
	for _, pair := range pairs {
		for range rounds {
			order := []*side{pair[0], pair[1]}
			if rng.IntN(2) == 0 {
				order[0], order[1] = order[1], order[0]
			}
			for _, s := range order {
				if err := s.time(); err != nil {
					return err
				}
			}
		}
		for _, what := range []string{"wall", "cpu"} {
			a, b := pair[0].secs(what), pair[1].secs(what)
			r := stat.RatioOfMedians(a, b, rng).Interval(0.95)
			fmt.Printf("| %s | %s | %s | %.2f s | %.3f s | %.1f | %.1f to %.1f |\n",
				pair[0].name, pair[1].name, what, stat.Median(a), stat.Median(b), r.Estimate, r.Low, r.High)
		}
	}
	return nil
}

func (s *side) secs(what string) []float64 {
	if what == "cpu" {
		return s.cpu
	}
	return s.wall
}

func (s *side) time() error {
	cmd := exec.CommandContext(context.Background(), s.cmd[0], s.cmd[1:]...)
	var said strings.Builder
	cmd.Stderr = &said
	start := time.Now()
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("%s: %w: %s", s.name, err, said.String())
	}
	s.wall = append(s.wall, time.Since(start).Seconds())
	s.cpu = append(s.cpu, (cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()).Seconds())
	return nil
}
