// Command coverage measures how much of the CPU time of a command its recording stands for,
// on a machine that is busy. Each command burns a known time in one process or several: a
// program, an interpreter, children of children, short ones, one that left its family.
//
//	coverage [-recordings 64] [-busy 16] [-parallel 4] [-burn 2.4] [-limit 1h] WHYHOT…
//
// So many loops keep the machine busy meanwhile. Several programs record in random order;
// what has not begun after the limit is left out.
package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"whyhot/internal/ingest"
)

// burner is a program that uses so many seconds of CPU time.
const burner = `#include <stdlib.h>
#include <time.h>
int main(int n, char **v) {
	volatile unsigned x = 0;
	clock_t end = atof(v[n - 1]) * CLOCKS_PER_SEC;
	while (clock() < end) for (int i = 0; i < 20000; i++) x += i;
	return 0;
}
`

// script does the same in an interpreter.
const script = `import sys, time
end = float(sys.argv[1])
def sum(n):
    t = 0
    for i in range(n): t += i * i
    return t
while time.process_time() < end: sum(2000)
`

// orphan has its work done by a process that nobody waits for.
const orphan = `import os, sys
r, w = os.pipe()
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        os.set_inheritable(w, True)
        os.execv("./burn", ["burn", sys.argv[1]])
    os._exit(0)
os.wait()
os.close(w)
os.read(r, 1)
`

// kinds are the commands; $1 to $3 are the time, its half and a three-hundredth of it. Their
// shell tells at the end what it and its children used.
var kinds = []struct {
	name, script string
	orphan       bool // the work is not among that
}{
	{name: "a program", script: `./burn $1`},
	{name: "an interpreter", script: `python3 burn.py $1`},
	{name: "an interpreter, then a program", script: `python3 burn.py $2; ./burn $2`},
	{name: "the last of a chain of programs", script: `env A=1 nice -n 0 setsid -w timeout 1000 python3 burn.py $1`},
	{name: "300 short programs", script: `i=0; while [ $i -lt 300 ]; do i=$((i+1)); ./burn $3; done`},
	{name: "an orphan", script: `python3 orphan.py $1`, orphan: true},
	{name: "a child's child's child", script: `sh -c 'sh -c "./burn $0 & wait" $0 & wait' $1 & wait`},
	{name: "two at a time", script: `python3 burn.py $2 & ./burn $2 & wait`},
}

// seen is one recording.
type seen struct {
	program, kind int
	samples       int64
	share         float64
	warned        bool
	made          bool
}

type settings struct {
	recordings, busy, parallel int
	burn                       float64
	limit                      time.Duration
	programs                   []string
	dir                        string
}

func main() {
	var s settings
	flag.IntVar(&s.recordings, "recordings", 64, "how many recordings each program makes")
	flag.IntVar(&s.busy, "busy", 16, "how many loops keep the machine busy")
	flag.IntVar(&s.parallel, "parallel", 4, "how many recordings are made at a time")
	flag.Float64Var(&s.burn, "burn", 2.4, "seconds of CPU time that a command uses")
	flag.DurationVar(&s.limit, "limit", time.Hour, "when to begin no more recordings")
	flag.Parse()
	s.programs = flag.Args()
	if err := run(context.Background(), &s); err != nil {
		fmt.Fprintln(os.Stderr, "coverage:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, s *settings) (err error) {
	if len(s.programs) == 0 {
		return errors.New("whyhot is wanted, one program or several")
	}
	if s.dir, err = os.MkdirTemp("", "whyhot-coverage-"); err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(s.dir) }()
	for name, text := range map[string]string{"burn.c": burner, "burn.py": script, "orphan.py": orphan} {
		if err := os.WriteFile(filepath.Join(s.dir, name), []byte(text), 0o600); err != nil {
			return err
		}
	}
	compile := exec.CommandContext(ctx, "cc", "-O1", "-o", "burn", "burn.c")
	compile.Dir = s.dir
	if out, err := compile.CombinedOutput(); err != nil {
		return fmt.Errorf("compiling: %w: %s", err, out)
	}
	for range s.busy {
		loop := exec.CommandContext(ctx, filepath.Join(s.dir, "burn"), "1e6")
		if err := loop.Start(); err != nil {
			return err
		}
		defer func() { _ = loop.Process.Kill(); _ = loop.Wait() }()
	}
	order := rand.Perm(s.recordings * len(s.programs)) //nolint:gosec // an order, not a secret
	all := make([]seen, len(order))
	begin := time.Now()
	var g errgroup.Group
	g.SetLimit(s.parallel)
	for _, i := range order {
		g.Go(func() (err error) {
			if time.Since(begin) > s.limit {
				return nil
			}
			all[i], err = s.record(ctx, i%len(s.programs), i/len(s.programs)%len(kinds), i)
			return err
		})
	}
	if err := g.Wait(); err != nil {
		return err
	}
	s.print(slices.DeleteFunc(all, func(r seen) bool { return !r.made }))
	return nil
}

func (s *settings) record(ctx context.Context, program, kind, number int) (seen, error) {
	file := filepath.Join(s.dir, strconv.Itoa(number)+".pb.gz")
	seconds := func(part float64) string { return strconv.FormatFloat(s.burn*part, 'f', -1, 64) }
	name, err := filepath.Abs(s.programs[program])
	if err != nil {
		return seen{}, err
	}
	cmd := exec.CommandContext(ctx, name, "record", "-o", file, "--no-symbols", "--",
		"sh", "-c", kinds[kind].script+"; times", "sh", seconds(1), seconds(1./2), seconds(1./300))
	cmd.Dir = s.dir
	var told, said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &told, &said
	if err := cmd.Run(); err != nil {
		if strings.Contains(said.String(), "no samples") {
			return seen{program: program, kind: kind, made: true}, nil
		}
		return seen{}, fmt.Errorf("recording %s: %w: %s", kinds[kind].name, err, &said)
	}
	used, err := timesOf(told.String())
	if err != nil {
		return seen{}, err
	}
	if kinds[kind].orphan {
		used += s.burn
	}
	f, err := ingest.Open(ctx, file, ingest.Options{})
	if err != nil {
		return seen{}, err
	}
	return seen{
		program: program, kind: kind, made: true, samples: f.Count(), share: float64(f.Total()) / (used * float64(time.Second)),
		warned: slices.ContainsFunc(f.Meta.Warnings, func(w string) bool { return strings.Contains(w, "samples cover") }),
	}, nil
}

// timesOf adds up what a shell tells by times: user and system time of its own and of its
// children, each as 0m1.250000s.
func timesOf(text string) (seconds float64, err error) {
	for _, word := range strings.Fields(text) {
		d, err := time.ParseDuration(word)
		if err != nil {
			return 0, fmt.Errorf("the shell's times: %w", err)
		}
		seconds += d.Seconds()
	}
	return seconds, nil
}

// print tells of each program how much its recordings covered, and of each kind the least.
func (s *settings) print(all []seen) {
	load, _ := os.ReadFile("/proc/loadavg")
	fmt.Printf("load at the end %s\n\n| program | recordings | coverage: least | a tenth below | median | below 90%% | of them warned | samples: least | median |\n|---|---|---|---|---|---|---|---|---|\n",
		strings.Join(strings.Fields(string(load))[:1], ""))
	for i, p := range s.programs {
		of := slices.DeleteFunc(slices.Clone(all), func(r seen) bool { return r.program != i })
		low, warned := 0, 0
		for _, r := range of {
			if r.share < 0.9 {
				low++
				if r.warned {
					warned++
				}
			}
		}
		if len(of) == 0 {
			continue
		}
		slices.SortFunc(of, func(a, b seen) int { return cmp.Compare(a.samples, b.samples) })
		least, median := of[0].samples, of[len(of)/2].samples
		slices.SortFunc(of, func(a, b seen) int { return cmp.Compare(a.share, b.share) })
		fmt.Printf("| %s | %d | %.0f%% | %.0f%% | %.0f%% | %d | %d | %d | %d |\n",
			filepath.Base(p), len(of), 100*of[0].share, 100*of[len(of)/10].share, 100*of[len(of)/2].share, low, warned, least, median)
	}
	fmt.Print("\n| least and median of |")
	for _, p := range s.programs {
		fmt.Printf(" %s |", filepath.Base(p))
	}
	fmt.Printf("\n|---|%s\n", strings.Repeat("---|", len(s.programs)))
	for k := range kinds {
		fmt.Printf("| %s |", kinds[k].name)
		for i := range s.programs {
			of := slices.DeleteFunc(slices.Clone(all), func(r seen) bool { return r.program != i || r.kind != k })
			if len(of) == 0 {
				fmt.Print(" – |")
				continue
			}
			slices.SortFunc(of, func(a, b seen) int { return cmp.Compare(a.share, b.share) })
			fmt.Printf(" %.0f%%, %.0f%% |", 100*of[0].share, 100*of[len(of)/2].share)
		}
		fmt.Println()
	}
}
