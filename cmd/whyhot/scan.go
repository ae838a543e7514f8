package main

import (
	"github.com/spf13/cobra"

	"whyhot/internal/explain"
	"whyhot/internal/finding"
	"whyhot/internal/report/term"
)

type scanFlags struct {
	analyse   analyseFlags
	shown     shownFlags
	suspected bool
	rules     []string
	profile   string
	load      loadFlags
}

func newScanCmd() *cobra.Command {
	var f scanFlags
	cmd := &cobra.Command{
		Use:   "scan -p BUILD_DIR [FILE…] [--remarks] [--profile PROFILE] | scan -- COMPILER ARG…",
		Short: "Find loops that aliasing or types keep slow in C and C++",
		Example: "  whyhot scan -p build\n" +
			"  whyhot scan -p build src/parse.cpp\n" +
			"  whyhot scan -p build --remarks --profile cpu.pb.gz\n" +
			"  whyhot scan -- clang++ -O3 -c x.cpp",
		RunE: func(cmd *cobra.Command, args []string) error { return runScan(cmd, args, f) },
	}
	fl := cmd.Flags()
	f.analyse.add(cmd, "build `DIR` with a compile_commands.json")
	f.shown.add(cmd)
	fl.BoolVar(&f.suspected, "suspected", false, "also list the candidates that no counterfactual confirmed")
	fl.StringArrayVar(&f.rules, "rules", nil, "also apply the source rules in `DIR` (repeatable; docs/rules/user-rules.md)")
	fl.StringVar(&f.profile, "profile", "", "rank by this `PROFILE` (- for standard input); what it never shows is not listed")
	return cmd
}

func runScan(cmd *cobra.Command, args []string, f scanFlags) error {
	rules, err := explain.LoadRules(f.rules...)
	if err != nil {
		return err
	}
	build, err := f.analyse.open(cmd, args, 0)
	if err != nil {
		return err
	}
	if cmd.ArgsLenAtDash() < 0 && len(args) > 0 {
		if build, err = build.Only(args...); err != nil {
			return err
		}
	}
	r := explain.ScanRequest{Build: build, Suspected: f.suspected, Rules: rules, Path: f.profile}
	if f.profile != "" { // before the long work
		p, err := readProfile(cmd, f.profile, f.load)
		if err != nil {
			return err
		}
		r.Profile = p.Profile
	}
	options, done := f.analyse.shown(cmd.ErrOrStderr())
	r.Options = options
	report, err := explain.Scan(cmd.Context(), r)
	done()
	if err != nil {
		return stopped(err)
	}
	return f.shown.printReport(cmd, report, func(p *term.Printer, r finding.Report) { p.Table(r, moreOfScan(f)) })
}

// moreOfScan is the command that shows all of the finding ID, "" where the build is
// one command line or the profile cannot be read again.
func moreOfScan(f scanFlags) string {
	if f.analyse.buildDir == "" || f.profile == "-" {
		return ""
	}
	words := []string{"whyhot", "scan", "-p", f.analyse.buildDir}
	if f.analyse.options.Remarks {
		words = append(words, "--remarks")
	}
	if f.suspected {
		words = append(words, "--suspected")
	}
	for _, dir := range f.rules {
		words = append(words, "--rules", dir)
	}
	if f.profile != "" {
		words = append(words, "--profile", f.profile)
	}
	return term.CommandLine(append(words, "--finding", "ID"))
}
