package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// step is a line of steps.tsv: the name, wall-clock and CPU seconds, and "ok",
// "failed" or "left out: REASON", between tabs.
type step struct {
	name      string
	wall, cpu float64
	state     string
}

const leftOut = "left out: "

func readSteps(path string) ([]step, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var out []step
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSuffix(line, "\n")
		field := strings.Split(line, "\t")
		if len(field) != 4 {
			return nil, fmt.Errorf("%s: %q is not name, seconds, CPU seconds, state", path, line)
		}
		wall, werr := strconv.ParseFloat(field[1], 64)
		cpu, cerr := strconv.ParseFloat(field[2], 64)
		if err := errors.Join(werr, cerr); err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		out = append(out, step{field[0], wall, cpu, field[3]})
	}
	return out, nil
}

// summary writes what took how long, what was skipped, and the count; the error
// is errFailed if something failed, or was skipped and is not in the list; without a
// list, anything may be skipped.
func summary(out io.Writer, dir string, list []expectation) error {
	steps, err := readSteps(filepath.Join(dir, "steps.tsv"))
	if err != nil {
		return err
	}
	files, err := filepath.Glob(filepath.Join(dir, "*.jsonl"))
	if err != nil {
		return err
	}
	var results []result
	for _, file := range files {
		more, err := readResults(file)
		if err != nil {
			return err
		}
		results = append(results, more...)
	}
	failedStep := false
	for _, s := range steps {
		failedStep = failedStep || s.state == "failed"
		if reason, ok := strings.CutPrefix(s.state, leftOut); ok {
			results = append(results, result{Suite: "step", Test: s.name, Outcome: skip, Reason: reason})
		}
	}

	w := &strings.Builder{}
	writeSteps(w, steps)
	writeSlowest(w, results, 10)
	unexpected := writeSkips(w, results, list)
	count, unsteady := map[string]int{}, 0
	for _, r := range results {
		count[r.Outcome]++
		if r.Outcome == fail {
			fmt.Fprintln(w, "FAILED", r)
		}
		if r.FailedAtFirst {
			unsteady++
			fmt.Fprintln(w, "UNSTEADY: failed, and passed when run again:", r)
		}
	}
	if unexpected > 0 {
		fmt.Fprintf(w, "FAILED: %d skipped that the list of expected skips does not have with this reason: install what is missing, or list it and say why\n", unexpected)
	}
	fmt.Fprintf(w, "%d passed, %d failed, %d skipped", count[pass], count[fail], count[skip])
	if unsteady > 0 {
		fmt.Fprintf(w, ", %d unsteady: passed only when run again", unsteady)
	}
	fmt.Fprintln(w)
	if _, err := io.WriteString(out, w.String()); err != nil {
		return err
	}
	if count[fail] > 0 || unexpected > 0 || failedStep {
		return errFailed
	}
	return nil
}

func writeSteps(w *strings.Builder, steps []step) {
	fmt.Fprintln(w, "What took how long")
	fmt.Fprintf(w, "%8s %8s\n", "seconds", "CPU")
	all := step{name: "all", state: "ok"}
	for _, s := range steps {
		all.wall += s.wall
		all.cpu += s.cpu
	}
	for _, s := range append(slices.Clip(steps), all) {
		state := ""
		if s.state != "ok" {
			state = "  " + s.state
		}
		fmt.Fprintf(w, "%8.0f %8.0f  %s%s\n", s.wall, s.cpu, s.name, state)
	}
}

// writeSlowest lists the packages whose tests take longest. Tests that run beside
// others of their package count each for itself.
func writeSlowest(w *strings.Builder, results []result, most int) {
	seconds := map[string]float64{}
	for _, r := range results {
		if !strings.Contains(r.Test, "/") { // a test's seconds hold those of its parts
			seconds[r.Suite] += r.Seconds
		}
	}
	var suites []string
	for suite, s := range seconds {
		if s >= 1 {
			suites = append(suites, suite)
		}
	}
	slices.SortFunc(suites, func(a, b string) int { return cmp.Compare(seconds[b], seconds[a]) })
	if len(suites) == 0 {
		return
	}
	fmt.Fprintln(w, "\nThe slowest tests, by package")
	for _, suite := range suites[:min(most, len(suites))] {
		fmt.Fprintf(w, "%8.0f  %s\n", seconds[suite], suite)
	}
}

// writeSkips lists what was skipped and returns how many of it are not expected.
func writeSkips(w *strings.Builder, results []result, list []expectation) int {
	unexpected, begun := 0, false
	for _, r := range results {
		if r.Outcome != skip {
			continue
		}
		if !begun {
			begun = true
			fmt.Fprintln(w, "\nSkipped")
		}
		fmt.Fprintf(w, "  %s: %s\n", r, cmp.Or(r.Reason, "no reason given"))
		if list == nil {
			continue
		}
		if e := match(list, r); e != nil {
			fmt.Fprintf(w, "      expected: %s\n", e.Why)
			continue
		}
		unexpected++
		fmt.Fprintln(w, "      NOT EXPECTED")
	}
	if begun {
		fmt.Fprintln(w)
	}
	return unexpected
}
