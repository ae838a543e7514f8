package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"whyhot/internal/explain/analyzer"
	"whyhot/internal/explain/compdb"
	"whyhot/internal/report/looptext"
	"whyhot/internal/report/term"
)

type loopFlags struct {
	build      string
	json       bool
	noCache    bool
	predicates []string
	noAssembly bool
}

func newExplainLoopCmd() *cobra.Command {
	var f loopFlags
	cmd := &cobra.Command{
		Use:   "explain-loop FILE:LINE -p BUILD_DIR | explain-loop FILE:LINE -- COMPILER ARG…",
		Short: "Show a loop in all worlds: source, machine code, loads, cycles and what the compiler said",
		Example: "  whyhot explain-loop src/split.cpp:42 -p build\n" +
			"  whyhot explain-loop x.cpp:7 -- clang++ -O3 -c x.cpp",
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error { return runExplainLoop(cmd, args, f) },
	}
	fl := cmd.Flags()
	fl.StringVarP(&f.build, "build", "p", "", "build directory with a compile_commands.json")
	fl.BoolVar(&f.json, "json", false, "write the analyser's facts as JSON (docs/analyzer-protocol.md)")
	fl.BoolVar(&f.noAssembly, "no-assembly", false, "leave the machine code out")
	fl.BoolVar(&f.noCache, "no-cache", false, "neither read nor write cached answers of the analyser")
	fl.StringSliceVar(&f.predicates, "stores", []string{usualStores}, "which stores to blame: char, bitfield, pointer, size, volatile")
	return cmd
}

func runExplainLoop(cmd *cobra.Command, args []string, f loopFlags) error {
	at, err := parseAt(args[0])
	if err != nil {
		return err
	}
	units, err := loopUnits(cmd, args[1:], f, at.File)
	if err != nil {
		return err
	}
	binary, err := analyzer.Find()
	if err != nil {
		return err
	}
	opts := analyzer.Options{Binary: binary, Predicates: f.predicates, At: &at, Blame: true, Cycles: true, Assembly: !f.noAssembly}
	if !f.noCache {
		if opts.Cache, err = analyzer.OpenCache("", binary); err != nil {
			return err
		}
	}
	var loops []analyzer.Candidate
	var outcomes []analyzer.Outcome
	var failed error
	err = analyzer.Run(cmd.Context(), units, opts, func(o analyzer.Outcome) {
		if o.Err != nil {
			failed = fmt.Errorf("%s: %w", o.Unit.File, o.Err)
		}
		if len(o.Reply.Errors) > 0 {
			failed = fmt.Errorf("%s does not compile: %s", o.Unit.File, o.Reply.Errors[0])
		}
		outcomes = append(outcomes, o)
		loops = append(loops, o.Reply.Candidates...)
	})
	switch {
	case err != nil:
		return err
	case len(loops) == 0 && failed != nil:
		return failed
	case len(loops) == 0:
		return fmt.Errorf("no loop at %s: the line is in none, or the compiler removed it before any loop pass", args[0])
	}
	if f.json {
		return writeJSON(cmd.OutOrStdout(), loops)
	}
	p := term.New(cmd.OutOrStdout(), os.Environ())
	looptext.Print(p, loops, at)
	for _, n := range analyzer.Notes(outcomes) {
		p.Notef("%s", n)
	}
	return p.Err()
}

func parseAt(arg string) (analyzer.At, error) {
	i := strings.LastIndexByte(arg, ':')
	if i <= 0 {
		return analyzer.At{}, fmt.Errorf("%q is not FILE:LINE", arg)
	}
	line, err := strconv.Atoi(arg[i+1:])
	if err != nil || line < 1 {
		return analyzer.At{}, fmt.Errorf("%q is not FILE:LINE: the line is a number from 1", arg)
	}
	return analyzer.At{File: filepath.Clean(arg[:i]), Line: line}, nil
}

// loopUnits gives the command line after --, else the units of the build whose
// main file is meant. A header has no unit of its own: --build and a file of
// the build that includes it are needed then.
func loopUnits(cmd *cobra.Command, rest []string, f loopFlags, file string) ([]compdb.Unit, error) {
	if dash := cmd.ArgsLenAtDash(); dash == 1 {
		if f.build != "" {
			return nil, errors.New("either -p BUILD_DIR or `-- COMPILER ARG…`, not both")
		}
		u, err := unitOf(rest)
		return []compdb.Unit{u}, err
	}
	if f.build == "" {
		return nil, errors.New("say where the build is: -p BUILD_DIR (with its compile_commands.json), or give one command line after --")
	}
	units, err := compdb.Load(f.build)
	if err != nil {
		return nil, err
	}
	wanted := append([]string{file}, rest...)
	units = slices.DeleteFunc(units, func(u compdb.Unit) bool {
		return !slices.ContainsFunc(wanted, func(a string) bool { return names(a, u.File) })
	})
	if len(units) == 0 {
		return nil, fmt.Errorf("%s is no unit of %s; for a header also name a unit that includes it: explain-loop FILE:LINE UNIT… -p BUILD_DIR",
			file, filepath.Join(f.build, "compile_commands.json"))
	}
	return units, nil
}
