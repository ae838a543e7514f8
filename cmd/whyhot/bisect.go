package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/signal"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"whyhot/internal/bisect"
	"whyhot/internal/bisect/history"
	"whyhot/internal/report/bisecttext"
	"whyhot/internal/report/term"
	"whyhot/internal/trial"
	"whyhot/internal/trial/run"
)

const bisectLong = `Finds the commit that made a command slower, or faster with --faster, with as few
builds and runs as the noise allows. It measures commits interleaved with GOOD,
keeps a probability for each, and chooses what tells most for its time: another
commit, or more runs of one that it has. Commits that cannot be built, fail
--test or do not run are skipped.

Your working tree is not touched: commits are built in clones elsewhere, which are
removed at the end. After an interruption or a budget that was too short, the same
command goes on.

Exit status: 0 found, 1 error, 3 GOOD and BAD do not differ by --limit,
4 not decided within --budget, 130 interrupted.`

const bisectExample = `  whyhot bisect v1.4..HEAD --build 'make -j2' -- ./bench input
  whyhot bisect v1.4..HEAD --build make --test 'make check' --limit 3% --budget 1h -- ./bench
  whyhot bisect main~50..main --faster -- python3 -m tool big.csv`

// Exit codes of bisect beside success and errors.
const (
	noDifference = 3
	notDecided   = 4
)

type bisectFlags struct {
	request bisect.Request
	limit   shareValue
	faster  bool
	json    bool
}

func newBisectCmd() *cobra.Command {
	const usual = 0.05
	f := bisectFlags{limit: usual}
	cmd := &cobra.Command{
		Use: "bisect GOOD..BAD [flags] -- COMMAND [ARGUMENT...]", Short: "Find the commit that made a command slower",
		Long: bisectLong, Example: bisectExample,
		Args: func(cmd *cobra.Command, args []string) error {
			if at := cmd.ArgsLenAtDash(); len(args) == 0 || at > 1 || at == 0 {
				return errors.New("give one range GOOD..BAD, and the command after --")
			}
			return nil
		},
		RunE: f.run,
	}
	var g grouped
	g.add(cmd, "Building", f.builds)
	g.add(cmd, "Measuring", f.measures)
	g.add(cmd, "Searching", f.searches)
	g.use(cmd, "")
	return cmd
}

func (f *bisectFlags) builds(fl *pflag.FlagSet) {
	r := &f.request
	fl.StringVar(&r.Build, "build", "", "the `COMMAND` that builds a commit, for the shell (default: nothing is built)")
	fl.StringVar(&r.Test, "test", "", "skip commits for which `COMMAND` fails, for the shell")
	fl.DurationVar(&r.BuildTimeout, "build-timeout", 0, "skip commits whose build or test takes longer (default: the budget)")
	fl.StringArrayVar(&r.Paths, "path", nil, "only commits that change `PATH`, of the repository's root (repeatable)")
	fl.BoolVar(&r.All, "all-parents", false, "also commits that came by merges (default: first parents only)")
	fl.BoolVar(&r.Keep, "keep", false, "leave the builds")
}

func (f *bisectFlags) measures(fl *pflag.FlagSet) {
	r := &f.request
	names := make([]string, 0, len(trial.Metrics()))
	for _, k := range trial.Metrics() {
		names = append(names, string(k))
	}
	fl.StringVar(&r.Metric.Name, "metric", "", strings.Join(names, ", ")+" (default cpu)")
	fl.StringVar(&r.Metric.Pattern, "metric-regex", "", "decide by a printed number, the first group of `REGEX`")
	fl.BoolVar(&r.Metric.HigherIsBetter, "higher-is-better", false, "the printed number is a rate, not a duration")
	fl.StringVar(&r.Metric.Unit, "unit", "", "`NAME` of the printed number's unit, such as requests/s")
	fl.BoolVar(&r.IgnoreFailure, "ignore-failure", false, "measure a command that exits with a status other than 0")
	fl.DurationVar(&r.Timeout, "timeout", 0, "skip commits whose run takes longer (default: the budget)")
	fl.IntSliceVar(&r.Pin, "pin", nil, "run on these `CPUS` only, for example 1 or 2,3")
}

func (f *bisectFlags) searches(fl *pflag.FlagSet) {
	const confidence, budget = 0.95, 30 * time.Minute
	r := &f.request
	fl.BoolVar(&f.faster, "faster", false, "find the commit that made it faster")
	fl.Var(&f.limit, "limit", "by how much GOOD and BAD have to differ at least")
	fl.DurationVar(&r.Budget, "budget", budget, "time to spend, builds included")
	fl.Float64Var(&r.Confidence, "confidence", confidence, "end at this `PROBABILITY`")
	fl.Uint64Var(&r.Seed, "seed", 0, "order of the runs of a round (default: random)")
	fl.BoolVar(&r.Restart, "restart", false, "forget what an interrupted search has found")
	fl.BoolVar(&r.NoProfile, "no-profile", false, "do not record which functions grew")
	fl.BoolVar(&f.json, "json", false, "write the result as JSON (docs/bisect.schema.json)")
}

func (f *bisectFlags) run(cmd *cobra.Command, args []string) error {
	stop := endWithTerminal(cmd)
	defer stop()
	ctx, stopQuit := signal.NotifyContext(cmd.Context(), syscall.SIGQUIT)
	defer stopQuit()
	r := &f.request
	good, bad, ok := strings.Cut(args[0], "..")
	if !ok || strings.HasPrefix(bad, ".") {
		return fmt.Errorf("invalid range %q: give GOOD..BAD, for example v1.4..HEAD", args[0])
	}
	if bad == "" {
		bad = "HEAD"
	}
	dir, err := os.Getwd()
	if err != nil {
		return err
	}
	r.Good, r.Bad, r.Dir, r.Command, r.Env, r.Getenv = good, bad, dir, args[1:], os.Environ(), os.Getenv
	r.Limit, r.Less = float64(f.limit), f.faster != r.Metric.HigherIsBetter
	if !cmd.Flags().Changed("seed") {
		r.Seed = uint64(rand.Uint32()) //nolint:gosec // an order, no secret
	}
	errOut := cmd.ErrOrStderr()
	r.Stdin = func(ctx context.Context) (string, func(), error) {
		return run.Spool(ctx, os.Stdin, func() {
			sayLine(errOut, "reading standard input to its end, to give it to every run (</dev/null gives none)")
		})
	}
	result, err := bisect.Run(ctx, *r, &bisectProgress{w: errOut})
	if result == nil {
		return err
	}
	if err := f.print(cmd, result); err != nil {
		return err
	}
	switch {
	case ctx.Err() != nil:
		return &exitError{code: interrupted, err: errors.New("interrupted; the same command goes on")}
	case err != nil:
		return err
	case result.Verdict == bisect.Difference:
		return &exitError{code: noDifference, err: errors.New("GOOD and BAD do not differ by the limit")}
	case result.Verdict == bisect.Undecided:
		return &exitError{code: notDecided, err: errors.New("not decided")}
	}
	return nil
}

func (f *bisectFlags) print(cmd *cobra.Command, r *bisect.Result) error {
	if f.json {
		return writeJSON(cmd.OutOrStdout(), r)
	}
	p := term.New(cmd.OutOrStdout(), os.Environ())
	bisecttext.Print(p, r)
	return p.Err()
}

// bisectProgress says how far a search is, a line for each thing that is new.
type bisectProgress struct {
	w    io.Writer
	last string
}

func (p *bisectProgress) say(text string) {
	if text != p.last {
		p.last = text
		sayLine(p.w, text)
	}
}

func (p *bisectProgress) Building(c history.Commit) {
	p.say(fmt.Sprintf("building %s %s", c.Short(), term.Clean(c.Subject)))
}

func (p *bisectProgress) Measuring(c, best history.Commit, prob float64) {
	const percent = 100
	p.say(fmt.Sprintf("measuring %s (most probable so far: %s, %.0f%%)", c.Short(), best.Short(), prob*percent))
}

func (p *bisectProgress) Skipped(c history.Commit, why string) {
	p.say(fmt.Sprintf("skipping %s: %s", c.Short(), term.Clean(why)))
}

func (p *bisectProgress) Remark(text string) { p.say(text) }

// shareValue is a share above 0, as parseShare reads it.
type shareValue float64

func (s *shareValue) Set(text string) error {
	v, err := parseShare(text)
	if err != nil {
		return err
	}
	const most = 100 // times as much
	if v <= 0 || v > most {
		return errors.New("must be a share above 0%, such as 3%")
	}
	*s = shareValue(v)
	return nil
}

func (s *shareValue) String() string {
	const percent = 100
	return strconv.FormatFloat(float64(*s)*percent, 'g', -1, 64) + "%"
}

func (*shareValue) Type() string { return "SHARE" }
