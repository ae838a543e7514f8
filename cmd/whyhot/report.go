package main

import (
	"encoding/json"
	"io"
	"os"

	"github.com/spf13/cobra"

	"whyhot/internal/finding"
	"whyhot/internal/report/term"
)

// printReport writes findings as JSON or for a person.
func printReport(cmd *cobra.Command, r finding.Report, asJSON bool) error {
	if asJSON {
		return writeJSON(cmd.OutOrStdout(), r)
	}
	p := term.New(cmd.OutOrStdout(), os.Environ())
	p.Findings(r, r.Looked)
	p.Unexplained(r.Unexplained)
	return p.Err()
}

func writeJSON(w io.Writer, v any) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(v)
}
