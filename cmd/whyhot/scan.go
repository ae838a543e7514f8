package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"whyhot/internal/analyzer"
	"whyhot/internal/astfinding"
	"whyhot/internal/compdb"
	"whyhot/internal/finding"
	"whyhot/internal/loopfinding"
	"whyhot/internal/userrule"
)

type scanFlags struct {
	build      string
	json       bool
	jobs       int
	noCache    bool
	suspected  bool
	predicates []string
	rules      []string
	checkRules bool
	accessors  []string
}

func newScanCmd() *cobra.Command {
	var f scanFlags
	cmd := &cobra.Command{
		Use:   "scan -p BUILD_DIR [FILE…] | scan -- COMPILER ARG…",
		Short: "Find loops that the compiler cannot make fast, and confirm it by compiling the counterfactual",
		Example: "  whyhot scan -p build\n" +
			"  whyhot scan -p build src/parse.cpp\n" +
			"  whyhot scan -- clang++ -O3 -c x.cpp",
		RunE: func(cmd *cobra.Command, args []string) error { return runScan(cmd, args, f) },
	}
	fl := cmd.Flags()
	fl.StringVarP(&f.build, "build", "p", "", "build directory with a compile_commands.json")
	fl.BoolVar(&f.json, "json", false, "write the findings as JSON (docs/finding.schema.json)")
	fl.IntVarP(&f.jobs, "jobs", "j", 0, "analyser processes at a time (default: one per core)")
	fl.BoolVar(&f.noCache, "no-cache", false, "neither read nor write cached answers")
	fl.BoolVar(&f.suspected, "suspected", false, "also list the candidates that no counterfactual confirmed")
	fl.StringSliceVar(&f.predicates, "stores", []string{"char"}, "which stores to blame: char, bitfield, pointer, size, volatile")
	fl.StringArrayVar(&f.rules, "rules", nil, "also look for the source patterns in `DIR` (repeatable; docs/rules/user-rules.md)")
	fl.BoolVar(&f.checkRules, "check-rules", false, "only run the fixtures of the rules in --rules")
	fl.StringSliceVar(&f.accessors, "accessors", nil, "names that alias-loop-condition-name looks for (default: size, length, count, begin, end and the like)")
	return cmd
}

func runScan(cmd *cobra.Command, args []string, f scanFlags) error {
	var own []userrule.Rule
	var err error
	if len(f.rules) > 0 {
		if own, err = userrule.Load(f.rules); err != nil {
			return err
		}
	}
	var units []compdb.Unit
	if !f.checkRules {
		if units, err = scanUnits(cmd, args, f); err != nil {
			return err
		}
	}
	binary, err := analyzer.Find()
	if err != nil {
		return err
	}
	if f.checkRules {
		return checkSourceRules(cmd, binary, own)
	}
	opts := analyzer.Options{Binary: binary, Workers: f.jobs, Predicates: f.predicates, Blame: true, AST: analyzer.ASTRequest{
		Layers: []string{analyzer.LayerAST, analyzer.LayerIR}, Accessors: f.accessors, UserRules: userrule.ForAnalyzer(own),
	}}
	if !f.noCache {
		if opts.Cache, err = analyzer.OpenCache("", binary); err != nil {
			return err
		}
	}
	var outcomes []analyzer.Outcome
	var notes []string
	err = analyzer.Run(cmd.Context(), units, opts, func(o analyzer.Outcome) {
		outcomes = append(outcomes, o)
		if o.Err != nil {
			notes = append(notes, fmt.Sprintf("%s: %v", o.Unit.File, o.Err))
		}
		for _, e := range o.Reply.Errors[:min(1, len(o.Reply.Errors))] {
			notes = append(notes, fmt.Sprintf("%s does not compile: %s", o.Unit.File, e))
		}
	})
	if err != nil {
		return err
	}
	report := finding.Report{
		Version: finding.SchemaVersion,
		Findings: astfinding.Join(loopfinding.Findings(outcomes, loopfinding.Options{Suspected: f.suspected}), outcomes,
			astfinding.Options{Suspected: f.suspected, UserRules: userrule.ForReport(own)}),
		Notes: append(notes, astfinding.Errors(outcomes)...),
	}
	report.Notes = append(report.Notes, "no profile ranked these findings: confirmed ones, loops without calls and deep loops come first")
	return printReport(cmd, report, f.json, fmt.Sprintf("%d units were analysed; no loop gains from a counterfactual.", len(units)))
}

// checkSourceRules runs the fixtures that the user's rules bring along.
func checkSourceRules(cmd *cobra.Command, binary string, own []userrule.Rule) error {
	if len(own) == 0 {
		return errors.New("--check-rules checks the rules of --rules DIR: name a directory")
	}
	if err := userrule.Check(cmd.Context(), binary, own); err != nil {
		return err
	}
	fixtures := 0
	for _, r := range own {
		fixtures += len(r.Fixtures)
	}
	_, err := fmt.Fprintf(cmd.OutOrStdout(), "%d rules, %d fixtures: all as expected\n", len(own), fixtures)
	return err
}

func scanUnits(cmd *cobra.Command, args []string, f scanFlags) ([]compdb.Unit, error) {
	if dash := cmd.ArgsLenAtDash(); dash >= 0 {
		if dash > 0 || f.build != "" {
			return nil, errors.New("either -p BUILD_DIR with files, or `-- COMPILER ARG…`, not both")
		}
		u, err := unitOf(args)
		return []compdb.Unit{u}, err
	}
	if f.build == "" {
		return nil, errors.New("say where the build is: -p BUILD_DIR (with its compile_commands.json), or give one command line after --")
	}
	units, err := compdb.Load(f.build)
	if err != nil || len(args) == 0 {
		return units, err
	}
	chosen := slices.DeleteFunc(units, func(u compdb.Unit) bool {
		return !slices.ContainsFunc(args, func(a string) bool { return names(a, u.File) })
	})
	if len(chosen) == 0 {
		return nil, fmt.Errorf("none of %s is in %s", strings.Join(args, ", "), filepath.Join(f.build, "compile_commands.json"))
	}
	return chosen, nil
}

// unitOf is the unit of one command line, run in the current directory.
func unitOf(args []string) (compdb.Unit, error) {
	dir, err := os.Getwd()
	if err != nil {
		return compdb.Unit{}, err
	}
	return compdb.FromCommand(dir, "", args)
}

// names says whether the user's argument means the file: by path, or as a tail
// of it.
func names(arg, file string) bool {
	if abs, err := filepath.Abs(arg); err == nil && abs == file {
		return true
	}
	return strings.HasSuffix(file, string(filepath.Separator)+filepath.Clean(arg))
}
