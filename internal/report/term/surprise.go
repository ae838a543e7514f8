package term

import (
	"charm.land/lipgloss/v2"

	"whyhot/internal/finding"
)

// Surprises prints the shares that are not what was to be expected, a sentence each.
func (p *Printer) Surprises(list []finding.Surprise) {
	if len(list) == 0 {
		return
	}
	p.Line()
	p.Line(Heading("surprising"))
	for _, s := range list {
		p.Line()
		p.wrapped("", "  ", Clean(s.Text), lipgloss.NewStyle())
		if s.Why != "" {
			p.wrapped("  ", "because ", Clean(s.Why), styles.dim)
		}
	}
}
