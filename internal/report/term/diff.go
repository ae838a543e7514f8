package term

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"whyhot/internal/finding/percent"
	"whyhot/internal/finding/price"
	"whyhot/internal/profile"
	"whyhot/internal/profile/symname"
	"whyhot/internal/profile/view"
	"whyhot/internal/report/quantity"
)

// DiffInput is a comparison and how to print it.
type DiffInput struct {
	A, B      *profile.Profile
	Table     *view.DiffTable
	Sort      view.Sort
	Rows      int  // at most, 0 prints all
	All       bool // also differences that chance explains
	FullNames bool
	Rate      *price.Rate // of all of B; nil where there are no prices
}

// Diff prints what changed from A to B.
func (p *Printer) Diff(in DiffInput) {
	var rows []view.DiffRow
	significant := 0
	for _, r := range in.Table.Rows {
		if r.Significant {
			significant++
		}
		if r.Significant || in.All {
			rows = append(rows, r)
		}
	}
	hidden := 0
	if in.Rows > 0 && len(rows) > in.Rows {
		hidden = len(rows) - in.Rows
		rows = rows[:in.Rows]
	}
	if len(rows) > 0 {
		in.table(rows).Print(p)
	}
	if hidden > 0 {
		p.Notef("%s more (-n 0 shows all)", quantity.Count(int64(hidden)))
	}
	p.verdict(in, significant)
}

func (p *Printer) verdict(in DiffInput, significant int) {
	compared := len(in.Table.Rows)
	if list := renamed(in.Table); len(list) > 0 {
		p.Notef("Taken for renamed, at equal cost in the same file or binary: %s", strings.Join(list, ", "))
	}
	if significant == 0 {
		p.Notef("No function of %s differs significantly.", quantity.Count(int64(compared)))
		if !in.All && compared > 0 {
			p.Notef("--all shows all differences.")
		}
		return
	}
	p.Notef("%s of %s functions differ significantly (false discovery rate %.0f%%).",
		quantity.Count(int64(significant)), quantity.Count(int64(compared)), 100*view.FalseDiscoveryRate)
}

// renamed lists the functions that are taken for one under two names.
func renamed(t *view.DiffTable) (list []string) {
	const most = 5
	for _, r := range t.Rows {
		if r.Was == "" {
			continue
		}
		if len(list) == most {
			return append(list, "…")
		}
		list = append(list, r.Was+" → "+r.Name)
	}
	return list
}

func (in *DiffInput) table(rows []view.DiffRow) *Table {
	t := &Table{Columns: []Column{
		{Title: "before", Right: true},
		{Title: "after", Right: true},
		{Title: "change", Right: true},
		{Title: "", Optional: 2},
		{Title: "", Optional: 0},
		{Title: "function, " + string(in.Sort), Flex: !in.FullNames, Whole: in.FullNames, Min: 28, Shorten: symname.Shorten},
		{Title: titleWhere, Max: libraryWidth, Shorten: ShortenPath, Optional: 1},
	}}
	t.Columns = slices.Insert(t.Columns, 3, billColumns(in.Rate)...)
	most := 0.0
	for _, r := range rows {
		most = math.Max(most, math.Abs(r.Delta))
	}
	for _, r := range rows {
		t.Add(in.cells(r, most)...)
	}
	return t
}

func (in *DiffInput) cells(r view.DiffRow, most float64) []Cell {
	a, b := r.A.Self, r.B.Self
	if in.Sort == view.SortTotal {
		a, b = r.A.Total, r.B.Total
	}
	style := &styles.more
	if r.Delta < 0 {
		style = &styles.less
	}
	sign := "" // says without colour what chance explains
	if !r.Significant {
		sign, style = "?", &styles.dim
	}
	name := Cell{Text: r.Name}
	if r.Was != "" {
		name.Text += " (was " + r.Was + ")"
	}
	if !r.Significant {
		name.Style = &styles.dim
	}
	cells := []Cell{
		{Text: in.value(a, in.Table.TotalA, in.A, r.A)},
		{Text: in.value(b, in.Table.TotalB, in.B, r.B)},
		{Text: in.change(r.Delta), Style: style},
		{Text: Bar(math.Abs(r.Delta), most, barWidth), Style: style},
		{Text: sign, Style: &styles.dim},
		name,
		{Text: place(r), Style: &styles.dim},
	}
	return slices.Insert(cells, 3, billCells(in.Rate, in.Table.Share(r.Delta), change)...)
}

// place leaves out what the name of unnamed code says already.
func place(r view.DiffRow) string {
	if strings.Trim(r.Name, "[]") == strings.Trim(r.Binary, "[]") {
		return ""
	}
	return cmp.Or(r.Binary, r.File)
}

// value is one side of a row; a function that the profile does not hold has
// none.
func (in *DiffInput) value(v, total int64, p *profile.Profile, s view.Side) string {
	switch {
	case s == view.Side{}:
		return "–"
	case in.Table.Absolute:
		return quantity.Value(v, p.Meta.ValueType)
	}
	return percent.Column(share(v, total))
}

func (in *DiffInput) change(delta float64) string {
	if in.Table.Absolute {
		text := quantity.Value(int64(delta), in.B.Meta.ValueType)
		if delta > 0 {
			text = "+" + text
		}
		return text
	}
	return fmt.Sprintf("%+.1f", 100*delta)
}
