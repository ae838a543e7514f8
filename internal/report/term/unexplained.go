package term

import (
	"fmt"
	"strings"

	"charm.land/lipgloss/v2"

	"whyhot/internal/finding"
	"whyhot/internal/finding/percent"
	"whyhot/internal/profile/symname"
)

// Unexplained prints the functions that hold much of the CPU and that no finding is
// about: their hot lines, what the machine does there, what was looked at.
func (p *Printer) Unexplained(us []finding.Unexplained) {
	if len(us) == 0 {
		return
	}
	p.Line()
	p.Line(styles.heading.Render("hot, and no finding is about it"))
	for _, u := range us {
		p.Line()
		p.unexplained(u)
	}
}

func (p *Printer) unexplained(u finding.Unexplained) {
	const indent = "    "
	share := percent.Column(u.Share.Main())
	if u.Share.Error != nil {
		share += " " + percent.Error(*u.Share.Error)
	}
	p.wrapped("", fmt.Sprintf("%-14s", share), Clean(placeText(u.Place)), styles.strong)
	for _, l := range u.Lines {
		p.hotLine(indent, l)
	}
	if len(u.Machine) > 0 {
		parts := make([]string, 0, len(u.Machine))
		for _, a := range u.Machine {
			parts = append(parts, a.What+" "+percent.Column(a.Share))
		}
		p.wrapped(indent, "machine   ", strings.Join(parts, ", "), lipgloss.NewStyle())
	}
	p.wrapped(indent, "looked at ", Clean(u.Looked), styles.dim)
	for i, see := range u.See {
		p.Line(indent, fmt.Sprintf("%-*s", labelWidth, once(i, "look")), styles.command.Render(Clean(see)))
	}
}

// hotLine prints a line with its share, and below it the instructions.
func (p *Printer) hotLine(indent string, l finding.HotLine) {
	text := strings.TrimSpace(expandTabs(l.Text))
	if l.Function != "" {
		text = strings.TrimSpace(text + "  (" + symname.Shorten(l.Function, evidenceName) + ", inlined)")
	}
	at := finding.Line{File: l.File, Line: l.Line}.String()
	p.Line(indent, fmt.Sprintf("%6s  ", percent.Column(l.Share)), styles.dim.Render(Clean(shortPath(at))), "  ", Clean(text))
	for _, in := range l.Instructions {
		p.Line(indent, fmt.Sprintf("%8s  ", ""), styles.dim.Render(fmt.Sprintf("%6s  %s", percent.Column(in.Share), Clean(in.Text))))
	}
}

// shortPath is the end of a path: the file with the directory it is in.
func shortPath(path string) string {
	parts := strings.Split(path, "/")
	return strings.Join(parts[max(0, len(parts)-2):], "/")
}
