package main

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"whyhot/internal/explain/analyzer"
	"whyhot/internal/explain/source"
	"whyhot/internal/finding"
	"whyhot/internal/report/looptext"
	"whyhot/internal/report/term"
)

type loopFlags struct {
	analyse    analyseFlags
	json       bool
	noAssembly bool
}

func newExplainLoopCmd() *cobra.Command {
	var f loopFlags
	cmd := &cobra.Command{
		Use:   "explain-loop FILE:LINE -p BUILD_DIR | explain-loop FILE:LINE -- COMPILER ARG…",
		Short: "Show one loop in every compiled variant",
		Example: "  whyhot explain-loop src/split.cpp:42 -p build\n" +
			"  whyhot explain-loop x.cpp:7 -- clang++ -O3 -c x.cpp",
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error { return runExplainLoop(cmd, args, f) },
	}
	fl := cmd.Flags()
	f.analyse.addBuild(cmd, "build `DIR` with a compile_commands.json")
	fl.BoolVar(&f.json, "json", false, "write the analyser's facts as JSON (docs/analyzer-protocol.md)")
	fl.BoolVar(&f.noAssembly, "no-assembly", false, "leave the machine code out")
	return cmd
}

func runExplainLoop(cmd *cobra.Command, args []string, f loopFlags) error {
	at, err := finding.ParseLine(args[0])
	if err != nil {
		return err
	}
	build, err := f.build(cmd, args, at.File)
	if err != nil {
		return err
	}
	options, done := f.analyse.shown(cmd.ErrOrStderr())
	loops, notes, err := build.Loops(cmd.Context(), at, !f.noAssembly, options)
	done()
	if err != nil {
		return stopped(err)
	}
	if f.json {
		return writeJSON(cmd.OutOrStdout(), loops)
	}
	p := term.New(cmd.OutOrStdout(), os.Environ())
	looptext.Print(p, loops, analyzer.At{File: filepath.Clean(at.File), Line: at.Line})
	for _, n := range notes {
		p.Notef("%s", n)
	}
	return p.Err()
}

// build gives the command line after --, else the units of the build whose main
// file is meant. A header has no unit of its own: a unit that includes it is named
// behind it.
func (f *loopFlags) build(cmd *cobra.Command, args []string, file string) (*source.Build, error) {
	build, err := f.analyse.open(cmd, args, 1)
	if err != nil || cmd.ArgsLenAtDash() >= 0 {
		return build, err
	}
	chosen, err := build.Only(append([]string{file}, args[1:]...)...)
	if err != nil {
		return nil, fmt.Errorf("%s is not a unit of %s; for a header also name a unit that includes it: explain-loop FILE:LINE UNIT… -p BUILD_DIR",
			file, filepath.Join(f.analyse.buildDir, "compile_commands.json"))
	}
	return chosen, nil
}
