package trials

import (
	"whyhot/internal/report/term"
	"whyhot/internal/trial/archive"
)

// PrintList writes a row for every trial that is kept.
func PrintList(p *term.Printer, records []*archive.Record) {
	t := term.Table{Columns: []term.Column{
		{Title: "id"},
		{Title: "when", Optional: 3},
		{Title: "command", Flex: true, Min: 12},
		{Title: "best variant", Flex: true, Min: 8},
		{Title: ratioWord, Right: true},
		{Title: verdictTitle},
		{Title: "finding", Optional: 2},
	}}
	for _, r := range records {
		when := r.Time.Local().Format("2006-01-02 15:04") //nolint:gosmopolitan // people read their own clock
		row := []term.Cell{{Text: r.ID}, {Text: when}, {Text: term.CommandLine(r.Command)}, {}, {}, {}, {Text: r.Finding}}
		if best := r.Best(); best != nil {
			style := styleOf(best.Verdict)
			row[3].Text = best.Variant
			row[5] = term.Cell{Text: string(best.Verdict), Style: &style}
			if best.Caveat != "" {
				row[5].Text += ", " + best.Caveat
			}
			if best.Ratio != nil {
				row[4] = term.Cell{Text: ratio(best.Ratio.Estimate) + "×", Style: &style}
			}
		}
		t.Add(row...)
	}
	t.Print(p)
}
