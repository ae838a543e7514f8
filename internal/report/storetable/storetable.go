// Package storetable prints what a store holds.
//
// It owns how the numbers look, for whyhot, which asks a server, and for whyhot-server,
// which opens the store. It takes the numbers and writes a table for people. It must
// never know where they come from.
package storetable

import (
	"fmt"
	"io"
	"text/tabwriter"

	"whyhot/internal/report/quantity"
)

// Row is one table of a store.
type Row struct {
	Name  string
	Rows  int64
	Bytes int64
}

// File is what one part of the directory takes.
type File struct {
	Name  string
	Bytes int64
}

// Totals are of the store as a whole.
type Totals struct {
	Bytes, Stacks, Functions, Series, Unresolved int64

	Files    []File
	Warnings []string // of bounds that are near
}

// Print writes the tables, and below them the totals.
func Print(to io.Writer, rows []Row, t Totals) error {
	w := tabwriter.NewWriter(to, 0, 0, 2, ' ', 0)
	_, _ = fmt.Fprintln(w, "TABLE\tROWS\tBYTES") // errors come with Flush
	for _, r := range rows {
		_, _ = fmt.Fprintf(w, "%s\t%s\t%s\n", r.Name, quantity.Count(r.Rows), quantity.Bytes(float64(r.Bytes)))
	}
	_, _ = fmt.Fprintf(w, "all\t\t%s\n\n%s stacks, %s functions, %s series; %s addresses without a name\n", quantity.Bytes(float64(t.Bytes)),
		quantity.Count(t.Stacks), quantity.Count(t.Functions), quantity.Count(t.Series), quantity.Count(t.Unresolved))
	if len(t.Files) > 0 {
		_, _ = fmt.Fprintln(w, "\nFILE\tBYTES\tSHARE")
	}
	for _, f := range t.Files {
		_, _ = fmt.Fprintf(w, "%s\t%s\t%.1f%%\n", f.Name, quantity.Bytes(float64(f.Bytes)), 100*float64(f.Bytes)/float64(max(1, t.Bytes)))
	}
	for _, text := range t.Warnings {
		_, _ = fmt.Fprintf(w, "\nwarning: %s\n", text)
	}
	return w.Flush()
}
