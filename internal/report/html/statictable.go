package html

import (
	"whyhot/internal/finding"
	"whyhot/internal/finding/percent"
	"whyhot/internal/profile/view"
)

// staticRows is how many functions the table for readers without scripts has.
const staticRows = 40

// staticTable is the text alternative of the picture: it stands in the page
// where scripts are blocked.
type staticTable struct {
	Rows      []staticRow
	Functions int // how many there are in all
}

type staticRow struct {
	Self, Error, Total string
	Name, Binary       string
}

func newStaticTable(in *FlameInput) staticTable {
	top := view.Top(in.Profile, view.TopOptions{})
	t := staticTable{Functions: len(top.Rows)}
	if top.Total <= 0 {
		return t
	}
	for _, r := range top.Rows[:min(staticRows, len(top.Rows))] {
		self := float64(r.Self) / float64(top.Total)
		row := staticRow{
			Self:   percent.Column(self),
			Error:  percent.Column(finding.ShareError(self, top.Events)),
			Total:  percent.Column(float64(r.Total) / float64(top.Total)),
			Name:   view.Name(in.Profile, r.Function),
			Binary: view.Library(in.Profile, r.Function),
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}
