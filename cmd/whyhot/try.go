package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/signal"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"whyhot/internal/finding"
	"whyhot/internal/preload"
	"whyhot/internal/report/term"
	"whyhot/internal/report/trials"
	"whyhot/internal/trial"
	"whyhot/internal/trial/ledger"
	"whyhot/internal/trial/noise"
	"whyhot/internal/trial/run"
	"whyhot/internal/trial/variant"
)

const tryLong = `Run a command as it is and in variants, in turn and in random order, and say
whether a variant pays: the ratio of the median run times with a 95% interval.

Outputs are compared: a variant whose standard output, exit status or --output
file differs from the baseline's is never called faster. Standard input that is
a file or a pipe is given to every run anew. The trial stops when more runs
would not change the answer, or when the budget is spent.`

const tryExample = `  whyhot try --preload mimalloc,jemalloc,tcmalloc -- jq .id big.json
  whyhot try --env GOGC=400 --metric memory -- ./server --once
  whyhot try --versus 'orjson=python3 app_orjson.py' -- python3 app.py
  whyhot try --profile cpu.pb.gz --finding ID`

// tryTarget is what a profile and one of its findings say about a trial: the
// recorded command, and the libraries to preload or the variables to set that the
// finding proposes.
type tryTarget struct {
	Command []string
	Preload []string
	Env     []string // NAME=VALUE
}

// tryLookup reads a profile. With an empty finding id it gives the command only;
// a finding that the profile does not have is an error.
type tryLookup func(ctx context.Context, profile, findingID string) (tryTarget, error)

// tryFlags are the flags as they are typed.
type tryFlags struct {
	preload, env     []string
	versus           []string
	profile, finding string
	metric           string
	budgetGiven      bool
	seedGiven        bool
	json             bool
	plan             trial.Plan
}

func newTryCmd(lookup tryLookup) *cobra.Command {
	var f tryFlags
	cmd := &cobra.Command{
		Use:     "try [flags] -- COMMAND [ARGUMENT...]",
		Short:   "Prove by interleaved runs whether a change pays",
		Long:    tryLong,
		Example: tryExample,
		RunE: func(cmd *cobra.Command, args []string) error {
			f.budgetGiven = cmd.Flags().Changed("budget")
			f.seedGiven = cmd.Flags().Changed("seed")
			return runTry(cmd, &f, args, lookup)
		},
	}
	flags := cmd.Flags()
	// What stands behind the command's name is the command's own.
	flags.SetInterspersed(false)
	flags.StringSliceVar(&f.preload, "preload", nil, "variants that preload a library each: "+strings.Join(preload.Names(), ", ")+", or the path of a .so")
	flags.StringArrayVar(&f.env, "env", nil, "a variant with NAME=VALUE in its environment; several names make one variant, a name given again begins the next")
	flags.StringArrayVar(&f.versus, "versus", nil, "a variant that is another command line, NAME='COMMAND ...' (several: repeat it)")
	flags.StringVar(&f.profile, "profile", "", "profile that --finding is in; its recorded command is tried unless one is given")
	flags.StringVar(&f.finding, "finding", "", "finding to prove or refute (whyhot explain lists them)")
	flags.StringVar(&f.metric, "metric", string(trial.Wall), "what decides: "+metricNames())
	p := &f.plan
	const budget = 2 * time.Minute
	flags.DurationVar(&p.Budget, "budget", budget, "time to spend; unless given, a verdict may take longer with long commands")
	flags.IntVar(&p.Rounds, "runs", 0, "measure exactly so many runs of each (default: until the answer is clear)")
	flags.IntVar(&p.MinRounds, "min-runs", 0, "measure at least so many runs of each, even over the budget")
	flags.IntVar(&p.WarmUps, "warm-up", 1, "runs of each that are not measured, at least 1")
	flags.StringArrayVar(&p.Outputs, "output", nil, "file that the command writes and that must be the same (several: repeat it)")
	flags.DurationVar(&p.Timeout, "timeout", 0, "end a run after this time (default: 10 times the first run, at least 1m)")
	flags.IntSliceVar(&p.Pin, "pin", nil, "run on these CPUs only, for example 1 or 2,3")
	flags.Uint64Var(&p.Seed, "seed", 0, "repeat the order of an earlier trial (default: random, recorded)")
	flags.BoolVar(&p.IgnoreFailure, "ignore-failure", false, "measure a command that exits with a status other than 0")
	flags.BoolVar(&f.json, "json", false, "write the outcome as JSON (docs/trial.schema.json)")
	return cmd
}

func metricNames() string {
	names := make([]string, 0, len(trial.Metrics()))
	for _, m := range trial.Metrics() {
		names = append(names, string(m))
	}
	return strings.Join(names, ", ")
}

func runTry(cmd *cobra.Command, f *tryFlags, args []string, lookup tryLookup) error {
	ctx := cmd.Context()
	// A closed terminal ends the trial as Ctrl-C does, except under nohup.
	if !signal.Ignored(syscall.SIGHUP) {
		var stop context.CancelFunc
		ctx, stop = signal.NotifyContext(ctx, syscall.SIGHUP)
		defer stop()
	}
	if err := f.complete(ctx, args, lookup, cmd.ErrOrStderr()); err != nil {
		return err
	}
	runner, err := run.New()
	if err != nil {
		return err
	}
	defer runner.Close()
	errOut := cmd.ErrOrStderr()
	stdin, release, err := run.Spool(ctx, os.Stdin, func() {
		_, _ = fmt.Fprintln(errOut, "reading standard input to its end, to give it to every run (</dev/null gives none)")
	})
	if err != nil {
		return err
	}
	defer release()
	f.plan.Stdin = stdin
	outcome, tryErr := measureTry(ctx, f, runner, errOut)
	if outcome == nil {
		return explainTryError(tryErr, f.plan.Command)
	}
	if err := f.print(cmd, outcome); err != nil {
		return err
	}
	if err := f.attach(outcome, errOut); err != nil {
		return err
	}
	switch {
	case tryErr != nil:
		return explainTryError(tryErr, f.plan.Command)
	case outcome.Stopped == trial.StopInterrupted:
		return &exitError{code: 128 + int(syscall.SIGINT), err: errors.New("interrupted: the numbers above are what was measured until then")}
	case outcome.Rounds == 0:
		return errors.New("nothing was measured: no variant could be compared with the baseline")
	}
	return nil
}

// complete turns the flags into a plan.
func (f *tryFlags) complete(ctx context.Context, args []string, lookup tryLookup, errOut io.Writer) error {
	p := &f.plan
	p.Command = args
	if err := f.fromProfile(ctx, lookup); err != nil {
		return err
	}
	if len(p.Command) == 0 {
		return errors.New("no command to try: put it behind --, as in: whyhot try --preload mimalloc -- COMMAND")
	}
	if err := f.checkNumbers(); err != nil {
		return err
	}
	metric, err := trial.ParseMetric(f.metric)
	if err != nil {
		return fmt.Errorf("--metric: %w", err)
	}
	p.Metric = metric
	found, missing := variant.Preloads(f.preload, preload.NewFinder())
	environments, err := variant.Environments(f.env)
	if err != nil {
		return err
	}
	commands, err := variant.Commands(f.versus)
	if err != nil {
		return err
	}
	p.Variants = slices.Concat(found, environments, commands)
	if len(p.Variants) == 0 {
		if len(missing) > 0 {
			return errors.Join(missing...)
		}
		return errors.New("nothing to try: name a variant, for example --preload mimalloc,jemalloc,tcmalloc, --env NAME=VALUE or --versus 'NAME=OTHER COMMAND'")
	}
	for _, err := range missing {
		_, _ = fmt.Fprintf(errOut, "left out: %v\n", err)
	}
	p.Env = os.Environ()
	p.HardBudget = f.budgetGiven
	if p.Rounds > 0 && !f.budgetGiven {
		p.Budget = 0
	}
	if !f.seedGiven {
		p.Seed = uint64(rand.Uint32()) //nolint:gosec // it orders runs and keeps no secret; 32 bits survive every JSON reader
	}
	return nil
}

func (f *tryFlags) checkNumbers() error {
	p := &f.plan
	switch {
	case p.Rounds < 0 || p.MinRounds < 0 || p.WarmUps < 1:
		return errors.New("--runs and --min-runs cannot be negative, and --warm-up is at least 1")
	case p.Budget < 0 || p.Timeout < 0 || f.budgetGiven && p.Budget == 0:
		return errors.New("--budget and --timeout are times above 0, for example 2m")
	}
	for _, c := range p.Pin {
		if c < 0 || c >= 1024 {
			return fmt.Errorf("--pin: there is no CPU %d", c)
		}
	}
	return nil
}

// fromProfile takes command and variants from a profile where they are not
// given.
func (f *tryFlags) fromProfile(ctx context.Context, lookup tryLookup) error {
	if f.finding != "" && f.profile == "" {
		return errors.New("--finding needs --profile: the file that the finding is in")
	}
	if f.profile == "" {
		return nil
	}
	target, err := lookup(ctx, f.profile, f.finding)
	if err != nil {
		return err
	}
	if len(f.plan.Command) == 0 {
		if len(target.Command) == 0 {
			return fmt.Errorf("%s does not say which command was recorded: put it behind --", f.profile)
		}
		f.plan.Command = target.Command
	}
	if len(f.preload) == 0 && len(f.env) == 0 && len(f.versus) == 0 {
		f.preload, f.env = target.Preload, target.Env
		if f.finding != "" && len(f.preload) == 0 && len(f.env) == 0 {
			return fmt.Errorf("finding %s proposes nothing that can be tried without a change to the program: make the change in a copy and name it, for example --versus 'changed=OTHER COMMAND'", f.finding)
		}
	}
	return nil
}

func measureTry(ctx context.Context, f *tryFlags, runner run.Runner, errOut io.Writer) (*trial.Outcome, error) {
	disturbed := noise.Start()
	used := &usage{Runner: runner}
	progress := newTryProgress(errOut, len(f.plan.Variants)+1)
	outcome, err := trial.Run(ctx, f.plan, used, trial.SystemClock{}, progress.report)
	progress.clear()
	if outcome != nil {
		outcome.Machine.CPUs = runtime.NumCPU()
		outcome.Machine.Model, outcome.Machine.Kernel = noise.Machine()
		advice := ""
		if outcome.Metric == trial.Wall {
			advice = "--metric cpu is less disturbed by that than wall time"
		}
		outcome.Notes = append(outcome.Notes, disturbed.Notes(used.cpu+ownCPU(), advice)...)
	}
	return outcome, err
}

// usage adds up what the measured commands took, to tell it from the rest of
// the machine.
type usage struct {
	run.Runner

	cpu time.Duration
}

// Run passes on and counts.
func (u *usage) Run(ctx context.Context, spec run.Spec) (*run.Result, error) {
	res, err := u.Runner.Run(ctx, spec)
	if res != nil {
		u.cpu += res.CPU()
	}
	return res, err
}

func ownCPU() time.Duration {
	var ru syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &ru); err != nil {
		return 0
	}
	return time.Duration(ru.Utime.Nano() + ru.Stime.Nano())
}

func (f *tryFlags) print(cmd *cobra.Command, o *trial.Outcome) error {
	if f.json {
		return writeJSON(cmd.OutOrStdout(), o)
	}
	p := term.New(cmd.OutOrStdout(), os.Environ())
	trials.Print(p, o)
	if best := bestVariant(o); best != nil {
		p.Hint("run it so", append(append([]string{"env"}, best.Changes...), o.Command...)...)
	}
	return p.Err()
}

// bestVariant is the fastest of those that pay, nil when none does.
func bestVariant(o *trial.Outcome) *trial.VariantArm {
	var best *trial.VariantArm
	ratio := 1.0
	for i := range o.Variants {
		v := &o.Variants[i]
		if r, ok := o.SpeedUp(v); ok && v.Verdict == trial.Faster && r.Estimate > ratio {
			best, ratio = v, r.Estimate
		}
	}
	return best
}

// attach keeps the outcome beside the profile and says what became of the
// finding.
func (f *tryFlags) attach(o *trial.Outcome, errOut io.Writer) error {
	if f.finding == "" {
		return nil
	}
	ts := o.Trials()
	if len(ts) == 0 {
		_, _ = fmt.Fprintf(errOut, "finding %s: nothing kept, since no variant was measured often enough\n", f.finding)
		return nil
	}
	if err := ledger.Append(f.profile, f.finding, ts); err != nil {
		return err
	}
	all, err := ledger.Load(f.profile)
	if err != nil {
		return err
	}
	text := "neither proved nor refuted yet"
	if c := ledger.Certainty(all[f.finding]); c == finding.Proved || c == finding.Refuted {
		text = string(c)
	}
	_, _ = fmt.Fprintf(errOut, "finding %s: %s; kept in %s\n", f.finding, text, ledger.Path(f.profile))
	return nil
}

// explainTryError adds what the user can do.
func explainTryError(err error, command []string) error {
	if code, ok := trial.IsBaselineFailure(err); ok {
		hint := ""
		if code == 1 {
			hint = "\n(--ignore-failure measures commands for which a status other than 0 is normal)"
		}
		return fmt.Errorf("%w%s", err, hint)
	}
	if start, ok := errors.AsType[*run.StartError](err); ok && len(command) == 1 && strings.ContainsAny(command[0], " |>;") {
		return fmt.Errorf("%w\n(give the arguments one by one, or a shell: -- sh -c %s)", start, term.Quote(command[0]))
	}
	if errors.Is(err, context.Canceled) {
		return &exitError{code: 128 + int(syscall.SIGINT), err: errors.New("interrupted before anything was measured")}
	}
	return err
}
