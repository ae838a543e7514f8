package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"whyhot/internal/report/quantity"
	"whyhot/internal/trial"
	"whyhot/internal/trial/experiment"
	"whyhot/internal/trial/rebuild/cache"
)

const tryLong = `Run a command unchanged (the baseline) and in variants, in random, interleaved
order, and report which variants are faster, with a 95% interval. A variant whose
output differs is never called faster. Every run gets the same standard input.`

const tryExample = `  whyhot try --preload mimalloc,jemalloc,tcmalloc -- jq .id big.json
  whyhot try --load 'wrk -d2 http://127.0.0.1:8080/' --env GOGC=400 -- ./server`

const tryBuildLong = `Build the program in copies of its tree, as it is and in variants, by your own
build command, and try them against each other as ` + "`whyhot try`" + ` does. The tree itself
is not touched.`

const tryBuildExample = `  whyhot try build --build 'make -j2' --run './bench input' --pgo --lto
  whyhot try build --build make --run ./bench --what-if src/split.cpp:42 -p build
  whyhot try build --build make --run ./bench --fix ID --check 'make check'`

const trySuiteLong = `Try every benchmark of a file (docs/guide/try-suite.md), "-" for the standard
input, and sum them up: the worst, the geometric mean and the best.`

const trySuiteExample = `  whyhot try suite bench.yaml --preload mimalloc --html result.html
  whyhot try suite bench/suite.yaml --build make --lto`

const tryAgainLong = `Repeat a trial with its own flags, in its directory, in a new order, and say what
has changed since and whether the result holds; with --more, add rounds to those
that it has. ID is an id, its beginning or its end, or "last".`

// tryFamily is what the commands have in common.
type tryFamily struct {
	lookup tryLookup
	kept   archived
}

func newTryCmd(lookup tryLookup) *cobra.Command {
	return (&tryFamily{lookup: lookup, kept: archived{arguments: typed()}}).command()
}

// command is `whyhot try` and its subcommands.
func (t *tryFamily) command() *cobra.Command {
	f := tryFlags{family: t}
	cmd := &cobra.Command{
		Use: "try [flags] -- COMMAND [ARGUMENT...]", Short: "Prove by interleaved runs whether a change is worth it",
		Long: tryLong, Example: tryExample, Args: cobra.ArbitraryArgs,
		RunE: f.one,
	}
	// What stands behind the command's name is the command's own.
	cmd.Flags().SetInterspersed(false)
	var h grouped
	h.add(cmd, "What to try", f.variants, f.subject)
	h.more(cmd, f.server, f.knows, f.order)
	h.add(cmd, "What decides", f.decides, f.compared)
	h.add(cmd, "How long", f.schedule)
	h.add(cmd, "Output", f.gate, f.output)
	h.subs = []*cobra.Command{t.build(), t.suite(), t.again(), t.list(), t.clean()}
	h.use(cmd, "Also: --to URL (with --project, --token-file, --ca), --rules DIR, --report FILE, --seed N.")
	cmd.AddCommand(h.subs...)
	cmd.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return t.elsewhere(cmd, err) })
	return cmd
}

// elsewhere says of a flag that `whyhot try` does not have which of its commands has it.
func (t *tryFamily) elsewhere(try *cobra.Command, err error) error {
	unknown, ok := errors.AsType[*pflag.NotExistError](err)
	if !ok {
		return err
	}
	for _, sub := range []*cobra.Command{t.build(), t.suite()} {
		if sub.Flags().Lookup(unknown.GetSpecifiedName()) != nil && try.Flags().Lookup(unknown.GetSpecifiedName()) == nil {
			return fmt.Errorf("whyhot try has no --%s: it is a flag of whyhot try %s", unknown.GetSpecifiedName(), sub.Name())
		}
	}
	return err
}

func (t *tryFamily) build() *cobra.Command {
	f := tryFlags{family: t}
	cmd := &cobra.Command{
		Use: "build --build COMMAND [flags] --run COMMAND | -- COMMAND [ARGUMENT...]", Short: "Try builds: flags, LTO, PGO, BOLT, patches, fixes, what-if",
		Long: tryBuildLong, Example: tryBuildExample, Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			if f.build.Command == "" {
				return errors.New("no build command: give one with --build, for example whyhot try build --build 'make -j2' --run './bench input' --lto")
			}
			return f.one(cmd, args)
		},
	}
	cmd.Flags().SetInterspersed(false)
	var h grouped
	h.add(cmd, "How it is built", f.builds)
	h.add(cmd, "What to try", f.buildVariants)
	h.add(cmd, "How it learns, and what checks it", f.builder)
	h.more(cmd, f.gate, f.variants, f.subject, f.server, f.knows, f.decides, f.compared, f.schedule, f.order, f.output)
	h.use(cmd, "All flags of `whyhot try` are taken, too: --preload, --env, --metric, --runs, --json, ...")
	return cmd
}

func (t *tryFamily) suite() *cobra.Command {
	f := tryFlags{family: t}
	cmd := &cobra.Command{
		Use: "suite FILE [flags]", Short: "Try a suite of benchmarks from a file",
		Long: trySuiteLong, Example: trySuiteExample, Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error { return f.ofSuite(cmd, args[0], args[1:]) },
	}
	var h grouped
	h.add(cmd, "What to try", f.suites, f.variants)
	h.add(cmd, "What decides", f.decides, f.compared)
	h.add(cmd, "How long", f.schedule)
	h.add(cmd, "Output", f.pictures, f.gate, f.output)
	h.more(cmd, f.builds, f.buildVariants, f.builder, f.order)
	h.use(cmd, "The flags of `whyhot try build` are taken, too; the file then has to lie in the tree.")
	return cmd
}

func (t *tryFamily) again() *cobra.Command {
	f := tryFlags{family: t}
	cmd := &cobra.Command{
		Use: "again ID", Short: "Repeat an earlier trial", Long: tryAgainLong,
		Example: "  whyhot try again last\n  whyhot try again last --more 5m", Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error { return f.repeat(cmd, args[0]) },
	}
	var h grouped
	h.add(cmd, "Flags", f.onward, f.output)
	h.use(cmd, "")
	return cmd
}

func (t *tryFamily) list() *cobra.Command {
	f := tryFlags{family: t}
	cmd := &cobra.Command{
		Use: "list", Short: "List trials, newest first", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return f.listTrials(cmd) },
	}
	var h grouped
	h.add(cmd, "Flags", f.output)
	h.use(cmd, "")
	return cmd
}

func (t *tryFamily) clean() *cobra.Command {
	cmd := &cobra.Command{
		Use: "clean", Short: "Remove builds kept by earlier trials", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			kept := cache.Open(os.Getenv)
			if kept == nil {
				return errors.New("no builds are kept: neither XDG_CACHE_HOME nor HOME is set")
			}
			n, bytes, err := kept.Clear()
			sayLine(cmd.OutOrStdout(), fmt.Sprintf("%d kept builds removed, %s", n, quantity.Bytes(float64(bytes))))
			return err
		},
	}
	var h grouped
	h.use(cmd, "")
	return cmd
}

// one tries one command.
func (f *tryFlags) one(cmd *cobra.Command, args []string) error {
	return f.gated(func(gate *trial.FailIf) error { return f.oneOf(cmd, args, gate) })
}

func (f *tryFlags) oneOf(cmd *cobra.Command, args []string, gate *trial.FailIf) error {
	stop := endWithTerminal(cmd)
	defer stop()
	deliver, err := f.delivery(cmd)
	if err != nil {
		return err
	}
	request := f.request(cmd, args)
	result, err := show(cmd, func(ctx context.Context, l experiment.Listener) (*experiment.Result, error) {
		return experiment.Run(ctx, request, l)
	})
	if result == nil {
		return exitOf(err)
	}
	if gate != nil {
		result.Outcome.FailIf(gate)
	}
	if err := f.print(cmd, result.Outcome); err != nil {
		return err
	}
	errOut := cmd.ErrOrStderr()
	f.keep(result.Record, errOut)
	said, keepErr := result.KeepBeside()
	if keepErr != nil {
		return keepErr
	}
	sayLine(errOut, said)
	if deliver != nil {
		if err := deliver(result); err != nil {
			return err
		}
	}
	if err == nil {
		err = experiment.Ending(result.Outcome)
	}
	return exitOf(err)
}

// cannotTell is the exit code of a trial with --fail-if that does not say whether the
// condition holds; 1 is that of one where it does.
const cannotTell = 2

// gated makes a trial and turns the condition of --fail-if, nil for none, into its
// exit code.
func (f *tryFlags) gated(try func(*trial.FailIf) error) error { return gatedBy(f.failIf, try) }

// gatedBy is that for a condition, "" for none.
func gatedBy(condition string, try func(*trial.FailIf) error) error {
	if condition == "" {
		return try(nil)
	}
	gate, err := trial.ParseFailIf(condition)
	if err != nil {
		return &exitError{code: cannotTell, err: err}
	}
	err = try(gate)
	if _, coded := errors.AsType[*exitError](err); err != nil && !coded {
		return &exitError{code: cannotTell, err: err}
	}
	if err == nil && gate.Holds {
		return gate
	}
	return err
}

// endWithTerminal has a closed terminal end the trial as Ctrl-C does, except
// under nohup.
func endWithTerminal(cmd *cobra.Command) (stop func()) {
	if signal.Ignored(syscall.SIGHUP) {
		return func() {}
	}
	ctx, stop := signal.NotifyContext(cmd.Context(), syscall.SIGHUP)
	cmd.SetContext(ctx)
	return stop
}

// exitOf gives an interruption its exit code.
func exitOf(err error) error {
	if _, ok := errors.AsType[*experiment.InterruptedError](err); ok {
		return &exitError{code: interrupted, err: err}
	}
	return stopped(err)
}
