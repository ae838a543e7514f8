package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"whyhot/internal/explain"
	"whyhot/internal/host/version"
	"whyhot/internal/host/wholefile"
	"whyhot/internal/hunt"
	"whyhot/internal/hunt/summary"
	"whyhot/internal/report/term"
	"whyhot/internal/trial/rebuild"
	"whyhot/internal/trial/run"
)

const huntLong = `Record a command, explain what is hot, and try every change that needs no person:
allocators, settings of the runtime, ways to build, patches written by machine. What
is called proved was measured on rounds of its own; the chance that anything of it
is not faster is 5% for all results jointly.

Interrupted, the same command goes on. Without --build, only what needs none is tried.`

const huntExample = `  whyhot hunt --budget 5m -- jq .id big.json
  whyhot hunt --build 'make -j2' -p build --check 'make check' -- ./app input
  whyhot hunt --suite suite.yaml --budget 1h --html hunt.html`

// huntFlags are the flags as they are typed.
type huntFlags struct {
	try     tryFlags // those that it has in common with `whyhot try`
	request hunt.Request
	rules   []string
	html    string
	json    bool
}

func newHuntCmd() *cobra.Command {
	var f huntFlags
	cmd := &cobra.Command{
		Use: "hunt [flags] -- COMMAND [ARGUMENT...]", Short: "Find and prove worthwhile changes, unattended",
		Long: huntLong, Example: huntExample, Args: cobra.ArbitraryArgs,
		RunE: f.run,
	}
	cmd.Flags().SetInterspersed(false)
	var g grouped
	g.add(cmd, "What to hunt", f.what)
	g.add(cmd, "How it is built and tested", f.built)
	g.add(cmd, "What decides", f.try.decides, f.try.compared, f.measured)
	g.add(cmd, "Output", f.output)
	g.use(cmd, "")
	return cmd
}

func (f *huntFlags) what(fl *pflag.FlagSet) {
	const usual = 30 * time.Minute
	r := &f.request
	fl.DurationVar(&r.Budget, "budget", usual, "time to spend, builds included")
	fl.StringVar(&r.Suite, "suite", "", "hunt all benchmarks of the `FILE` together, instead of a command")
	fl.StringVar(&r.Only, "only", "", "only the benchmarks whose name matches `REGEX`")
	fl.BoolVar(&r.Again, "again", false, "start again, and also measure changes that earlier hunts refuted")
	fl.StringArrayVar(&f.rules, "rules", nil, "know the catalogue entries in `DIR`, too (repeatable)")
}

func (f *huntFlags) built(fl *pflag.FlagSet) {
	r := &f.request
	o := &r.Build
	fl.StringVar(&o.Command, "build", "", "the `COMMAND` that builds the program, for the shell")
	fl.StringVarP(&r.BuildDir, "build-dir", "p", "", "`DIR` of the compile_commands.json, for findings in the source")
	fl.StringVar(&r.Check, "check", "", "the `COMMAND` that has to succeed with every change")
	fl.StringVar(&o.Root, "tree", ".", "the source `DIR`, which is copied; the current one has to be in it")
	fl.StringArrayVar(&o.Exclude, "exclude", nil, "do not copy what has this `NAME` or path (repeatable)")
	fl.StringArrayVar(&o.Train, "train", nil, "train PGO and BOLT with `COMMAND` (default: the measured one)")
	fl.DurationVar(&o.Timeout, "build-timeout", 0, "end a build that takes longer (default: never)")
	fl.BoolVar(&r.Apply, "apply", false, "write the patches that are proved into the source")
}

func (f *huntFlags) measured(fl *pflag.FlagSet) {
	fl.DurationVar(&f.request.Timeout, "timeout", 0, "end a run after this time (default: 10 times the first run, at least 1m)")
	fl.IntSliceVar(&f.request.Pin, "pin", nil, "run on these `CPUS` only, for example 1 or 2,3")
}

func (f *huntFlags) output(fl *pflag.FlagSet) {
	fl.StringVar(&f.html, "html", "", "also write a page to `FILE`")
	fl.BoolVar(&f.json, "json", false, "write the result as JSON (docs/hunt.schema.json)")
	fl.StringVar(&f.request.State, "state", "", "keep the hunt in `DIR` (default: below $XDG_STATE_HOME)")
}

func (f *huntFlags) run(cmd *cobra.Command, args []string) error {
	stop := endWithTerminal(cmd)
	defer stop()
	r := f.request
	r.Command, r.Env, r.Version = args, os.Environ(), version.String()
	r.Build.BoltProfile = rebuild.BoltAuto
	t := &f.try.terms
	r.Metric, r.Ignore, r.Outputs, r.IgnoreFailure = t.Metric, t.Ignore, t.Outputs, t.IgnoreFailure
	var err error
	if r.Rules, err = explain.LoadRules(f.rules...); err != nil {
		return err
	}
	release, err := f.input(cmd, &r)
	if err != nil {
		return err
	}
	defer release()
	progress := summary.NewProgress(cmd.ErrOrStderr())
	result, huntErr := hunt.Run(cmd.Context(), r, progress)
	progress.Clear()
	if result == nil {
		return exitOf(huntErr)
	}
	if err := f.print(cmd, result); err != nil {
		return err
	}
	if _, ok := errors.AsType[*hunt.InterruptedError](huntErr); ok {
		return &exitError{code: interrupted, err: huntErr}
	}
	return exitOf(huntErr)
}

// input finds the standard input, which every run gets: a file that is still there
// when the hunt goes on later.
func (f *huntFlags) input(cmd *cobra.Command, r *hunt.Request) (release func(), err error) {
	path, release, err := run.Spool(cmd.Context(), os.Stdin, func() {
		sayLine(cmd.ErrOrStderr(), "reading standard input to its end, to give it to every run (</dev/null gives none)")
	})
	if err != nil || path == "" {
		return release, err
	}
	if info, err := os.Stat(path); err == nil && info.Size() == 0 {
		return release, nil
	}
	name, err := os.Readlink(path)
	if err != nil {
		name = path
	}
	if _, err := os.Stat(name); err != nil {
		release()
		return func() {}, errors.New("a hunt reads its standard input many times, also after an interruption: give it from a file, as in whyhot hunt ... <input")
	}
	if r.Stdin, err = filepath.Abs(name); err != nil {
		release()
		return func() {}, err
	}
	return release, nil
}

func (f *huntFlags) print(cmd *cobra.Command, r *hunt.Result) error {
	if f.html != "" {
		if err := wholefile.Write(f.html, 0o644, func(w *os.File) error { return summary.Page(w, r) }); err != nil {
			return fmt.Errorf("writing %s: %w", f.html, err)
		}
	}
	if f.json {
		return writeJSON(cmd.OutOrStdout(), r)
	}
	p := term.New(cmd.OutOrStdout(), os.Environ())
	summary.Print(p, r)
	return p.Err()
}
