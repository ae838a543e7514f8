package main

import (
	"fmt"
	"os"
	"regexp"

	"github.com/spf13/cobra"

	"whyhot/internal/explain/binfacts"
	"whyhot/internal/explain/build"
	"whyhot/internal/explain/machine"
	"whyhot/internal/finding/percent"
	"whyhot/internal/profile"
	"whyhot/internal/report/machineview"
	"whyhot/internal/report/term"
)

type loopsFlags struct {
	load      loadFlags
	filter    filterFlags
	rows      int
	functions int
	match     string
	whole     bool
	json      bool
}

func newLoopsCmd() *cobra.Command {
	var f loopsFlags
	cmd := &cobra.Command{
		Use:   "loops FILE",
		Short: "The hot loops in the machine code, with the samples of each instruction",
		Long: `Disassembles the hot functions of every binary that is here as it was when the
profile was taken, finds their loops and says what ran in each. Shares are of
the whole profile; those of a loop leave the loops in it out.

A sample is taken when an instruction has retired, and shows the one behind it.
"↑ for ADDRESS" marks samples that are meant for the load, division or atomic
update before them; "←" what was meant for it.`,
		Example: `  whyhot loops cpu.pb.gz
  whyhot loops cpu.pb.gz --match parse_number --whole
  whyhot loops cpu.pb.gz --json`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error { return runLoops(cmd, args[0], f) },
	}
	flags := cmd.Flags()
	flags.IntVarP(&f.rows, "number", "n", 5, "loops to show, 0 for all (--json gives all unless this is set)")
	flags.IntVar(&f.functions, "functions", machine.DefaultFunctions, "functions to look at, hottest first")
	flags.StringVar(&f.match, "match", "", "only functions whose name matches `REGEX`")
	flags.BoolVar(&f.whole, "whole", false, "show every instruction of a loop")
	flags.BoolVar(&f.json, "json", false, "print JSON")
	f.load.add(cmd)
	f.filter.add(cmd)
	return cmd
}

func runLoops(cmd *cobra.Command, path string, f loopsFlags) error {
	if f.rows < 0 || f.functions < 1 {
		return fmt.Errorf("-n %d, --functions %d: -n must not be negative, --functions at least 1", f.rows, f.functions)
	}
	only, err := regexp.Compile(f.match)
	if err != nil {
		return fmt.Errorf("--match: %w", err)
	}
	all, p, err := loadSamples(cmd, path, f.load, f.filter)
	if err != nil {
		return err
	}
	facts := binfacts.New(f.load.debugDirs...)
	defer func() { _ = facts.Close() }() // only read from
	done := showBusy(cmd.ErrOrStderr(), "disassembling")
	answer, err := machine.Find(cmd.Context(), machine.Request{
		Profile: p, DebugDirs: f.load.debugDirs, Functions: f.functions, Only: func(f *profile.Function) bool { return only.MatchString(f.Name) },
	}, facts)
	done()
	if err != nil {
		return err
	}
	in := machineview.Input{Profile: all, Answer: answer, Builds: build.Of(p, facts.Info), Rows: f.rows, Whole: f.whole}
	if f.json {
		if !cmd.Flags().Changed("number") {
			in.Rows = 0
		}
		return machineview.JSON(cmd.OutOrStdout(), in)
	}
	if len(answer.Loops) == 0 && answer.Looked.Functions == 0 {
		printOnce(cmd.ErrOrStderr(), answer.Notes)
		return fmt.Errorf("%s: no machine code to look at: the profile has no addresses in binaries that are here as they were when it was taken", path)
	}
	out := term.New(cmd.OutOrStdout(), os.Environ())
	printHeader(out, path, all, p, &f.filter, false)
	if len(answer.Loops) == 0 {
		out.Line()
		out.Notef("no samples in a loop: %s in %s", percent.Column(share(answer.Looked.Value, all.Total())), counted(answer.Looked.Functions, "function", "functions"))
	}
	machineview.Print(out, in)
	machineview.Builds(out, in)
	printOnce(cmd.ErrOrStderr(), answer.Notes)
	return out.Err()
}

func share(value, total int64) float64 {
	if total == 0 {
		return 0
	}
	return float64(value) / float64(total)
}
