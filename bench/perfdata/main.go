// Command perfdata measures the reading of perf.data files: ours against
// `perf script` piped into a stack collapser, run in turn on the same file.
//
//	perfdata fold [-names] FILE        folded stacks on standard output
//	perfdata compare [-rounds N] FILE  both, in turn
package main

import (
	"bufio"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"time"

	"whyhot/internal/ingest/perfdata"
	"whyhot/internal/profile"
	"whyhot/internal/symbol"
	"whyhot/internal/trial/stat"
)

const foldCmd = "fold"

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "perfdata:", err)
		os.Exit(1)
	}
}

func run() error {
	if len(os.Args) < 2 {
		return errors.New("usage: perfdata fold|compare [flags] FILE")
	}
	fs := flag.NewFlagSet(os.Args[1], flag.ContinueOnError)
	names := fs.Bool("names", false, "name the functions")
	rounds := fs.Int("rounds", 5, "how often each side runs")
	collapse := fs.String("collapse", "bench/perfdata/collapse.awk", "the awk program behind perf script")
	if err := fs.Parse(os.Args[2:]); err != nil {
		return err
	}
	if fs.NArg() != 1 {
		return errors.New("one file is wanted")
	}
	switch os.Args[1] {
	case foldCmd:
		return fold(fs.Arg(0), *names, os.Stdout)
	case "compare":
		return compare(fs.Arg(0), *collapse, *rounds)
	}
	return fmt.Errorf("unknown command %q", os.Args[1])
}

// fold reads, names if asked to, and prints every stack once.
func fold(file string, names bool, out io.Writer) error {
	f, err := os.Open(file)
	if err != nil {
		return err
	}
	defer f.Close() //nolint:errcheck // only read from
	// Idle samples too: perf script prints them.
	p, err := perfdata.Read(context.Background(), f, perfdata.Options{KeepIdle: true, Labels: []string{profile.LabelThread}})
	if err != nil {
		return err
	}
	if names {
		p, _ = symbol.New(symbol.Options{}).Symbolize(context.Background(), p)
	}
	w := bufio.NewWriterSize(out, 1<<16)
	var line []byte
	frames := make([]string, p.NumLocations())
	for i := range frames {
		frames[i] = frameName(p, profile.LocationID(i))
	}
	for _, s := range p.Samples() {
		comm, _ := p.Label(s.Labels, profile.LabelThread)
		line = append(line[:0], comm.Str...)
		for _, id := range slices.Backward(p.Stack(s.Stack)) {
			line = append(line, ';')
			line = append(line, frames[id]...)
		}
		line = append(line, ' ')
		line = strconv.AppendInt(line, s.Count, 10)
		if _, err := w.Write(append(line, '\n')); err != nil {
			return err
		}
	}
	return w.Flush()
}

func frameName(p *profile.Profile, id profile.LocationID) string {
	var parts []string
	for _, line := range slices.Backward(p.Lines(id)) {
		if n := p.Function(line.Function).Name; n != "" {
			parts = append(parts, n)
		}
	}
	if len(parts) == 0 {
		return strconv.FormatUint(p.Location(id).Address, 16)
	}
	return strings.Join(parts, ";")
}

// side is one way to get folded stacks.
type side struct {
	name string
	cmd  []string
	wall []float64 // seconds
	cpu  []float64
}

func compare(file, collapse string, rounds int) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	script := func(args string) []string {
		return []string{"bash", "-o", "pipefail", "-c", `perf script -i "$1" ` + args + ` 2>/dev/null | awk -f "$2"`, "sh", file, collapse}
	}
	pairs := [][2]*side{
		{
			{name: "perf script --no-inline -F comm,pid,tid,ip,sym,dso", cmd: script("--no-inline -F comm,pid,tid,ip,sym,dso")},
			{name: "with names", cmd: []string{self, foldCmd, "-names", file}},
		},
		{
			{name: "perf script --no-inline -F comm,pid,tid,ip", cmd: script("--no-inline -F comm,pid,tid,ip")},
			{name: "addresses", cmd: []string{self, foldCmd, file}},
		},
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
	cmd.Stderr = os.Stderr
	start := time.Now()
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("%s: %w", s.name, err)
	}
	s.wall = append(s.wall, time.Since(start).Seconds())
	s.cpu = append(s.cpu, (cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()).Seconds())
	return nil
}
