package main

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"whyhot/internal/explain"
	"whyhot/internal/explain/source"
	"whyhot/internal/report/progress"
)

// analyseFlags say whose source is analysed and how, in every command that does so.
type analyseFlags struct {
	buildDir string
	options  source.Options
	coverage float64 // explain alone
}

func (f *analyseFlags) add(cmd *cobra.Command, buildHelp string) {
	fl := cmd.Flags()
	f.addBuild(cmd, buildHelp)
	fl.IntVarP(&f.options.Workers, "jobs", "j", 0, "analyser processes at a time (default: one per core)")
	fl.DurationVar(&f.options.Timeout, "unit-timeout", 5*time.Minute, "give up on a translation unit after this time")
	fl.BoolVar(&f.options.NoPatches, "no-patches", false, "do not compile the patches of what is listed: quicker, and the effects are what an edit may give at best")
	fl.BoolVar(&f.options.Remarks, "remarks", false, "also list the loops in which the compiler says that it missed an optimisation, by loop and cause")
	fl.StringSliceVar(&f.options.Accessors, "accessors", nil, "names that alias-loop-condition-name looks for (default: size, length, count, begin, end and the like)")
}

// addBuild adds the flags that explain-loop has too.
func (f *analyseFlags) addBuild(cmd *cobra.Command, help string) {
	fl := cmd.Flags()
	fl.StringVarP(&f.buildDir, "build-dir", "p", "", help)
	fl.BoolVar(&f.options.NoCache, "no-cache", false, "neither read nor write cached answers of the analyser")
	fl.StringSliceVar(&f.options.Stores, "stores", nil, "which stores to blame: "+strings.Join(source.Stores(), ", ")+" (default: "+strings.Join(source.DefaultStores(), ", ")+")")
}

// open is the build that the command line means: a directory with -p, or one
// compiler command line behind "--", which comes after before words.
func (f *analyseFlags) open(cmd *cobra.Command, args []string, before int) (*source.Build, error) {
	dash := cmd.ArgsLenAtDash()
	switch {
	case dash < 0:
		return source.Open(f.buildDir)
	case dash != before || f.buildDir != "":
		return nil, errors.New("either -p BUILD_DIR or `-- COMPILER ARG…`, not both")
	}
	return source.OfCommand(args[dash:])
}

// shown are the options with a bar where a person is looking.
func (f *analyseFlags) shown(w io.Writer) (o source.Options, done func()) {
	o = f.options
	begin := time.Now()
	var line *progress.Line
	o.Progress = func(p source.Progress) {
		if line == nil {
			line = progress.On(w)
		}
		line.Bar(float64(p.Done)/float64(p.Of), func() string {
			return fmt.Sprintf("%d of %d %s %s  %s", p.Done, p.Of, p.What, sinceText(begin), p.File)
		})
		if p.Done == p.Of {
			line.Clear()
			line = nil // further units may follow
		}
	}
	return o, func() { line.Clear() }
}

// addCoverage adds the flag that says how much of a profile's source is analysed.
func (f *analyseFlags) addCoverage(cmd *cobra.Command) {
	cmd.Flags().Float64Var(&f.coverage, "coverage", source.DefaultCoverage, "with -p: analyse the hottest functions until they hold this fraction of the CPU spent in the build's source")
}

// request is what explain asks of the source, nil where no build is named.
func (f *analyseFlags) request(cmd *cobra.Command) (r *explain.SourceRequest, done func(), err error) {
	done = func() {}
	if f.coverage <= 0 || f.coverage > 1 {
		return nil, done, fmt.Errorf("--coverage %v: a fraction above 0 and up to 1", f.coverage)
	}
	if f.buildDir == "" {
		for _, name := range []string{"coverage", "stores", "accessors", "jobs", "no-cache", "no-patches", "remarks", "unit-timeout"} {
			if cmd.Flags().Changed(name) {
				return nil, done, fmt.Errorf("--%s is about the program's source: give its build with -p BUILD_DIR", name)
			}
		}
		return nil, done, nil
	}
	build, err := source.Open(f.buildDir)
	if err != nil {
		return nil, done, err
	}
	r = &explain.SourceRequest{Build: build, Coverage: f.coverage}
	r.Options, done = f.shown(cmd.ErrOrStderr())
	return r, done, nil
}

// interrupted is the exit code of a program that ^C ended, as shells count it.
const interrupted = 130

// stopped gives an analysis that ^C ended its exit code.
func stopped(err error) error {
	if s, ok := errors.AsType[*source.StoppedError](err); ok {
		return &exitError{code: interrupted, err: s}
	}
	return err
}

func counted(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}
