package main

import (
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"whyhot/internal/profile"
	"whyhot/internal/profile/lookup"
	"whyhot/internal/profile/view"
	"whyhot/internal/report/tablejson"
	"whyhot/internal/report/term"
	"whyhot/internal/symbol"
	"whyhot/internal/symbol/sourcetext"
)

type linesFlags struct {
	load       loadFlags
	prices     priceFlags
	filter     filterFlags
	sourceDirs []string
	context    int
	rows       int
	all        bool
	json       bool
}

func newLinesCmd() *cobra.Command {
	var f linesFlags
	cmd := &cobra.Command{
		Use:   "lines FILE|--from URL FUNCTION",
		Short: "Show the cost of each source line of a function",
		Long: `Shows the cost of each source line of a function, with its text if the file is
found; the cost of each address where lines are not known. "self" is the
share of samples in which the line itself was executing, "total" adds what the
line called. Bars show self, in interpreted code and where a function does
little but call, total; the heading says which.

FUNCTION is a name as the tables print it, with or without its package, or a
regular expression.`,
		Example: `  whyhot lines cpu.pb.gz parse_number
  whyhot lines cpu.pb.gz parse_number -n 10
  whyhot lines cpu.pb.gz parse_number --source-dir ~/src/parser
  whyhot lines --from http://localhost:7878 --service parser parse_number`,
		Args: f.load.args(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			path, rest := f.load.source(args)
			return runLines(cmd, path, rest[0], f)
		},
	}
	flags := cmd.Flags()
	flags.StringArrayVar(&f.sourceDirs, "source-dir", nil, "also look for source files below `DIR` (repeatable)")
	flags.IntVarP(&f.rows, "number", "n", 0, "lines with samples to show, those that cost most, 0 for all (--json gives all)")
	flags.IntVar(&f.context, "context", 2, "lines without samples to show around those with")
	flags.BoolVar(&f.all, "all", false, "merge all functions that FUNCTION matches")
	flags.BoolVar(&f.json, "json", false, "print JSON")
	f.prices.add(cmd)
	f.load.add(cmd)
	f.load.addRemote(cmd)
	f.filter.add(cmd)
	f.filter.addOwn(cmd)
	return cmd
}

func runLines(cmd *cobra.Command, path, function string, f linesFlags) error {
	if f.rows < 0 {
		return fmt.Errorf("-n %d: must not be negative", f.rows)
	}
	if f.context < 0 {
		return fmt.Errorf("--context %d: must not be negative", f.context)
	}
	prices, err := f.prices.read(cmd)
	if err != nil {
		return err
	}
	if !f.load.remote.on() {
		if err := swapped(cmd, path, function); err != nil {
			return err
		}
	}
	fetched, err := readProfile(cmd, path, f.load.chosenBy(f.filter))
	if err != nil {
		return err
	}
	all := fetched.Profile
	p, err := f.filter.apply(all)
	if err != nil {
		return err
	}
	found, err := lookup.Functions(p, function, f.all)
	if err != nil {
		return err
	}
	table := view.Lines(p, found)
	whole := term.WholeOf(all)
	rate, err := f.prices.rate(cmd, prices, all)
	if err != nil {
		return err
	}
	if f.json {
		return tablejson.Lines(cmd.OutOrStdout(), p, found[0], table, whole.Total, rate)
	}
	files := sourcetext.Finder{Dirs: f.sourceDirs, RecordedIn: p.Meta.Directory, Beside: sourcetext.Beside(p.Meta.Command, p.Meta.Directory), RecordedAt: p.Meta.Start}
	out := term.New(cmd.OutOrStdout(), os.Environ())
	printHeader(out, path, all, p, &f.filter, false)
	out.Bill(rate)
	out.Line()
	out.Lines(term.LinesInput{
		Profile: p, Name: functionTitle(p, found), Table: table, Whole: whole,
		Source: files.Lines, Context: f.context, Rate: rate,
		Rows: f.rows, Script: p.Function(found[0]).Kind.IsScript(),
	})
	notes := append(files.Notes(), missingLines(p, found, table, fetched.Missing)...)
	if all.Meta.Recorded && p.Function(found[0]).Kind == profile.KindJS {
		notes = append(notes, linesOfV8)
	}
	printOnce(cmd.ErrOrStderr(), notes)
	if words, ok := f.load.again(path); ok {
		out.Hint("why it is hot", whyhot(explainName, words)...)
	}
	return out.Err()
}

// linesOfV8 says what a recording knows of JavaScript's lines.
const linesOfV8 = "code that V8 has optimised tells the line of its function or loop, not of the statement, and not which functions were inlined; node --cpu-prof writes a profile with statements, which whyhot reads"

// missingLines says why the lines of a function are not known and what would
// help.
func missingLines(p *profile.Profile, found []profile.FunctionID, table *view.LineTable, summary symbol.Summary) []string {
	for _, r := range table.Rows {
		if r.Line > 0 {
			return nil
		}
	}
	binary := p.Mapping(p.Function(found[0]).Mapping).Path
	for i := range summary.Mappings {
		m := &summary.Mappings[i]
		if m.Path == binary && m.Problem != "" {
			return symbol.Summary{Mappings: summary.Mappings[i : i+1], Total: summary.Total}.Hints(0, true)
		}
	}
	return nil
}
