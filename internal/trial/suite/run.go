package suite

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"whyhot/internal/host/environ"
	"whyhot/internal/trial"
	"whyhot/internal/trial/metric"
	"whyhot/internal/trial/run"
	"whyhot/internal/trial/stat"
	"whyhot/internal/trial/variant"
)

// Options are what the user says for the whole suite; Plan's command, directory
// and variants are left empty.
type Options struct {
	Plan     trial.Plan
	Variants []Variant
	Chain    bool // the variants are steps, each with those before it
	Metric   bool // Plan's metric goes before the file's
	// Each is the budget of one benchmark, 0 where Plan's is that of the whole suite.
	Each time.Duration
	Only func(name string) bool // nil runs all
	// Earlier is the trial of a benchmark that this one goes on with, nil for none.
	Earlier func(name string) *trial.Outcome

	// Runner makes what a benchmark runs on; release gives it up.
	Runner  func() (r run.Runner, release func(), err error)
	Counter func() (*metric.Counter, error)
	Clock   trial.Clock
	// Begin says that a benchmark begins, Progress how it goes; both may be nil.
	Begin    func(name string, index, of int)
	Progress func(trial.Progress)
}

// Run tries every benchmark in turn. A benchmark that cannot be measured does
// not keep the others from it; its error is in the result. When ctx ends in the
// middle, the result holds what was measured until then.
func Run(ctx context.Context, f *File, o Options) (*Result, error) {
	if len(o.Variants) == 0 {
		return nil, errors.New("no variant to try")
	}
	benchmarks := slices.Clone(f.Benchmarks)
	if o.Only != nil {
		benchmarks = slices.DeleteFunc(benchmarks, func(b Benchmark) bool { return !o.Only(b.Name) })
	}
	if len(benchmarks) == 0 {
		return nil, errors.New("no benchmark of the suite is selected")
	}
	start := o.Clock.Now()
	r := &Result{Version: ResultVersion, Name: f.Name, Chain: o.Chain, Started: start, Stopped: trial.StopSettled, Seed: o.Plan.Seed}
	for _, v := range o.Variants {
		r.Variants = append(r.Variants, v.Name)
	}
	for i, b := range benchmarks {
		if o.Begin != nil {
			o.Begin(b.Name, i, len(benchmarks))
		}
		left := len(benchmarks) - i
		out, err := o.one(ctx, f, f.filled(b), o.Clock.Now().Sub(start), left)
		if ctx.Err() != nil && out == nil {
			r.Stopped = trial.StopInterrupted
			break
		}
		r.Benchmarks = append(r.Benchmarks, newBenchmark(b.Name, out, err))
		if out != nil && out.Stopped == trial.StopInterrupted {
			r.Stopped = trial.StopInterrupted
			break
		}
	}
	r.Elapsed = o.Clock.Now().Sub(start).Seconds()
	r.summarize(o.Plan.Seed, o.Plan.Level)
	return r, nil
}

// one tries a benchmark.
func (o *Options) one(ctx context.Context, f *File, b Benchmark, spent time.Duration, left int) (*trial.Outcome, error) {
	plan, err := o.plan(f, b)
	if err != nil {
		return nil, err
	}
	switch {
	case b.Runs > 0 && o.Plan.Rounds == 0:
		plan.Rounds, plan.Budget = b.Runs, 0
	case o.Each == 0:
		plan.Budget = max(time.Second, (o.Plan.Budget-spent)/time.Duration(left))
	case plan.Rounds == 0:
		plan.Budget = o.Each
		plan.MinRounds = max(plan.MinRounds, stat.FewestResampled) // so that the mean of all has an interval
	}
	if o.Earlier != nil {
		plan.Earlier = o.Earlier(b.Name)
	}
	if err := setUp(ctx, b.Setup, &plan); err != nil {
		return nil, err
	}
	runner, release, err := o.Runner()
	if err != nil {
		return nil, err
	}
	defer release()
	return trial.Run(ctx, plan, runner, o.Clock, o.Progress)
}

// plan is the trial of one benchmark.
func (o *Options) plan(f *File, b Benchmark) (trial.Plan, error) {
	p := o.Plan
	rel := under(f.Dir, b.Dir)
	p.Dir = under(o.Plan.Dir, rel)
	p.Command = substituteAll(b.Command, f.Set)
	for _, k := range slices.Sorted(maps.Keys(b.Env)) {
		p.Env = environ.Set(p.Env, k+"="+substitute(b.Env[k], f.Set))
	}
	if b.Stdin != "" {
		p.Stdin = under(p.Dir, substitute(b.Stdin, f.Set))
	}
	p.Outputs = slices.Concat(p.Outputs, substituteAll(b.Output, f.Set))
	if b.WarmUp > 0 {
		p.WarmUps = b.WarmUp
	}
	if b.Timeout > 0 {
		p.Timeout = time.Duration(b.Timeout)
	}
	p.IgnoreFailure = p.IgnoreFailure || b.IgnoreFailure != nil && *b.IgnoreFailure
	for _, e := range b.Ignore {
		re, err := trial.ParseIgnore(e)
		if err != nil {
			return p, err
		}
		p.Ignore = append(p.Ignore, re)
	}
	for i := range o.Variants {
		p.Variants = append(p.Variants, o.Variants[i].of(f, &b, &p, rel))
	}
	return p, o.decide(&b, &p)
}

// of is the variant as it is for one benchmark, whose directory is rel.
func (v *Variant) of(f *File, b *Benchmark, p *trial.Plan, rel string) variant.Variant {
	out := v.Variant
	out.Command = nil
	if len(v.Set) > 0 {
		set := maps.Clone(f.Set)
		maps.Copy(set, v.Set)
		if command := substituteAll(b.Command, set); !slices.Equal(command, p.Command) {
			out.Command = command
		}
	}
	if out.Built != nil {
		built := *out.Built
		built.Dir = under(built.Dir, rel)
		out.Built = &built
	}
	return out
}

// decide sets the metric: the user's, or the benchmark's.
func (o *Options) decide(b *Benchmark, p *trial.Plan) error {
	if o.Metric {
		return nil
	}
	if b.MetricRegex != "" {
		n, err := metric.ParseNumber(b.MetricRegex, b.Unit, b.HigherIsBetter != nil && *b.HigherIsBetter)
		if err != nil {
			return fmt.Errorf("metric-regex: %w", err)
		}
		p.Number, p.Metric = n, trial.Number
	}
	if b.Metric != "" {
		var err error
		if p.Metric, err = trial.ParseMetric(b.Metric); err != nil {
			return err
		}
	}
	if p.Metric == trial.Instructions && p.Counter == nil {
		var err error
		p.Counter, err = o.Counter()
		return err
	}
	return nil
}

// setUp runs the shell command that prepares a benchmark, in its directory.
func setUp(ctx context.Context, command string, p *trial.Plan) error {
	if command == "" {
		return nil
	}
	cmd := exec.CommandContext(ctx, "/bin/sh", "-c", command)
	cmd.Dir, cmd.Env = p.Dir, p.Env
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Run(); err != nil {
		const most = 2000
		text := strings.TrimSpace(out.String())
		return fmt.Errorf("setup %q: %w\n%s", command, err, text[max(0, len(text)-most):])
	}
	return nil
}

// under is a path that starts from a directory unless it is absolute; "" is the
// directory itself, and the current one is "" as processes take it.
func under(dir, path string) string {
	if filepath.IsAbs(path) {
		return path
	}
	if dir == "." {
		dir = ""
	}
	joined := filepath.Join(dir, path)
	if joined == "." {
		return ""
	}
	return joined
}

// CheckFiles finds what is wrong with a suite before anything runs: commands
// that do not exist are errors of their benchmark and not found here.
func (f *File) CheckFiles() error {
	for _, b := range f.Benchmarks {
		dir := under(f.Dir, f.filled(b).Dir)
		if dir == "" {
			continue
		}
		if info, err := os.Stat(dir); err != nil || !info.IsDir() {
			return fmt.Errorf("benchmark %q: there is no directory %s", b.Name, dir)
		}
	}
	return nil
}

// MoveInto names the suite's directory from here, a directory of a tree that is
// built in copies: benchmarks run in the copies.
func (f *File) MoveInto(here string) error {
	dir := f.Dir
	if !filepath.IsAbs(dir) {
		absolute, err := filepath.Abs(dir)
		if err != nil {
			return fmt.Errorf("the directory of the suite: %w", err)
		}
		dir = absolute
	}
	rel, err := filepath.Rel(here, dir)
	if err != nil || !filepath.IsLocal(rel) {
		return errors.New("with --build, the suite file has to be in the tree that is built, since the benchmarks run in copies of it")
	}
	f.Dir = rel
	return nil
}

// Counted is how many comparisons with the baseline the summary rests on.
func (r *Result) Counted() int {
	n := 0
	for i := range r.Summary {
		n += r.Summary[i].Counted
	}
	return n
}

// Plans are the trials of the benchmarks as they are, for who runs them otherwise;
// only is a regular expression for their names, "" for all.
func (f *File) Plans(env []string, only string) ([]trial.Plan, error) {
	re, err := regexp.Compile(only)
	if err != nil {
		return nil, fmt.Errorf("--only: %w", err)
	}
	o := Options{Plan: trial.Plan{Env: env}, Counter: func() (*metric.Counter, error) { return &metric.Counter{}, nil }} // nothing is counted here
	var out []trial.Plan
	for _, b := range f.Benchmarks {
		if !re.MatchString(b.Name) {
			continue
		}
		p, err := o.plan(f, f.filled(b))
		if err != nil {
			return nil, err
		}
		out = append(out, p)
	}
	if len(out) == 0 {
		return nil, errors.New("no benchmark of the suite is selected")
	}
	return out, nil
}
