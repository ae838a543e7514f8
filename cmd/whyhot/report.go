package main

import (
	"fmt"
	"io"
	"os"
	"slices"

	"github.com/spf13/cobra"

	"whyhot/internal/finding"
	"whyhot/internal/report/answerjson"
	"whyhot/internal/report/term"
)

// shownFlags say how much of each finding is printed.
type shownFlags struct {
	json    bool
	long    bool
	finding string
}

func (f *shownFlags) add(cmd *cobra.Command) {
	fl := cmd.Flags()
	fl.BoolVar(&f.json, "json", false, "write the findings as JSON (docs/finding.schema.json)")
	fl.BoolVarP(&f.long, "long", "v", false, "all that is known of each finding: source, evidence, what to change, caveats, commands")
	fl.StringVar(&f.finding, "finding", "", "only the finding with this `ID`, with all that is known of it")
}

// printReport writes findings as JSON or for a person, with brief unless all of them
// is wanted. A finding that was asked for and is not there is an error.
func (f *shownFlags) printReport(cmd *cobra.Command, r finding.Report, brief func(*term.Printer, finding.Report)) error {
	if f.finding != "" {
		r.Findings = slices.DeleteFunc(r.Findings, func(x finding.Finding) bool { return x.ID != f.finding })
		if len(r.Findings) == 0 {
			return fmt.Errorf("--finding %s: no such finding here (without --finding all are listed)", f.finding)
		}
		r.Notes, r.Unexplained, r.Surprises, r.Waits = nil, nil, nil, nil
	}
	if f.json {
		return writeJSON(cmd.OutOrStdout(), r)
	}
	p := term.New(cmd.OutOrStdout(), os.Environ())
	first := r.Waits != nil && r.Waits.Mostly // then they are why it takes so long
	if first {
		p.Waits(r.Waits)
	}
	if f.long || f.finding != "" {
		p.Long(r)
	} else {
		brief(p, r)
	}
	if !first {
		p.Waits(r.Waits)
	}
	p.Unexplained(r)
	p.Surprises(r.Surprises)
	return p.Err()
}

func writeJSON(w io.Writer, v any) error { return answerjson.Write(w, v) }
