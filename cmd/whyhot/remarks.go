package main

import (
	"errors"
	"fmt"
	"os"
	"slices"

	"github.com/spf13/cobra"

	"whyhot/internal/collect/buildreport"
	"whyhot/internal/explain"
	"whyhot/internal/finding"
	"whyhot/internal/ingest/remark"
	"whyhot/internal/profile"
	"whyhot/internal/report/term"
)

type remarksFlags struct {
	load   loadFlags
	filter filterFlags
	shown  shownFlags
	keep   string
	number int
}

func newRemarksCmd() *cobra.Command {
	var f remarksFlags
	cmd := &cobra.Command{
		Use:   "remarks FILE REPORT... | remarks FILE -- BUILD COMMAND...",
		Short: "Show compiler remarks on hot lines",
		Long: `Reads what compilers reported (files, or directories of them) and joins it with a
profile: shows only remarks on lines with samples. What is allocated on the heap
needs samples in the allocator that its line called; a function that is not inlined
samples in its entry; a bounds check a hot line of a loop.

Behind -- stands a build that is run with the switches that make the compiler
report; the hot packages of the profile are compiled again.

docs/guide/remarks.md says how each compiler is asked, and what to change.`,
		Example: `  whyhot remarks cpu.pb.gz -- go build ./...
  go build -gcflags=all=-json=0,/tmp/report ./... && whyhot remarks cpu.pb.gz /tmp/report
  whyhot explain cpu.pb.gz --report /tmp/report`,
		Args: func(cmd *cobra.Command, args []string) error {
			switch dash := cmd.ArgsLenAtDash(); {
			case len(args) == 0 || dash == 0:
				return errors.New("which profile? whyhot remarks FILE REPORT... or whyhot remarks FILE -- BUILD COMMAND")
			case dash == len(args) || dash < 0 && len(args) == 1:
				return errors.New("no report: name files or directories of a compiler's, or a build command after --")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error { return runRemarks(cmd, args, f) },
	}
	flags := cmd.Flags()
	flags.IntVarP(&f.number, "number", "n", 0, "findings to show at most, 0 for all")
	flags.StringVar(&f.keep, "keep", "", "with a build command: keep its report in `DIR`, which must not exist or be empty")
	f.shown.add(cmd)
	f.load.add(cmd)
	f.filter.add(cmd)
	return cmd
}

func runRemarks(cmd *cobra.Command, args []string, f remarksFlags) error {
	if f.number < 0 {
		return fmt.Errorf("-n %d: must not be negative", f.number)
	}
	path, reports, build := args[0], args[1:], []string(nil)
	if dash := cmd.ArgsLenAtDash(); dash > 0 {
		reports, build = args[1:dash], args[dash:]
	}
	if f.keep != "" && build == nil {
		return errors.New("--keep keeps the report of a build: there is no command after --")
	}
	all, p, err := loadSamples(cmd, path, f.load, f.filter)
	if err != nil {
		return err
	}
	var said []remark.Remark
	if build != nil {
		if said, err = f.make(cmd, p, build); err != nil {
			return err
		}
	}
	more, err := explain.ReadReports(cmd.Context(), reports...)
	if err != nil {
		return err
	}
	r := explain.Request{Profile: p, Path: path, DebugDirs: f.load.debugDirs, Remarks: slices.Concat(said, more)}
	answer, err := explain.Remarks(cmd.Context(), r)
	if err != nil {
		return err
	}
	if f.shown.finding == "" {
		answer.Keep(f.number)
	}
	if !f.shown.json {
		out := term.New(cmd.OutOrStdout(), os.Environ())
		printHeader(out, path, all, p, &f.filter, false)
		out.Line()
		out.Notef("%s", answer.Looked)
		if err := out.Err(); err != nil {
			return err
		}
	}
	again := slices.Concat([]string{path}, reports)
	if f.keep != "" {
		again = append(again, f.keep)
	}
	shown := ""
	if path != "-" && (build == nil || f.keep != "") {
		shown = term.CommandLine(append(whyhot(cmd.Name(), again), "--finding", "ID"))
	}
	return f.shown.printReport(cmd, answer, func(p *term.Printer, r finding.Report) { p.Brief(r, shown) })
}

// make runs the build and reads its report.
func (f *remarksFlags) make(cmd *cobra.Command, p *profile.Profile, build []string) ([]remark.Remark, error) {
	dir := f.keep
	if dir == "" {
		var err error
		if dir, err = os.MkdirTemp("", "whyhot-report-"); err != nil {
			return nil, err
		}
		defer os.RemoveAll(dir) //nolint:errcheck // a temporary directory that is not removed harms nobody
	} else if err := emptyDir(dir); err != nil {
		return nil, fmt.Errorf("--keep: %w", err)
	}
	// The report is about standard output's reader: what the build prints stands beside.
	err := buildreport.Run(cmd.Context(), buildreport.Options{
		Command: build, Dir: dir, Packages: explain.GoPackages(p),
		Stdin: cmd.InOrStdin(), Stdout: cmd.ErrOrStderr(), Stderr: cmd.ErrOrStderr(),
	})
	if err != nil {
		return nil, err
	}
	return explain.ReadReports(cmd.Context(), dir)
}

func emptyDir(dir string) error {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	entries, err := os.ReadDir(dir)
	if err == nil && len(entries) > 0 {
		err = fmt.Errorf("%s is not empty", dir)
	}
	return err
}
