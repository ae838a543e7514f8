package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"whyhot/internal/check"
	"whyhot/internal/explain"
	"whyhot/internal/finding/percent"
	"whyhot/internal/report/checktext"
	"whyhot/internal/report/term"
	"whyhot/internal/report/trials"
	"whyhot/internal/trial"
	"whyhot/internal/trial/referee"
	"whyhot/internal/trial/statement"
	"whyhot/internal/trial/suite"
)

const checkLong = `Check whether a change makes a program slower: build the base and the change, run
them interleaved, and stop when the verdict is known or the budget is spent. It needs
no stored history and no machine of its own.

  slower       by more than the limit                               exit 1
  not slower   by more than the bound that was reached              exit 0
  undecided    reports how many more minutes it needs               exit 0, with --strict 3
  identical    the change alters nothing that runs                  exit 0
  no verdict   wrong flags, a failing build, test or command        exit 2
  with --same-output, the output differs (and it is not slower)     exit 4

At most 1% of checks say "slower" falsely, over all commands and however often whyhot
looks at the numbers. If the change is slower, whyhot records both sides and reports the
functions that take more CPU time, with findings on the changed lines.`

const checkExample = `  whyhot check --base origin/main --build 'make -j2' -- ./bench input.json
  whyhot check --base origin/main -- python3 bench.py
  whyhot check --base origin/main --build 'go build -o app .' --limit 1% --suite bench.yaml
  whyhot check --base origin/main -p build --profile production.pb.gz
  whyhot check --base origin/main --profile production.pb.gz -- node bench.js   # a raised version`

// The exit codes of a check.
const (
	checkSlower    = 1
	checkNoVerdict = 2
	checkUndecided = 3
	checkDiffers   = 4
)

type checkFlags struct {
	request check.Request
	limit   string
	metric  string
	suite   string
	profile string
	service string
	proof   string
	key     string
	rules   []string
	seed    uint64
	strict  bool
	same    bool
	json    bool
	reports checkReports
	load    loadFlags
}

func newCheckCmd() *cobra.Command {
	var f checkFlags
	cmd := &cobra.Command{
		Use: "check --base REV [flags] -- COMMAND [ARGUMENT...]", Short: "Gate a change: is it slower, by how much, and why",
		Long: checkLong, Example: checkExample, Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			err := f.run(cmd, args)
			if _, coded := errors.AsType[*exitError](err); err == nil || coded {
				return err
			}
			if errors.Is(err, context.Canceled) {
				return &exitError{code: interrupted, err: errors.New("interrupted: no verdict")}
			}
			return &exitError{code: checkNoVerdict, err: err}
		},
	}
	cmd.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return &exitError{code: checkNoVerdict, err: err} })
	cmd.Flags().SetInterspersed(false)
	var h grouped
	h.add(cmd, "What is compared", f.compared)
	h.add(cmd, "How it is built and run", f.built)
	h.add(cmd, "What decides", f.decides)
	h.add(cmd, "Why it is slower", f.why)
	h.add(cmd, "Output", f.output)
	h.use(cmd, "docs/guide/check.md has the method, recipes and what the verdicts mean.")
	return cmd
}

func (f *checkFlags) compared(fl *pflag.FlagSet) {
	r := &f.request
	fl.StringVar(&r.Base, "base", "", "compare with the commit where the change branched off `REV`")
	fl.StringVar(&r.Head, "head", "", "the changed `REV` (default: the working tree)")
	fl.BoolVar(&r.Exact, "exact", false, "compare with REV itself, not with where the change branched off")
	fl.StringVar(&f.proof, "proof", "", "show and verify the signed record of a trial of the change in `FILE`")
	fl.StringVar(&f.key, "key", "", "public key of its author in `FILE` (default: your own)")
}

func (f *checkFlags) built(fl *pflag.FlagSet) {
	r := &f.request
	fl.StringVar(&r.Build, "build", "", "shell `COMMAND` that builds the program")
	fl.StringVar(&r.Test, "test", "", "shell `COMMAND` that tests the changed program")
	fl.StringVar(&f.suite, "suite", "", "measure the benchmarks of `FILE` instead of one command (docs/guide/try-suite.md)")
	fl.StringVar(&r.Stdin, "stdin", "", "give the command this `FILE` as standard input")
	fl.StringArrayVar(&r.Share, "share", nil, "give both sides this `PATH` of the working tree that git does not have (repeatable)")
	fl.StringVar(&r.Work, "work", "", "build and run in `DIR` (default: the system's temporary one)")
	fl.BoolVar(&r.IgnoreFailure, "ignore-failure", false, "also measure a command that exits with a status other than 0")
	fl.BoolVar(&r.OneAtATime, "one-at-a-time", false, "run the sides one after the other (default: in turns of 20 ms)")
	fl.BoolVar(&r.Always, "always-run", false, "run the programs even if they are identical")
}

func (f *checkFlags) decides(fl *pflag.FlagSet) {
	fl.StringVar(&f.limit, "limit", "2%", "how much slower a change may be: at most `SHARE`")
	fl.DurationVar(&f.request.Budget, "budget", 5*time.Minute, "at most this `TIME` for runs; builds come on top")
	fl.StringVar(&f.metric, "metric", string(trial.CPU), "what to compare: `METRIC` is cpu, wall, instructions, memory or faults")
	fl.BoolVar(&f.strict, "strict", false, "exit with 3 if the verdict is undecided")
	fl.BoolVar(&f.same, "same-output", false, "exit with 4 if the output of the change differs from the base's")
	fl.Uint64Var(&f.seed, "seed", 1, "number `N` that the order of the runs comes from")
}

func (f *checkFlags) why(fl *pflag.FlagSet) {
	fl.StringVar(&f.profile, "profile", "", "production profile in `FILE`: omit findings on code that is cold there")
	fl.StringVar(&f.service, "service", "", "`NAME` of the service that the profile comes from")
	fl.StringVarP(&f.request.BuildDir, "build-dir", "p", "", "also judge the source of changed lines: build `DIR` with a compile_commands.json")
	fl.StringArrayVar(&f.rules, "rules", nil, "also use the catalogue entries in `DIR` (repeatable)")
	fl.BoolVar(&f.request.NoWhy, "no-why", false, "do not record why it is slower")
}

func (f *checkFlags) output(fl *pflag.FlagSet) {
	fl.BoolVar(&f.json, "json", false, "write the result as JSON (docs/check.schema.json)")
	f.reports.add(fl)
}

func (f *checkFlags) run(cmd *cobra.Command, args []string) error {
	if err := f.complete(cmd, args); err != nil {
		return err
	}
	if _, err := f.reports.check(); err != nil {
		return err
	}
	stop := endWithTerminal(cmd)
	defer stop()
	progress := &checkProgress{Progress: trials.NewProgress(cmd.ErrOrStderr()), cmd: cmd}
	result, err := check.Run(cmd.Context(), f.request, progress)
	progress.Clear()
	if err != nil {
		return err
	}
	if err := f.reports.write(&result); err != nil {
		return err
	}
	if f.json {
		if err := writeJSON(cmd.OutOrStdout(), result); err != nil {
			return err
		}
	} else {
		p := term.New(cmd.OutOrStdout(), os.Environ())
		checktext.Print(p, &result)
		if err := p.Err(); err != nil {
			return err
		}
	}
	return f.exit(&result)
}

// exit is the exit code of a verdict.
func (f *checkFlags) exit(r *check.Result) error {
	switch {
	case r.Verdict == check.Slower:
		return &exitError{code: checkSlower, err: fmt.Errorf("slower than %s by more than %s", r.Base, percent.Text(r.Limit))}
	case f.same && r.Different() != "":
		return &exitError{code: checkDiffers, err: fmt.Errorf("the output differs from that of %s (--same-output): %s", r.Base, r.Different())}
	case r.Verdict == check.Undecided && f.strict && len(r.Commands) > 0:
		return &exitError{code: checkUndecided, err: errors.New("undecided (--strict)")}
	}
	return nil
}

// complete turns the flags into a request.
func (f *checkFlags) complete(cmd *cobra.Command, args []string) (err error) {
	r := &f.request
	r.Directory, r.Command, r.Env, r.Service, r.Seed = ".", args, os.Environ(), f.service, f.seed
	if r.Limit, err = parseShare(f.limit); err != nil {
		return fmt.Errorf("invalid --limit %q: %w", f.limit, err)
	}
	if r.Metric, err = trial.ParseMetric(f.metric); err != nil {
		return fmt.Errorf("--metric: %w", err)
	}
	if r.Metric == trial.Number {
		return errors.New("--metric number: a check decides by cpu, wall, instructions, memory or faults")
	}
	if f.suite != "" {
		if r.Suite, err = suite.Load(f.suite, cmd.InOrStdin()); err != nil {
			return err
		}
	}
	if r.Rules, err = explain.LoadRules(f.rules...); err != nil {
		return err
	}
	if f.profile != "" {
		if r.Profile, err = loadProfile(cmd, f.profile, f.load); err != nil {
			return err
		}
	}
	if f.proof != "" {
		if r.Proof, err = f.readProof(cmd.Context()); err != nil {
			return fmt.Errorf("--proof: %w", err)
		}
	}
	r.Repeat = append([]string{programName}, withoutReports(os.Args[1:])...)
	return nil
}

// parseShare reads 2%, 0.5% or 0.02. A bare 2 may mean either, and a limit of 200% would
// never be reached.
func parseShare(text string) (float64, error) {
	number, percents := strings.CutSuffix(strings.TrimSpace(text), "%")
	v, err := strconv.ParseFloat(strings.TrimSpace(number), 64)
	if err != nil || v < 0 {
		return 0, errors.New("must be a share such as 2% or 0.02")
	}
	switch {
	case percents:
		const whole = 100
		v /= whole
	case v >= 1:
		return 0, fmt.Errorf("write %s%% if you mean per cent", number)
	}
	return v, nil
}

// readProof verifies a statement.
func (f *checkFlags) readProof(ctx context.Context) (*check.Proof, error) {
	v := verifyFlags{key: f.key}
	key, err := v.publicKey()
	if err != nil {
		return nil, err
	}
	s, err := statement.Read(f.proof, key)
	if err != nil {
		return nil, err
	}
	t := &s.Predicate
	sum, err := referee.Sum(ctx, ".")
	if err != nil {
		return nil, err
	}
	if sum != s.Tree(statement.Changed) {
		return nil, fmt.Errorf("%s is about another tree: its hash is %.16s, that of the current directory %.16s", f.proof, s.Tree(statement.Changed), sum)
	}
	p := &check.Proof{
		Verdict: t.Verdict, Ratio: t.Ratio, Signer: statement.KeyID(key), Command: t.Workload,
		Repeat: []string{programName, "verify", f.proof, "--repeat", "--baseline", "DIR"},
	}
	p.Says = t.Verdict
	if i := t.Ratio; i != nil {
		p.Says = fmt.Sprintf("%s %.2f× (%.2f–%.2f)", t.Verdict, i.Estimate, i.Low, i.High)
	}
	return p, nil
}

// checkProgress shows how far a check is.
type checkProgress struct {
	*trials.Progress

	cmd *cobra.Command
}

// Step says what begins.
func (p *checkProgress) Step(text string) {
	p.Clear()
	sayLine(p.cmd.ErrOrStderr(), "whyhot: "+text)
}
