package term

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/ansi"

	"whyhot/internal/finding"
	"whyhot/internal/finding/percent"
	"whyhot/internal/report/loopview"
)

// signStyles colour the signs of the accesses, which tell themselves apart
// without it too.
var signStyles = map[string]lipgloss.Style{
	"1": lipgloss.NewStyle().Foreground(lipgloss.Cyan).Bold(true),
	"2": lipgloss.NewStyle().Foreground(lipgloss.Red).Bold(true),
	"3": lipgloss.NewStyle().Foreground(lipgloss.Yellow).Bold(true),
}

// source prints the excerpt of a finding: the share of each line, its number,
// the marks of the accesses, the text.
func (p *Printer) source(indent string, f finding.Finding) {
	if f.Source == nil || len(f.Source.Lines) == 0 {
		return
	}
	lines := f.Source.Lines
	shares := slices.ContainsFunc(lines, func(l finding.ExcerptLine) bool { return l.Share != nil })
	digits := len(strconv.Itoa(lines[len(lines)-1].Number))
	cut := leftMargin(lines)
	p.Line()
	for i, l := range lines {
		if i > 0 && l.Number > lines[i-1].Number+1 {
			p.Line(indent, styles.dim.Render(strings.Repeat(" ", shareColumn(shares)+digits-1)+"⋮"))
		}
		p.sourceLine(indent, l, shares, digits, cut)
	}
	p.legend(indent, f)
	p.Line()
}

// shareWidth is the column of the lines' shares, its gap included.
const shareWidth = 7

func shareColumn(shares bool) int {
	if shares {
		return shareWidth
	}
	return 0
}

func (p *Printer) sourceLine(indent string, l finding.ExcerptLine, shares bool, digits, cut int) {
	share := ""
	if l.Share != nil {
		share = percent.Column(*l.Share)
	}
	if shares {
		share = fmt.Sprintf("%*s ", shareWidth-1, share)
	}
	var signs strings.Builder
	for _, role := range loopview.Roles() {
		sign := " "
		if slices.Contains(l.Marks, role) {
			sign = signStyles[loopview.Sign(role)].Render(loopview.Sign(role))
		}
		signs.WriteString(sign)
	}
	text := expandTabs(l.Text)
	text = Clean(text[min(cut, len(text)):])
	room := p.Width - ansi.StringWidth(indent) - shareColumn(shares) - digits - len(" 123 │ ")
	if text = ansi.Truncate(text, max(20, room), "…"); !l.Loop {
		text = styles.dim.Render(text)
	}
	p.Line(indent, share, styles.dim.Render(fmt.Sprintf("%*d ", digits, l.Number)), signs.String(), styles.dim.Render(" │ "), text)
}

// leftMargin is the white space that all lines begin with, which says nothing.
func leftMargin(lines []finding.ExcerptLine) int {
	least := -1
	for _, l := range lines {
		text := expandTabs(l.Text)
		if body := strings.TrimLeft(text, " "); body != "" && (least < 0 || len(text)-len(body) < least) {
			least = len(text) - len(body)
		}
	}
	return max(0, least)
}

// legend says what the marks mean, and names accesses in other files.
func (p *Printer) legend(indent string, f finding.Finding) {
	for _, m := range loopview.Legend(f) {
		at := ""
		if m.At != "" {
			at = " at " + m.At
		}
		says := " " + m.Says + ": "
		room := p.Width - ansi.StringWidth(indent) - 1 - len(says) - ansi.StringWidth(at)
		what := ansi.Truncate(Clean(m.What), max(20, room), "…")
		p.Line(indent, signStyles[m.Sign].Render(m.Sign), styles.dim.Render(says), what, styles.dim.Render(Clean(at)))
	}
}

// ColumnWidths are how many columns of the terminal the widest cell of each column of a
// table takes. Every row has as many cells as the first.
func ColumnWidths(rows [][]string) []int {
	widths := make([]int, len(rows[0]))
	for _, row := range rows {
		for i, cell := range row {
			widths[i] = max(widths[i], ansi.StringWidth(cell))
		}
	}
	return widths
}

// Worlds prints the loop in its counterfactual compilations side by side.
func (p *Printer) Worlds(indent string, worlds []finding.World) {
	if len(worlds) == 0 {
		return
	}
	said, cycles := loopview.Worlds(worlds)
	rows := [][]string{{"", "the loop is", "loads", "stores"}}
	if cycles {
		rows[0] = append(rows[0], "cycles")
	}
	for _, w := range said {
		rows = append(rows, []string{Clean(w.Name), w.Shape, w.Loads, w.Stores, w.Cycles}[:len(rows[0])])
	}
	widths := ColumnWidths(rows)
	for i, r := range rows {
		var line strings.Builder
		for col, c := range r {
			pad := strings.Repeat(" ", widths[col]-ansi.StringWidth(c))
			if col < 2 { // names; numbers stand at the right
				line.WriteString(c + pad + "  ")
			} else {
				line.WriteString(pad + c + "  ")
			}
		}
		style := lipgloss.NewStyle()
		switch {
		case i == 0:
			style = styles.dim
		case said[i-1].Reached:
			style = certaintyStyle(finding.Confirmed)
		}
		p.Line(indent, style.Render(strings.TrimRight(line.String(), " ")))
	}
	p.wrapped(indent, "", loopview.Note(worlds), styles.dim)
}
