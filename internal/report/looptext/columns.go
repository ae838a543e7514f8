package looptext

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/ansi"

	"whyhot/internal/explain/analyzer"
	"whyhot/internal/explain/source"
	"whyhot/internal/finding"
	"whyhot/internal/report/loopview"
	"whyhot/internal/report/term"
)

// sideBySide is the width from which the worlds stand beside each other.
const sideBySide = 140

// column is a world, or several whose code is the same.
type column struct {
	names []string
	source.Compiled
}

func (c column) name() string { return strings.Join(c.names, " = ") }

// columnsOf gives the worlds of a loop; one that came out like an earlier one is
// a further name of it.
func columnsOf(c analyzer.Candidate) []column {
	var out []column
	for _, w := range source.Worlds(c) {
		same := func(x column) bool {
			return w.State.Assembly != "" && x.State.Assembly == w.State.Assembly && loopview.Shape(x.World) == loopview.Shape(w.World)
		}
		if i := slices.IndexFunc(out, same); i >= 0 {
			out[i].names = append(out[i].names, w.Name)
			out[i].Reached = out[i].Reached || w.Reached
			continue
		}
		out = append(out, column{[]string{w.Name}, w})
	}
	return out
}

// printSummary is a line for each world: what the loop became and what an
// iteration of the source costs, then by which processor.
func printSummary(p *term.Printer, columns []column, head lipgloss.Style) {
	worlds := make([]finding.World, len(columns))
	for i, col := range columns {
		worlds[i] = col.World
		worlds[i].Name = col.name()
	}
	p.Worlds("  ", worlds)
	p.Line()
	processors := loopview.Processors(worlds)
	if len(processors) < 2 { // the summary says it
		return
	}
	rows := [][]string{append([]string{"cycles"}, processors...)}
	for _, w := range worlds {
		row := []string{w.Name}
		for _, cpu := range processors {
			text := "–"
			if n, ok := w.Cycles[cpu]; ok {
				text = loopview.Number(n)
			}
			row = append(row, text)
		}
		rows = append(rows, row)
	}
	printTable(p, rows, head)
}

func printTable(p *term.Printer, rows [][]string, head lipgloss.Style) {
	widths := term.ColumnWidths(rows)
	for r, row := range rows {
		var line strings.Builder
		for i, cell := range row {
			line.WriteString(cell + strings.Repeat(" ", widths[i]-ansi.StringWidth(cell)+2))
		}
		text := strings.TrimRight(line.String(), " ")
		if r == 0 {
			text = head.Render(text)
		}
		p.Line("  ", text)
	}
	p.Line()
}

func printColumns(p *term.Printer, columns []column, head lipgloss.Style) {
	const gap = 2
	width := (p.Width-gap)/len(columns) - gap
	rows := 0
	wrapped := make([][]string, len(columns))
	for i, col := range columns {
		for _, l := range append([]string{col.name()}, worldLines(col.Compiled)...) {
			wrapped[i] = append(wrapped[i], strings.Split(ansi.Wrap(term.Clean(l), width, ""), "\n")...)
		}
		rows = max(rows, len(wrapped[i]))
	}
	for r := range rows {
		var line strings.Builder
		for _, col := range wrapped {
			text := ""
			if r < len(col) {
				text = col[r]
			}
			text += strings.Repeat(" ", max(0, width-ansi.StringWidth(text)))
			if r == 0 {
				text = head.Render(text)
			}
			line.WriteString(strings.Repeat(" ", gap) + text)
		}
		p.Line(strings.TrimRight(line.String(), " "))
	}
	p.Line()
}

// worldLines are what the summary has no room for: calls, remarks, machine code.
func worldLines(c source.Compiled) []string {
	var out []string
	if calls := loopview.Calls(c.World); calls != "" {
		out = append(out, calls)
	}
	out = append(out, remarkLines(c.State.Remarks)...)
	if c.State.Assembly == "" {
		return append(out, loopview.Shape(c.World))
	}
	if len(out) > 0 {
		out = append(out, "")
	}
	for l := range strings.Lines(c.State.Assembly) {
		out = append(out, strings.ReplaceAll(strings.TrimRight(l, "\n"), "\t", " "))
	}
	return out
}

// remarkLines says every remark once, with the lines it was made for.
func remarkLines(remarks []analyzer.Remark) []string {
	var texts []string
	at := map[string][]int{}
	for _, r := range remarks {
		text := fmt.Sprintf("%s: %s", r.Pass, strings.TrimSpace(r.Message))
		if _, ok := at[text]; !ok {
			texts = append(texts, text)
			at[text] = nil
		}
		if n := len(r.Where); n > 0 {
			if line := r.Where[n-1].Line; !slices.Contains(at[text], line) {
				at[text] = append(at[text], line)
			}
		}
	}
	out := make([]string, 0, len(texts))
	for _, t := range texts {
		if lines := at[t]; len(lines) > 0 {
			slices.Sort(lines)
			text := make([]string, len(lines))
			for i, n := range lines {
				text[i] = strconv.Itoa(n)
			}
			t += " (line " + strings.Join(text, ", ") + ")"
		}
		out = append(out, t)
	}
	return out
}
