package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"whyhot/internal/host/allocator"
	"whyhot/internal/host/wholefile"
	"whyhot/internal/report/quantity"
	"whyhot/internal/report/term"
	"whyhot/internal/report/trials"
	"whyhot/internal/trial"
	"whyhot/internal/trial/foreign"
	"whyhot/internal/trial/metric"
	"whyhot/internal/trial/noise"
	"whyhot/internal/trial/run"
	"whyhot/internal/trial/suite"
)

// suiteFlags are about several benchmarks at once.
type suiteFlags struct {
	file, only string
	read       []string
	html, svg  string
}

func (s *suiteFlags) register(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringVar(&s.file, "suite", "", "file of benchmarks to try instead of one command (docs/guide/try-suite.md)")
	flags.StringVar(&s.only, "only", "", "with --suite: only the benchmarks whose name this regular expression matches")
	flags.StringArrayVar(&s.read, "read", nil, "compare results that Google Benchmark or hyperfine wrote as JSON: --read BASELINE.json VARIANT.json ...")
	flags.StringVar(&s.html, "html", "", "with --suite or --read: also write the result as a page with charts")
	flags.StringVar(&s.svg, "svg", "", "with --suite or --read: also write the chart of all benchmarks")
}

// runSuite tries every benchmark of a file.
func (f *tryFlags) runSuite(ctx context.Context, cmd *cobra.Command, args []string) error {
	errOut := cmd.ErrOrStderr()
	file, err := f.loadSuite(args)
	if err != nil {
		return err
	}
	variants, err := f.suiteVariants(file, errOut)
	if err != nil {
		return err
	}
	if f.build.asked() {
		// The first command tells whose tree it is, and what to train with unless
		// that is given.
		f.plan.Command = file.Benchmarks[0].Command
		f.plan.Variants = f.plan.Variants[:0]
		for _, v := range variants {
			f.plan.Variants = append(f.plan.Variants, v.Variant)
		}
		workshop, err := f.prepare(ctx, errOut)
		if err != nil {
			return err
		}
		f.built = workshop.Notes
		defer closeWorkshop(workshop, f.build.o.Keep, errOut)
		for i := range variants {
			variants[i].Variant = f.plan.Variants[i]
		}
	}
	result, err := f.measureSuite(ctx, file, variants, errOut)
	if err != nil {
		return err
	}
	if err := f.showSuite(cmd, result); err != nil {
		return err
	}
	if len(result.Benchmarks) > 0 {
		f.keep(f.recordOfSuite(result), errOut)
	}
	return suiteEnd(result)
}

func (f *tryFlags) loadSuite(args []string) (*suite.File, error) {
	switch {
	case len(args) > 0:
		return nil, errors.New("--suite names the commands: none can stand behind --")
	case len(f.versus) > 0:
		return nil, errors.New("--versus is another command line for one command: in a suite, give the variant a set of its own (docs/guide/try-suite.md)")
	case f.profile != "" || f.finding != "":
		return nil, errors.New("--profile and --finding are about one command, not about a suite")
	}
	file, err := suite.Load(f.suite.file)
	if err != nil {
		return nil, err
	}
	if f.build.asked() {
		here, err := os.Getwd()
		if err != nil {
			return nil, fmt.Errorf("the current directory: %w", err)
		}
		absolute, err := filepath.Abs(file.Dir)
		if err != nil {
			return nil, fmt.Errorf("the directory of the suite: %w", err)
		}
		if file.Dir, err = filepath.Rel(here, absolute); err != nil || !filepath.IsLocal(file.Dir) {
			return nil, errors.New("with --build, the suite file has to be in the tree that is built, since the benchmarks run in copies of it")
		}
	}
	return file, file.CheckFiles()
}

// suiteVariants are those of the flags, then those of the file.
func (f *tryFlags) suiteVariants(file *suite.File, errOut io.Writer) ([]suite.Variant, error) {
	if err := f.settings(); err != nil {
		return nil, err
	}
	fromFile, missing, err := file.Changes(allocator.NewFinder())
	if err != nil {
		return nil, err
	}
	if err := f.nameVariants(errOut, len(fromFile) == 0 && len(missing) == 0); err != nil {
		return nil, err
	}
	if len(file.Steps) > 0 && len(f.plan.Variants) > 0 {
		return nil, errors.New("the suite has steps: variants from the command line have no place in the chain")
	}
	for _, err := range missing {
		_, _ = fmt.Fprintf(errOut, "left out: %v\n", err)
	}
	var out []suite.Variant
	for _, v := range f.plan.Variants {
		out = append(out, suite.Variant{Variant: v})
	}
	out = append(out, fromFile...)
	if !f.build.asked() {
		for i := range out {
			if out[i].Build != nil {
				return nil, fmt.Errorf("%q is built: say how with --build, for example --build 'make -j2'", out[i].Name)
			}
		}
	}
	if len(out) == 0 {
		return nil, errors.New("none of the suite's variants can be tried")
	}
	return out, nil
}

func (f *tryFlags) measureSuite(ctx context.Context, file *suite.File, variants []suite.Variant, errOut io.Writer) (*suite.Result, error) {
	disturbed := noise.Start()
	var used time.Duration
	current := &run.Metered{}
	only, err := regexp.Compile(f.suite.only)
	if err != nil {
		return nil, fmt.Errorf("--only: %w", err)
	}
	progress := newTryProgress(errOut, len(variants)+1)
	plan := f.plan
	plan.Variants, plan.Command = nil, nil
	plan.Busy = func() float64 { return disturbed.Busy(used + current.CPU + ownCPU()) }
	const each = time.Minute
	result, err := suite.Run(ctx, file, suite.Options{
		Plan: plan, Variants: variants, Chain: len(file.Steps) > 0,
		Metric: f.metric.given(), Each: each, Clock: trial.SystemClock{}, Only: only.MatchString,
		Counter: func() (*metric.Counter, error) { return metric.NewCounter(os.TempDir()) },
		Runner: func() (run.Runner, func(), error) {
			local, err := run.New()
			if err != nil {
				return nil, nil, err
			}
			current = &run.Metered{Runner: local}
			return current, func() { used += current.CPU; current = &run.Metered{}; local.Close() }, nil
		},
		Begin:    progress.begin,
		Progress: progress.report,
	})
	progress.line.Clear()
	if err != nil {
		return nil, err
	}
	result.Machine.CPUs, result.Machine.Pinned = runtime.NumCPU(), plan.Pin
	result.Machine.Model, result.Machine.Kernel = noise.Machine()
	result.Notes = append(result.Notes, f.built...)
	result.Notes = append(result.Notes, disturbed.Notes(used+ownCPU(), "")...)
	return result, nil
}

// showSuite prints a result and writes the files that were asked for.
func (f *tryFlags) showSuite(cmd *cobra.Command, r *suite.Result) error {
	for _, file := range []struct {
		path string
		draw func(io.Writer, *suite.Result) error
	}{{f.suite.html, trials.Page}, {f.suite.svg, trials.Chart}} {
		if file.path == "" {
			continue
		}
		if err := wholefile.Write(file.path, 0o644, func(w *os.File) error { return file.draw(w, r) }); err != nil {
			return fmt.Errorf("writing %s: %w", file.path, err)
		}
	}
	if f.json {
		return writeJSON(cmd.OutOrStdout(), r)
	}
	p := term.New(cmd.OutOrStdout(), os.Environ())
	trials.PrintSuite(p, r)
	return p.Err()
}

func suiteEnd(r *suite.Result) error {
	counted := 0
	for i := range r.Summary {
		counted += r.Summary[i].Counted
	}
	switch {
	case r.Stopped == trial.StopInterrupted:
		return &exitError{code: 128 + int(syscall.SIGINT), err: errors.New("interrupted: the numbers above are what was measured until then")}
	case counted == 0:
		return errors.New("nothing was measured: no variant could be compared with the baseline on any benchmark")
	}
	return nil
}

// readResults compares files that other tools wrote.
func (f *tryFlags) readResults(cmd *cobra.Command, args []string) error {
	take := foreign.Real
	switch f.metric.name {
	case "", string(trial.Wall):
	case string(trial.CPU):
		take = foreign.CPU
	default:
		return fmt.Errorf("--metric %s: results of other tools have wall and cpu only", f.metric.name)
	}
	var files []*foreign.Results
	for _, path := range append(f.suite.read, args...) {
		r, err := foreign.Read(path, take)
		if err != nil {
			return err
		}
		files = append(files, r)
	}
	result, err := suite.Compare(files)
	if err != nil {
		return err
	}
	return f.showSuite(cmd, result)
}

// begin tells which benchmark comes.
func (t *tryProgress) begin(name string, index, of int) {
	text := fmt.Sprintf("%s (%d of %d)", name, index+1, of)
	t.prefix = text + ": "
	if t.line == nil {
		_, _ = fmt.Fprintln(t.w, text)
	}
}

// announced is the announcement of one trial.
func announced(arms int, p trial.Progress) string {
	return fmt.Sprintf("one round of %d runs takes %s; at most %s in all",
		arms, quantity.Duration(p.RoundTime), quantity.Duration(p.Expected))
}
