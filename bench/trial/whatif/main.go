// Command whatif holds predictions of what-if builds against the source edited
// by hand, interleaved in one trial of whyhot, and compares their machine code.
//
//	go run ./bench/trial/whatif -exiv2 DIR -exiv2-build DIR -zopfli DIR [CASE…]
//
// exiv2 and its configured build directory come from bench/analyzer/sources.sh,
// zopfli is the unpacked Debian source package. Without them the patterns alone
// are tried. It writes a table in Markdown.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"whyhot/internal/finding"
	"whyhot/internal/trial"
)

type options struct {
	here, whyhot              string
	exiv2, exiv2Build, zopfli string
	budget                    time.Duration
	keep                      string
}

func main() {
	var o options
	flag.StringVar(&o.here, "here", "bench/trial/whatif", "this directory")
	flag.StringVar(&o.whyhot, "whyhot", "bin/whyhot", "the program")
	flag.StringVar(&o.exiv2, "exiv2", "", "exiv2's source")
	flag.StringVar(&o.exiv2Build, "exiv2-build", "", "its configured build directory")
	flag.StringVar(&o.zopfli, "zopfli", "", "zopfli's source")
	flag.DurationVar(&o.budget, "budget", 40*time.Second, "time for each trial")
	flag.StringVar(&o.keep, "json", "", "directory for the outcomes")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, o, flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, "whatif:", err)
		stop()
		os.Exit(1) //nolint:gocritic // stop was called
	}
}

func run(ctx context.Context, o options, chosen []string) error {
	fmt.Println("| finding, fix | predicted (what-if) | edited by hand | placebo | intervals overlap | machine code of the function: as written → what-if / edited |")
	fmt.Println("|---|---|---|---|---|---|")
	for _, c := range cases {
		if len(chosen) > 0 && !slices.Contains(chosen, c.name) || c.kind == exiv2 && o.exiv2 == "" || c.kind == zopfli && o.zopfli == "" {
			continue
		}
		row, err := try(ctx, o, c)
		if err != nil {
			return fmt.Errorf("%s: %w", c.name, err)
		}
		fmt.Println(row)
	}
	return nil
}

// try makes the tree of a case, runs the trial and says what came of it.
func try(ctx context.Context, o options, c one) (string, error) {
	dir, err := os.MkdirTemp("", "whyhot-bench-")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(dir) //nolint:errcheck // temporary
	tree := filepath.Join(dir, "tree")
	if err := makeTree(ctx, o, c, tree); err != nil {
		return "", err
	}
	line, err := lineOf(filepath.Join(tree, c.file), c.line)
	if err != nil {
		return "", err
	}
	whyhot, err := filepath.Abs(o.whyhot)
	if err != nil {
		return "", err
	}
	patch, err := filepath.Abs(filepath.Join(o.here, "edits", c.name+".diff"))
	if err != nil {
		return "", err
	}
	work := filepath.Join(dir, "work")
	if err := os.Mkdir(work, 0o755); err != nil {
		return "", err
	}
	cmd := exec.CommandContext(ctx, whyhot, "try", "build", "--json", "--keep", "--work", work, "--budget", o.budget.String(), "--min-runs", "15",
		"--metric", "cpu", "--build", "make", "--run", "./"+c.driver, "--patch", patch,
		"--what-if", fmt.Sprintf("%s:%d", c.file, line), "--world", c.world)
	cmd.Dir = tree
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("whyhot try: %w", err)
	}
	if o.keep != "" {
		if err := os.WriteFile(filepath.Join(o.keep, c.name+".json"), out, 0o600); err != nil {
			return "", err
		}
	}
	var outcome trial.Outcome
	if err := json.Unmarshal(out, &outcome); err != nil {
		return "", err
	}
	return describe(ctx, c, &outcome, work)
}

// The order in which whyhot builds its sides.
const (
	baseSide = "00"
	handSide = "01"
	ifSide   = "02"
)

func describe(ctx context.Context, c one, o *trial.Outcome, work string) (string, error) {
	var ratios [3]finding.Interval
	for i := range o.Variants {
		v := &o.Variants[i]
		if v.Verdict == trial.Failed || v.Verdict == trial.Different {
			return "", fmt.Errorf("%s: %s: %s", v.Name, v.Verdict, v.Explanation)
		}
		r, ok := o.SpeedUp(v)
		if !ok {
			return "", fmt.Errorf("%s was not measured", v.Name)
		}
		switch v.Name {
		case "what-if":
			ratios[0] = r
		case "placebo":
			ratios[2] = r
		default:
			ratios[1] = r
		}
	}
	var codes [3]code
	for i, side := range []string{baseSide, ifSide, handSide} {
		found, err := filepath.Glob(filepath.Join(work, "whyhot-try-*", side, "*", c.driver))
		if err != nil || len(found) != 1 {
			return "", fmt.Errorf("the program of side %s: found %d, %w", side, len(found), err)
		}
		if codes[i], err = disassemble(ctx, found[0], c.function); err != nil {
			return "", err
		}
	}
	overlap := "no"
	if ratios[0].Low <= ratios[1].High && ratios[1].Low <= ratios[0].High {
		overlap = "yes"
	}
	return fmt.Sprintf("| %s | %s | %s | %s | %s | %s → %s / %s: %s |", c.name,
		interval(ratios[0]), interval(ratios[1]), interval(ratios[2]), overlap, &codes[0], &codes[1], &codes[2], codes[1].compare(&codes[2])), nil
}

func interval(i finding.Interval) string {
	return fmt.Sprintf("%.2f (%.2f–%.2f)", i.Estimate, i.Low, i.High)
}

// lineOf finds the first line that holds a text.
func lineOf(file, text string) (int, error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return 0, err
	}
	for i, l := range strings.Split(string(data), "\n") {
		if strings.Contains(l, text) {
			return i + 1, nil
		}
	}
	return 0, errors.New(file + " has no line with " + text)
}
