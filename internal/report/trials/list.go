package trials

import (
	"github.com/charmbracelet/x/ansi"

	"whyhot/internal/report/term"
	"whyhot/internal/trial/archive"
)

// longestName is how much of a variant's name a list shows: some are lists of flags.
const longestName = 48

// PrintList writes a row for every trial that is kept.
func PrintList(p *term.Printer, records []*archive.Record) {
	t := term.Table{Columns: []term.Column{
		{Title: "id"},
		{Title: "when", Optional: 3},
		{Title: ratioWord, Right: true},
		{Title: verdictTitle},
		{Title: "finding", Optional: 2},
		{Title: "best variant", Flex: true, Min: 8},
		{Title: "command", Flex: true, Min: 12}, // at the end, where a long one moves nothing
	}}
	for _, r := range records {
		when := r.Time.Local().Format("2006-01-02 15:04") //nolint:gosmopolitan // people read their own clock
		row := []term.Cell{{Text: r.ID}, {Text: when}, {}, {}, {Text: r.Finding}, {}, {Text: term.CommandLine(r.Command)}}
		if best := r.Best(); best != nil {
			style := styleOf(best.Verdict)
			row[5].Text = ansi.Truncate(best.Variant, longestName, "…")
			row[3] = term.Cell{Text: string(best.Verdict), Style: &style}
			if best.Caveat != "" {
				row[3].Text += ", " + best.Caveat
			}
			if best.Ratio != nil {
				row[2] = term.Cell{Text: ratio(best.Ratio.Estimate) + "×", Style: &style}
			}
		}
		t.Add(row...)
	}
	t.Print(p)
}
