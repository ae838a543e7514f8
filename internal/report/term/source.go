package term

import (
	"fmt"
	"slices"
	"strings"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/ansi"

	"whyhot/internal/finding"
	"whyhot/internal/report/quantity"
)

// roleSigns mark the accesses in the margin of the source.
var roleSigns = map[string]string{finding.RoleFirst: "1", finding.RoleWrite: "2", finding.RoleSecond: "3"}

var roleStyles = map[string]lipgloss.Style{
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
	digits := len(fmt.Sprint(lines[len(lines)-1].Number))
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
		share = quantity.Percent(*l.Share)
	}
	if shares {
		share = fmt.Sprintf("%*s ", shareWidth-1, share)
	}
	var signs strings.Builder
	for _, role := range []string{finding.RoleFirst, finding.RoleWrite, finding.RoleSecond} {
		sign := " "
		if slices.Contains(l.Marks, role) {
			sign = roleStyles[roleSigns[role]].Render(roleSigns[role])
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
	said := map[string]bool{}
	for _, role := range []struct{ role, text string }{
		{finding.RoleFirst, "loaded"}, {finding.RoleWrite, "written"}, {finding.RoleSecond, "loaded again"},
	} {
		for _, a := range f.Accesses {
			if a.Role != role.role || said[role.role] && a.File == f.Source.File {
				continue
			}
			said[role.role] = true
			what := a.Text
			if what == "" {
				what = a.Type
			}
			at := ""
			if a.File != f.Source.File {
				at = fmt.Sprintf(" at %s:%d", a.File, a.Line)
			}
			sign := roleSigns[a.Role]
			text := ansi.Truncate(Clean(what), max(20, min(p.Width, pipeWidth)-ansi.StringWidth(indent)-20-len(at)), "…")
			p.Line(indent, roleStyles[sign].Render(sign), styles.dim.Render(" "+role.text+": "), text, styles.dim.Render(at))
		}
	}
}

// worlds prints the loop in its counterfactual compilations side by side.
func (p *Printer) worlds(indent string, worlds []finding.World) {
	if len(worlds) == 0 {
		return
	}
	rows := [][]string{{"", "the loop is", "loads", "stores", "cycles"}}
	cycles := false
	for _, w := range worlds {
		cycles = cycles || len(w.Cycles) > 0
		rows = append(rows, []string{w.Name, WorldShape(w), optional(w.Loads), optional(w.Stores), cycleRange(w.Cycles)})
	}
	widths := make([]int, len(rows[0]))
	for _, r := range rows {
		for i, c := range r {
			widths[i] = max(widths[i], ansi.StringWidth(c))
		}
	}
	for i, r := range rows {
		var b strings.Builder
		for col, c := range r {
			pad := strings.Repeat(" ", widths[col]-ansi.StringWidth(c))
			switch {
			case col == len(r)-1 && !cycles:
			case col < 2:
				b.WriteString(c + pad + "  ")
			default:
				b.WriteString(pad + c + "  ")
			}
		}
		style := lipgloss.NewStyle()
		switch {
		case i == 0:
			style = styles.dim
		case worlds[i-1].Reached:
			style = certaintyStyle(finding.Confirmed)
		}
		p.Line(indent, style.Render(strings.TrimRight(b.String(), " ")))
	}
	note := "loads and stores of one iteration of the source loop"
	if cycles {
		note = "each of one iteration of the source loop; cycles by LLVM's model of " + strings.Join(processors(worlds), ", ")
	}
	p.wrapped(indent, "", note, styles.dim)
}

// WorldShape says in a few words what became of the loop.
func WorldShape(w finding.World) string {
	switch w.Fate {
	case finding.FateVectorised:
		if w.Interleave > 1 {
			return fmt.Sprintf("vectorised %d × %d", w.Width, w.Interleave)
		}
		return fmt.Sprintf("vectorised %d", w.Width)
	case finding.FateReplaced:
		return "a library call, or gone"
	case finding.FateUnrolled:
		return fmt.Sprintf("unrolled fully, %d iterations", w.Unroll)
	case finding.FateUnknown:
		return "not found again"
	}
	text := "scalar"
	if w.Unroll > 1 {
		text = fmt.Sprintf("scalar, unrolled %d times", w.Unroll)
	}
	if w.Calls > 0 {
		text += fmt.Sprintf(", %d calls", w.Calls)
	}
	return text
}

func optional(f *float64) string {
	if f == nil {
		return ""
	}
	return fmt.Sprintf("%.3g", *f)
}

func cycleRange(cycles map[string]float64) string {
	if len(cycles) == 0 {
		return ""
	}
	least, most := -1.0, 0.0
	for _, c := range cycles {
		if least < 0 || c < least {
			least = c
		}
		most = max(most, c)
	}
	a, b := fmt.Sprintf("%.2g", least), fmt.Sprintf("%.2g", most)
	if a == b {
		return a
	}
	return a + "–" + b
}

func processors(worlds []finding.World) []string {
	var names []string
	for _, w := range worlds {
		for cpu := range w.Cycles {
			if !slices.Contains(names, cpu) {
				names = append(names, cpu)
			}
		}
	}
	slices.Sort(names)
	return names
}

// inSource says whether a piece of evidence is shown by the excerpt or the
// table of worlds already.
func inSource(f finding.Finding, kind string) bool {
	switch kind {
	case "world":
		return len(f.Worlds) > 0
	case "first", "write", "load", "access":
		return f.Source != nil && len(f.Accesses) > 0
	}
	return false
}
