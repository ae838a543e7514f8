package main

import (
	"fmt"
	"os"
	"regexp"
	"slices"

	"github.com/spf13/cobra"

	"whyhot/internal/explain/binfacts"
	"whyhot/internal/explain/machine"
	"whyhot/internal/profile"
	"whyhot/internal/report/machineview"
	"whyhot/internal/report/term"
)

type cyclesFlags struct {
	load   loadFlags
	filter filterFlags
	rows   int
	match  string
	cpus   []string
	json   bool
}

func newCyclesCmd() *cobra.Command {
	var f cyclesFlags
	cmd := &cobra.Command{
		Use:   "cycles FILE",
		Short: "Cycles of the hot loops in LLVM's models of processors",
		Long: `Says how many cycles an iteration of each hot innermost loop takes at best in
LLVM's models of processors (llvm-mca). A model knows no caches, no branch that
is predicted wrong and no store that a load waits for, and takes every block of
the loop to run in every iteration: it is a bound for loops of one block, and
says so of others. Loops with calls, atomic updates or string instructions have
no number.`,
		Example: `  whyhot cycles cpu.pb.gz
  whyhot cycles cpu.pb.gz --match parse_number --cpu znver4`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error { return runCycles(cmd, args[0], f) },
	}
	flags := cmd.Flags()
	flags.IntVarP(&f.rows, "number", "n", 10, "loops to show, 0 for all")
	flags.StringVar(&f.match, "match", "", "only functions whose name matches `REGEX`")
	flags.StringSliceVar(&f.cpus, "cpu", nil, "only these processors (default: all of the binary's kind that there is a model of)")
	flags.BoolVar(&f.json, "json", false, "print JSON, as whyhot loops does")
	f.load.add(cmd)
	f.filter.add(cmd)
	return cmd
}

func runCycles(cmd *cobra.Command, path string, f cyclesFlags) error {
	if f.rows < 0 {
		return fmt.Errorf("-n %d: must not be negative", f.rows)
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
	done := showBusy(cmd.ErrOrStderr(), "modelling")
	answer, err := machine.Find(cmd.Context(), machine.Request{
		Profile: p, DebugDirs: f.load.debugDirs, Only: func(f *profile.Function) bool { return only.MatchString(f.Name) }, Cycles: true,
	}, facts)
	done()
	if err != nil {
		return err
	}
	answer.Loops = slices.DeleteFunc(answer.Loops, func(l machine.Loop) bool { return !l.Innermost })
	if err := keepProcessors(answer.Loops, f.cpus); err != nil {
		return err
	}
	if len(answer.Loops) == 0 {
		printOnce(cmd.ErrOrStderr(), answer.Notes)
		return fmt.Errorf("%s: no innermost loop with samples, in binaries that are here as they were when the profile was taken", path)
	}
	in := machineview.Input{Profile: all, Answer: answer, Rows: f.rows}
	if f.json {
		return machineview.JSON(cmd.OutOrStdout(), in)
	}
	out := term.New(cmd.OutOrStdout(), os.Environ())
	printHeader(out, path, all, p, &f.filter, false)
	out.Line()
	machineview.Cycles(out, in)
	printOnce(cmd.ErrOrStderr(), answer.Notes)
	return out.Err()
}

// keepProcessors drops the models of others; one that no loop has is a mistake.
func keepProcessors(loops []machine.Loop, cpus []string) error {
	if len(cpus) == 0 {
		return nil
	}
	known := machine.Processors(loops)
	for _, c := range cpus {
		if !slices.Contains(known, c) {
			return fmt.Errorf("--cpu %s: no loop is modelled on it; there are %v", c, known)
		}
	}
	for i := range loops {
		for c := range loops[i].Cycles {
			if !slices.Contains(cpus, c) {
				delete(loops[i].Cycles, c)
			}
		}
	}
	return nil
}
