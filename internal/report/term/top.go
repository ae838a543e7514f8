package term

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"charm.land/lipgloss/v2"

	"whyhot/internal/finding"
	"whyhot/internal/finding/percent"
	"whyhot/internal/finding/price"
	"whyhot/internal/profile"
	"whyhot/internal/profile/symname"
	"whyhot/internal/profile/view"
	"whyhot/internal/report/quantity"
)

// TopInput is a top table and how to print it.
type TopInput struct {
	Profile   *profile.Profile
	Table     *view.TopTable
	Whole     Whole
	Rows      int // at most, 0 prints all
	Sort      view.Sort
	FullNames bool
	Rate      *price.Rate // of all of Whole; nil where there are no prices
}

const (
	selfTitle    = "self"
	barWidth     = 10
	libraryWidth = 24
	sourceWidth  = 20 // at least
)

// Top prints a top table.
func (p *Printer) Top(in TopInput) {
	rows := in.Table.Rows
	if in.Rows > 0 && in.Rows < len(rows) {
		rows = rows[:in.Rows]
	}
	t := in.table()
	for _, r := range rows {
		t.Add(in.cells(r, rows[0])...)
	}
	t.Print(p)
	if rest := len(in.Table.Rows) - len(rows); rest > 0 {
		var self int64
		for _, r := range in.Table.Rows[len(rows):] {
			self += r.Self
		}
		p.Notef("%s more with %s self together (-n 0 shows all)", quantity.Count(int64(rest)), percent.Column(in.Whole.Share(self)))
	}
}

func (in *TopInput) table() *Table {
	t := &Table{Columns: []Column{
		{Title: selfTitle, Right: true},
		{Title: "±", Right: true, Optional: 1},
		{Title: "total", Right: true},
		{Title: "", Optional: 2},
		{Title: valueTitle(in.Profile.Meta.ValueType), Right: true, Optional: 4},
		{Title: string(in.Table.By), Flex: !in.FullNames, Whole: in.FullNames, Min: 28, Shorten: in.shorten()},
		{Title: "library", Max: libraryWidth, Shorten: symname.Shorten},
		{Title: "source", Flex: true, Min: sourceWidth, Max: 2 * sourceWidth, Optional: 3, Shorten: ShortenPath},
	}}
	if in.Table.By == view.ByLine {
		t.Columns[5].Title = "function"
		t.Columns[7].Optional = 0
	}
	t.Columns = slices.Insert(t.Columns, 5, billColumns(in.Rate)...)
	return t
}

func valueTitle(t profile.ValueType) string {
	switch {
	case strings.HasSuffix(t.Unit, "seconds"):
		return "time"
	case strings.HasSuffix(t.Unit, "bytes"):
		return "size"
	case t.Type == "samples" || t.Type == "":
		return "samples"
	}
	return t.Type
}

func (in *TopInput) shorten() func(string, int) string {
	if in.Table.By == view.ByFile || in.Table.By == view.ByLibrary {
		return ShortenPath
	}
	return symname.Shorten
}

func (in *TopInput) cells(r, first view.Row) []Cell {
	value, full := r.Self, first.Self
	if in.Sort == view.SortTotal {
		value, full = r.Total, first.Total
	}
	share := in.Whole.Share(value)
	cells := []Cell{
		{Text: percent.Column(in.Whole.Share(r.Self))},
		{Text: fmt.Sprintf("%.1f", 100*finding.ShareError(share, in.Whole.Events)), Style: &styles.dim},
		{Text: percent.Column(in.Whole.Share(r.Total)), Style: &styles.dim},
		{Text: Bar(float64(value), float64(full), barWidth), Style: &styles.bar},
		{Text: quantity.Value(value, in.Profile.Meta.ValueType), Style: &styles.dim},
	}
	if in.Sort == view.SortTotal {
		cells[0].Style, cells[2].Style = &styles.dim, nil
	}
	cells = append(cells, billCells(in.Rate, share, quantity.Amount)...)
	if r.Label != "" {
		return append(cells, Cell{Text: r.Label})
	}
	return append(cells,
		Cell{Text: view.Name(in.Profile, r.Function), Style: nameStyle(in.Profile, r.Function)},
		Cell{Text: library(in.Profile, r.Function), Style: &styles.dim},
		Cell{Text: source(in.Profile.Function(r.Function), r.Line), Style: &styles.dim},
	)
}

// nameStyle sets code without a name back.
func nameStyle(p *profile.Profile, fn profile.FunctionID) *lipgloss.Style {
	if p.Function(fn).Name == "" {
		return &styles.dim
	}
	return nil
}

// library leaves out what the name of unnamed code says already.
func library(p *profile.Profile, fn profile.FunctionID) string {
	if f := p.Function(fn); f.Name == "" || p.Mapping(f.Mapping).Path == "" {
		return ""
	}
	return view.Library(p, fn)
}

// source is "file:line" as far as known: the given line, else the first of the
// function.
func source(f *profile.Function, line int32) string {
	if f.File == "" {
		return ""
	}
	if line == 0 {
		line = f.StartLine
	}
	file := filepath.Clean(f.File)
	if line == 0 {
		return file
	}
	return fmt.Sprintf("%s:%d", file, line)
}
