package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"whyhot/internal/host/allocator"
	"whyhot/internal/trial"
	"whyhot/internal/trial/run"
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
  whyhot try --build 'make -j2' --run './bench input' --pgo --lto
  whyhot try --suite bench.yaml --preload mimalloc --html result.html
  whyhot try --read before.json after.json
  whyhot try --again last
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
type tryLookup func(ctx context.Context, profile, findingID string, rules []string) (tryTarget, error)

// tryFlags are the flags as they are typed.
type tryFlags struct {
	preload, env     []string
	versus           []string
	profile, finding string
	metric           metricFlags
	build            buildFlags
	whatIf           whatIfFlags
	fix              fixTryFlags
	ignore           []string
	rules            []string
	suite            suiteFlags
	archive          archiveFlags
	layouts          int      // of both sides where a built variant's gain is small
	built            []string // notes of the builds
	budgetGiven      bool
	seedGiven        bool
	json             bool
	plan             trial.Plan
}

func newTryCmd(lookup tryLookup) *cobra.Command {
	return newTryCmdOf(lookup, &archiveFlags{arguments: typed()})
}

// newTryCmdOf is the command for the arguments that kept says were typed.
func newTryCmdOf(lookup tryLookup, kept *archiveFlags) *cobra.Command {
	f := tryFlags{archive: *kept}
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
	flags.StringSliceVar(&f.preload, "preload", nil, "variants that preload a library each: "+strings.Join(allocator.Names(), ", ")+", or the path of a .so")
	flags.StringArrayVar(&f.env, "env", nil, "a variant with NAME=VALUE in its environment; several names make one variant, a name given again begins the next")
	flags.StringArrayVar(&f.versus, "versus", nil, "a variant that is another command line, NAME='COMMAND ...' (several: repeat it)")
	flags.StringVar(&f.profile, "profile", "", "profile that --finding is in; its recorded command is tried unless one is given")
	flags.StringArrayVar(&f.rules, "rules", nil, "look for the finding among those of the catalogue entries in `DIR`, too (repeatable)")
	flags.StringVar(&f.finding, "finding", "", "finding to prove or refute (whyhot explain lists them)")
	f.build.register(cmd)
	f.whatIf.register(cmd)
	f.fix.register(cmd)
	f.metric.register(cmd)
	flags.StringArrayVar(&f.ignore, "ignore", nil, "regular expression of what is not compared in lines of output, such as dates (several: repeat it)")
	f.suite.register(cmd)
	f.archive.register(cmd)
	f.registerLayouts(cmd)
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
	flags.BoolVar(&f.json, "json", false, "write the outcome as JSON (docs/trial.schema.json, with --suite and --read docs/suite.schema.json)")
	return cmd
}

func runTry(cmd *cobra.Command, f *tryFlags, args []string, lookup tryLookup) error {
	ctx := cmd.Context()
	// A closed terminal ends the trial as Ctrl-C does, except under nohup.
	if !signal.Ignored(syscall.SIGHUP) {
		var stop context.CancelFunc
		ctx, stop = signal.NotifyContext(ctx, syscall.SIGHUP)
		defer stop()
	}
	switch {
	case f.archive.list:
		return f.listTrials(cmd)
	case f.archive.again != "":
		return f.repeat(ctx, cmd, args, lookup)
	case len(f.suite.read) > 0:
		return f.readResults(cmd, args)
	case f.suite.file != "" && f.whatIf.asked():
		return errors.New("--what-if measures one command: give it with --run instead of --suite")
	case f.suite.file != "":
		return f.runSuite(ctx, cmd, args)
	}
	defer f.whatIf.close()
	defer f.fix.close()
	if err := f.fix.makePatches(cmd, f); err != nil {
		return err
	}
	if err := f.whatIf.makeWorlds(cmd, &f.build); err != nil {
		return err
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
	if f.plan.Stdin, err = f.archive.standardInput(stdin); err != nil {
		return err
	}
	unbuilt := f.plan
	unbuilt.Variants = slices.Clone(f.plan.Variants)
	if f.build.asked() {
		workshop, err := f.prepare(ctx, errOut)
		if err != nil {
			return err
		}
		defer closeWorkshop(workshop, f.build.o.Keep, errOut)
		f.built = workshop.Notes
		if err := f.whatIf.check(f.plan.Variants); err != nil {
			return err
		}
		if err := f.fix.test(ctx, f.plan.Variants, errOut); err != nil {
			return err
		}
	}
	outcome, tryErr := measureTry(ctx, f, runner, errOut)
	if outcome == nil {
		return explainTryError(tryErr, f.plan.Command)
	}
	if f.build.asked() && tryErr == nil {
		if err := f.layOut(ctx, unbuilt, outcome, runner, errOut); err != nil {
			outcome.Notes = append(outcome.Notes, fmt.Sprintf("the layouts could not be tried, so that small differences hold for one layout only: %v", err))
		}
	}
	outcome.Notes = append(outcome.Notes, f.whatIf.notes(outcome)...)
	if err := f.print(cmd, outcome); err != nil {
		return err
	}
	f.keep(f.recordOf(outcome), errOut)
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
