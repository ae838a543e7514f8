package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"whyhot/internal/explain/analyzer"
	"whyhot/internal/explain/compdb"
	"whyhot/internal/explain/source/astfinding"
	"whyhot/internal/explain/source/excerpt"
	"whyhot/internal/explain/source/heat"
	"whyhot/internal/explain/source/loopfinding"
	"whyhot/internal/explain/source/remarks"
	"whyhot/internal/explain/source/sourcetext"
	"whyhot/internal/explain/source/userrule"
	"whyhot/internal/finding"
	"whyhot/internal/profile"
)

type scanFlags struct {
	analyse    analyseFlags
	json       bool
	suspected  bool
	rules      []string
	checkRules bool
	profile    string
	load       loadFlags
}

func newScanCmd() *cobra.Command {
	var f scanFlags
	cmd := &cobra.Command{
		Use:   "scan -p BUILD_DIR [FILE…] [--remarks] [--profile PROFILE] | scan -- COMPILER ARG…",
		Short: "Find loops that the compiler cannot make fast, and confirm it by compiling the counterfactual",
		Example: "  whyhot scan -p build\n" +
			"  whyhot scan -p build src/parse.cpp\n" +
			"  whyhot scan -p build --remarks --profile cpu.pb.gz\n" +
			"  whyhot scan -- clang++ -O3 -c x.cpp",
		RunE: func(cmd *cobra.Command, args []string) error { return runScan(cmd, args, f) },
	}
	fl := cmd.Flags()
	f.analyse.add(cmd, "build directory with a compile_commands.json")
	fl.BoolVar(&f.json, "json", false, "write the findings as JSON (docs/finding.schema.json)")
	fl.BoolVar(&f.suspected, "suspected", false, "also list the candidates that no counterfactual confirmed")
	fl.StringArrayVar(&f.rules, "rules", nil, "also look for the source patterns in `DIR` (repeatable; docs/rules/user-rules.md)")
	fl.StringVar(&f.profile, "profile", "", "rank by this `PROFILE`; what it never shows is left out")
	fl.BoolVar(&f.checkRules, "check-rules", false, "only run the fixtures of the rules in --rules")
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
	if f.checkRules {
		return checkSourceRules(cmd, own)
	}
	units, err := scanUnits(cmd, args, f.analyse.build)
	if err != nil {
		return err
	}
	opts, err := f.analyse.options(own)
	if err != nil {
		return err
	}
	var profile *profile.Profile
	if f.profile != "" { // before the long work
		if profile, _, err = readProfile(cmd, f.profile, f.load); err != nil {
			return err
		}
	}
	outcomes, err := analyse(cmd, units, opts)
	if err != nil {
		return stopped(err, len(outcomes), len(units))
	}
	report := finding.Report{
		Version:  finding.SchemaVersion,
		Findings: sourceFindings(outcomes, f.suspected, own),
		Notes:    slices.Concat(outcomeNotes(outcomes), analyzer.Notes(outcomes), astfinding.Errors(outcomes)),
	}
	if f.analyse.remarks {
		report.Findings = append(report.Findings, remarks.Findings(outcomes)...)
	}
	rankScan(&report, units, profile, f.profile)
	nameCommands(report.Findings, f.analyse.build, f.profile)
	return printReport(cmd, report, f.json, counted(len(units), "unit was", "units were")+" analysed; no loop gains from a counterfactual.")
}

// rankScan orders a scan by a profile, or says that none did.
func rankScan(r *finding.Report, units []compdb.Unit, p *profile.Profile, path string) {
	if p == nil {
		r.Notes = append(r.Notes, "no profile ranked these findings: confirmed ones, loops without calls and deep loops come first (whyhot explain PROFILE -p BUILD_DIR ranks by CPU)")
		addExcerpts(r.Findings, nil)
		return
	}
	hot := heat.NewHeat(p, heat.NewTree(units))
	ranked := hot.Rank(r.Findings, heat.Options{})
	r.Findings, r.Profile = ranked.Findings, sourceOf(p, path)
	if r.Findings == nil {
		r.Findings = []finding.Finding{} // the schema's list is never null
	}
	finding.Rank(r.Findings)
	addExcerpts(r.Findings, hot)
	r.Notes = slices.Concat(r.Notes, hot.Notes(), leftOut(ranked, "without --profile"))
}

// sourceFindings are what both layers say, joined.
func sourceFindings(outcomes []analyzer.Outcome, suspected bool, own []userrule.Rule) []finding.Finding {
	ir := loopfinding.Findings(outcomes, loopfinding.Options{Suspected: suspected})
	return astfinding.Join(ir, outcomes, astfinding.Options{Suspected: suspected, UserRules: userrule.ForReport(own)})
}

// addExcerpts cuts out the source of each finding. heat gives lines their
// shares and may be nil.
func addExcerpts(findings []finding.Finding, hot *heat.Heat) {
	var files sourcetext.Finder
	in := excerpt.Input{Text: files.Lines}
	if hot != nil {
		in.Shares = hot.Lines
	}
	for i := range findings {
		excerpt.Add(&findings[i], in)
	}
}

// interrupted is the exit code of a program that ^C ended, as shells count it.
const interrupted = 130

// stopped says how far an analysis came that ^C ended: answers are kept as they
// come, so that the next run goes on from there.
func stopped(err error, done, of int) error {
	if !errors.Is(err, context.Canceled) {
		return err
	}
	return &exitError{code: interrupted, err: fmt.Errorf("stopped after %d of %d units; what was answered is cached", done, of)}
}

func counted(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

// checkSourceRules runs the fixtures that the user's rules bring along.
func checkSourceRules(cmd *cobra.Command, own []userrule.Rule) error {
	if len(own) == 0 {
		return errors.New("--check-rules checks the rules of --rules DIR: name a directory")
	}
	binary, err := analyzer.Find()
	if err != nil {
		return err
	}
	if err := userrule.Check(cmd.Context(), binary, own); err != nil {
		return err
	}
	fixtures := 0
	for _, r := range own {
		fixtures += len(r.Fixtures)
	}
	_, err = fmt.Fprintf(cmd.OutOrStdout(), "%d rules, %d fixtures: all as expected\n", len(own), fixtures)
	return err
}

func scanUnits(cmd *cobra.Command, args []string, build string) ([]compdb.Unit, error) {
	if dash := cmd.ArgsLenAtDash(); dash >= 0 {
		if dash > 0 || build != "" {
			return nil, errors.New("either -p BUILD_DIR with files, or `-- COMPILER ARG…`, not both")
		}
		u, err := unitOf(args)
		return []compdb.Unit{u}, err
	}
	if build == "" {
		return nil, errors.New("say where the build is: -p BUILD_DIR (with its compile_commands.json), or give one command line after --")
	}
	units, err := compdb.Load(build)
	if err != nil || len(args) == 0 {
		return units, err
	}
	chosen := slices.DeleteFunc(units, func(u compdb.Unit) bool {
		return !slices.ContainsFunc(args, func(a string) bool { return names(a, u.File) })
	})
	if len(chosen) == 0 {
		return nil, fmt.Errorf("none of %s is in %s", strings.Join(args, ", "), filepath.Join(build, "compile_commands.json"))
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
