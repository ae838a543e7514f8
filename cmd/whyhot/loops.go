package main

import (
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"whyhot/internal/explain/build"
	"whyhot/internal/explain/machine"
	"whyhot/internal/finding/percent"
	"whyhot/internal/report/machineview"
	"whyhot/internal/report/term"
)

type loopsFlags struct {
	machineFlags

	functions int
	long      bool
}

func newLoopsCmd() *cobra.Command {
	var f loopsFlags
	cmd := &cobra.Command{
		Use:   "loops FILE",
		Short: "Show hot machine-code loops with samples per instruction",
		Long: `Disassembles the hot functions of every binary that is here as it was when the
profile was taken, finds their loops and says what ran in each. Shares are of
the whole profile; those of a loop leave the loops in it out.

A sample is taken when an instruction has retired, and shows the one behind it.
"↑ for ADDRESS" marks samples that are attributed to the load, division or atomic
update before them; "←" marks their target.`,
		Example: `  whyhot loops cpu.pb.gz
  whyhot loops cpu.pb.gz --match parse_number --long
  whyhot loops cpu.pb.gz --json`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error { return runLoops(cmd, args[0], f) },
	}
	flags := cmd.Flags()
	flags.IntVar(&f.functions, "functions", machine.DefaultFunctions, "functions to look at, hottest first")
	flags.BoolVar(&f.long, "long", false, "show every instruction of a loop, not only the first, the last and those with samples")
	flags.BoolVar(&f.json, "json", false, "print JSON")
	f.add(cmd, 5, " (--json gives all unless this is set)")
	return cmd
}

func runLoops(cmd *cobra.Command, path string, f loopsFlags) error {
	if f.functions < 1 {
		return fmt.Errorf("--functions %d: at least 1", f.functions)
	}
	found, err := f.find(cmd, path, "disassembling", machine.Request{Functions: f.functions})
	if err != nil {
		return err
	}
	defer func() { _ = found.facts.Close() }() // only read from
	answer, all := found.answer, found.all
	in := machineview.Input{Profile: all, Answer: answer, Builds: build.Of(found.part, found.facts.Info), Rows: f.rows, Long: f.long}
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
	printHeader(out, path, all, found.part, &f.filter, false)
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
