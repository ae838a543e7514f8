package main

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"whyhot/internal/explain/fix"
	"whyhot/internal/explain/source"
	"whyhot/internal/host/allocator"
	"whyhot/internal/trial"
	"whyhot/internal/trial/archive"
	"whyhot/internal/trial/experiment"
	"whyhot/internal/trial/rebuild"
	"whyhot/internal/trial/rebuild/cache"
	"whyhot/internal/trial/run"
	"whyhot/internal/trial/variant"
	"whyhot/internal/trial/whatif"
)

// tryFlags are the flags of the commands that try, as they are typed.
type tryFlags struct {
	family *tryFamily

	terms        experiment.Terms
	wanted       variant.Wanted
	build        rebuild.Options
	boltProfile  string
	noBuildCache bool
	budget       time.Duration
	seed         uint64
	json         bool
	more         time.Duration

	run, profile, finding string
	to                    serverFlags
	rules, reports        []string
	fixes                 []string
	check                 string
	whatIf                whatif.Wish

	only, html, svg, failIf string
}

func (f *tryFlags) variants(fl *pflag.FlagSet) {
	fl.StringSliceVar(&f.wanted.Preload, "preload", nil, "preload these `LIBRARIES`, a variant each: "+strings.Join(allocator.Names(), ", ")+", or the path of a .so")
	fl.StringArrayVar(&f.wanted.Env, "env", nil, "set `NAME=VALUE` (a name given again: another variant)")
	fl.StringArrayVar(&f.wanted.Versus, "versus", nil, "your own change, a command: `NAME='COMMAND ...'` (repeatable)")
	fl.StringArrayVar(&f.terms.Places, "dir", nil, "run this variant, or baseline, in `NAME=DIR` (repeatable)")
	fl.BoolVar(&f.terms.Copies, "copy", false, "run each in a copy of the current directory")
}

func (f *tryFlags) subject(fl *pflag.FlagSet) {
	fl.StringVar(&f.terms.Served.Load, "load", "", "the command is a server: load it with `COMMAND`, which ends")
	fl.StringVar(&f.terms.Served.Ready, "ready", "", "wait for the server at `ADDRESS` (default: that in --load)")
	fl.StringVar(&f.profile, "profile", "", "try the recorded command of the profile in `FILE`, or -")
	fl.StringVar(&f.finding, "finding", "", "prove or refute the finding `ID` of the profile")
}

// knows are rules and reports beside those that whyhot has.
func (f *tryFlags) knows(fl *pflag.FlagSet) {
	fl.StringArrayVar(&f.rules, "rules", nil, "know the catalogue entries in `DIR`, too (repeatable)")
	fl.StringArrayVar(&f.reports, "report", nil, "what compilers wrote, a `FILE` or directory (repeatable)")
}

// server is where a result goes beside the archive: findings of a server print it.
func (f *tryFlags) server(fl *pflag.FlagSet) {
	fl.StringVar(&f.to.url, "to", "", "send the result to the whyhot server at `URL`, for its finding")
	f.to.add(fl)
}

func (f *tryFlags) decides(fl *pflag.FlagSet) {
	m := &f.terms.Metric
	names := make([]string, 0, len(trial.Metrics()))
	for _, k := range trial.Metrics() {
		names = append(names, string(k))
	}
	fl.StringVar(&m.Name, "metric", "", strings.Join(names, ", ")+" (default wall, with --finding cpu)")
	fl.StringVar(&m.Pattern, "metric-regex", "", "decide by a printed number, the first group of `REGEX`")
	fl.BoolVar(&m.HigherIsBetter, "higher-is-better", false, "the printed number is a rate, not a duration")
	fl.StringVar(&m.Unit, "unit", "", "`NAME` of the printed number's unit, such as requests/s")
}

func (f *tryFlags) compared(fl *pflag.FlagSet) {
	t := &f.terms
	fl.StringArrayVar(&t.Ignore, "ignore", nil, "do not compare what `REGEX` matches in lines of output (repeatable)")
	fl.StringArrayVar(&t.Outputs, "output", nil, "also compare `FILE`, which the command writes (repeatable)")
	fl.BoolVar(&t.IgnoreFailure, "ignore-failure", false, "measure a command that exits with a status other than 0")
}

func (f *tryFlags) schedule(fl *pflag.FlagSet) {
	s := &f.terms.Schedule
	fl.DurationVar(&f.budget, "budget", 0, "time to spend, which is kept (default 2m)")
	fl.IntVar(&s.Rounds, "runs", 0, "measure exactly `N` runs of each (default: until the answer is clear)")
	fl.IntVar(&s.MinRounds, "min-runs", 0, "measure at least `N` runs of each, even over the budget")
	fl.IntVar(&s.WarmUps, "warm-up", 1, "run each `N` times before measuring, at least once")
	fl.DurationVar(&s.Timeout, "timeout", 0, "end a run after this time (default: 10 times the first run, at least 1m)")
	fl.IntSliceVar(&s.Pin, "pin", nil, "run on these `CPUS` only, for example 1 or 2,3")
}

func (f *tryFlags) order(fl *pflag.FlagSet) {
	fl.Uint64Var(&f.seed, "seed", 0, "repeat the order of an earlier trial (default: random, recorded)")
}

// gate is what a build that tests speed asks for.
func (f *tryFlags) gate(fl *pflag.FlagSet) {
	fl.StringVar(&f.failIf, "fail-if", "", "exit with 1 where `CONDITION` holds, such as slower>3%")
}

func (f *tryFlags) output(fl *pflag.FlagSet) {
	fl.BoolVar(&f.json, "json", false, "write the outcome as JSON")
}

func (f *tryFlags) onward(fl *pflag.FlagSet) {
	fl.DurationVar(&f.more, "more", 0, "add rounds to the trial for this `TIME`, where nothing has changed since")
}

func (f *tryFlags) builds(fl *pflag.FlagSet) {
	o := &f.build
	fl.StringVar(&o.Command, "build", "", "the `COMMAND` that builds the program, for the shell")
	fl.StringVar(&f.run, "run", "", "the `COMMAND` to measure, instead of the words after --")
	fl.StringVar(&o.Root, "tree", ".", "copy this `DIR`; the current one has to be in it")
	fl.StringArrayVar(&o.Exclude, "exclude", nil, "do not copy what has this `NAME` or path; * and ? are taken (repeatable)")
	fl.BoolVar(&o.WithVCS, "with-vcs", false, "copy .git and the like, too, for builds that ask for a version")
	fl.StringVar(&o.Work, "work", "", "put the copies into `DIR` (default: the system's temporary one)")
	fl.BoolVar(&o.Keep, "keep", false, "leave the copies and say where they are")
	fl.StringVar(&o.Compiler, "compiler", "", "build baseline and variants with this C and C++ `COMPILER`")
	fl.StringVar(&o.OnlyDir, "only-dir", "", "add flags only to what is compiled from `DIR` of the tree")
	fl.DurationVar(&o.Timeout, "build-timeout", 0, "end a build or training that takes longer (default: never)")
	fl.IntVar(&o.Jobs, "build-jobs", 0, "build `N` variants at once (default: CPUs / 4, at least 2)")
	fl.BoolVar(&f.noBuildCache, "no-build-cache", false, "neither use builds of earlier trials nor keep these")
}

func (f *tryFlags) buildVariants(fl *pflag.FlagSet) {
	c := &f.wanted.Builds
	fl.StringArrayVar(&c.CFlags, "cflags", nil, "add `FLAGS` behind the build's own (again: another variant)")
	fl.StringArrayVar(&c.LDFlags, "ldflags", nil, "add `FLAGS` when linking (again: another variant)")
	fl.StringArrayVar(&c.RustFlags, "rustflags", nil, "add `FLAGS` for rustc (again: another variant)")
	fl.StringVar(&c.LTO, "lto", "", "link-time optimisation; `KIND` is auto, thin or full")
	fl.Lookup("lto").NoOptDefVal = "auto"
	fl.BoolVar(&c.PGO, "pgo", false, "profile-guided optimisation: instrument, train, build again")
	fl.BoolVar(&c.BOLT, "bolt", false, "re-lay out the linked program with llvm-bolt")
	fl.StringArrayVar(&c.Patches, "patch", nil, "apply the diff in `FILE` (again: another variant)")
	fl.StringArrayVar(&c.Named, "variant", nil, "a variant by its `PARTS`: pgo+lto+cflags=-O3+preload=mimalloc")
	fl.BoolVar(&c.Matrix, "matrix", false, "try every combination of the flags given, not only all at once")
	fl.StringArrayVar(&f.fixes, "fix", nil, "apply the machine-written fix of `FINDING` or FILE:LINE (repeatable)")
	w := &f.whatIf
	fl.StringSliceVar(&w.Findings, "what-if", nil, "build as if `FINDING` or FILE:LINE were fixed (needs clang 19)")
	fl.StringVarP(&w.BuildDir, "build-dir", "p", "", "`DIR` of their compile_commands.json (default: . or build)")
	fl.StringVar(&w.World, "world", "", "the `WORLD` that --what-if stands for: retyped or hoisted")
}

func (f *tryFlags) builder(fl *pflag.FlagSet) {
	o := &f.build
	const layouts = 4
	fl.StringArrayVar(&o.Train, "train", nil, "train --pgo and --bolt with `COMMAND` (default: the measured one)")
	fl.StringVar(&o.BoltBinary, "bolt-binary", "", "rewrite this `PROGRAM` of the tree (default: the one that is run)")
	fl.StringVar(&f.boltProfile, "bolt-profile", string(rebuild.BoltAuto), "the `SOURCE` of --bolt: instrument, sample, or auto")
	fl.StringVar(&f.check, "check", "", "test builds with --fix or --patch by `COMMAND` before measuring")
	fl.IntVar(&f.terms.Layouts, "layouts", layouts, "try differences below 5% in `N` layouts of the code, 0 for none")
}

func (f *tryFlags) suites(fl *pflag.FlagSet) {
	fl.StringVar(&f.only, "only", "", "try only the benchmarks whose name matches `REGEX`")
}

func (f *tryFlags) pictures(fl *pflag.FlagSet) {
	fl.StringVar(&f.html, "html", "", "also write a page with charts to `FILE`")
	fl.StringVar(&f.svg, "svg", "", "also write the chart of all benchmarks to `FILE`")
}

// common is what all kinds of trials are told.
func (f *tryFlags) common(cmd *cobra.Command) experiment.Terms {
	t := f.terms
	t.Env, t.Variants, t.Build, t.Check = os.Environ(), f.wanted, f.build, f.check
	if was := f.family.kept.repeats; was != nil {
		t.Env, _ = archive.Restore(t.Env, was.Environment)
	}
	t.Build.BoltProfile = rebuild.BoltProfile(f.boltProfile)
	if !f.noBuildCache {
		t.Build.Cache = cache.Open(os.Getenv)
	}
	if cmd.Flags().Changed("budget") {
		t.Schedule.Budget = &f.budget
	}
	if cmd.Flags().Changed("seed") {
		t.Schedule.Seed = &f.seed
	}
	if more := f.family.kept.more; more > 0 {
		t.Schedule.Budget, t.Schedule.Rounds, t.Schedule.MinRounds, t.Schedule.Seed = &more, 0, 0, nil
	}
	return t
}

func (f *tryFlags) request(cmd *cobra.Command, args []string) experiment.Request {
	r := experiment.Request{
		Terms: f.common(cmd), Command: args, Run: f.run, Profile: f.profile, Finding: f.finding,
		Fixes: f.fixes, WhatIf: f.whatIf, Repeats: f.family.kept.repeats,
		Continue: f.family.kept.more > 0,
		Findings: experiment.Findings{
			Target: func(ctx context.Context, profile, id string) (experiment.Target, error) {
				target, note, err := f.family.lookup(ctx, wantedFinding{profile, id, f.rules, f.reports})
				sayLine(cmd.ErrOrStderr(), note)
				return target, err
			},
			Fix: func(_ context.Context, wanted, buildDir string) (experiment.Fix, error) {
				return f.fix(cmd, wanted, buildDir) //nolint:contextcheck // the command carries the same context
			},
		},
	}
	if f.to.url != "" && f.profile == "" {
		r.Finding = "" // it is the server's: there is no profile to ask
	}
	r.WhatIf.Options, _ = (&analyseFlags{}).shown(cmd.ErrOrStderr())
	if f.profile != "-" {
		r.Stdin = func(ctx context.Context) (string, func(), error) {
			return run.Spool(ctx, os.Stdin, func() {
				sayLine(cmd.ErrOrStderr(), "reading standard input to its end, to give it to every run (</dev/null gives none)")
			})
		}
	}
	return r
}

// fix asks for the machine-written fix of a finding.
func (f *tryFlags) fix(cmd *cobra.Command, wanted, buildDir string) (experiment.Fix, error) {
	root, err := filepath.Abs(f.build.Root)
	if err != nil {
		return experiment.Fix{}, err
	}
	options := fixFlags{profile: f.profile, rules: f.rules, dir: root}
	var build func() (*source.Build, error)
	if buildDir != "" {
		build = func() (*source.Build, error) { return source.Open(buildDir) }
	}
	p, err := options.propose(cmd, wanted, build)
	if err != nil {
		return experiment.Fix{}, err
	}
	texts := func(list []fix.Remark, root string) []string {
		out := make([]string, 0, len(list))
		for _, r := range list {
			out = append(out, r.Text+placeOf(r, root))
		}
		return out
	}
	if !p.Sound() {
		return experiment.Fix{}, errors.New("no fix is written: " + strings.Join(texts(p.Refusals, ""), "; "))
	}
	return experiment.Fix{Diff: fix.Diff(p.Changes, root), Assumptions: texts(p.Assumptions, root)}, nil
}
