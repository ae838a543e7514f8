package term

import (
	"charm.land/lipgloss/v2"

	"whyhot/internal/finding"
)

// Waits prints where a command waits and what to change.
func (p *Printer) Waits(w *finding.Waits) {
	if w == nil {
		return
	}
	p.Line()
	p.Line(Heading("waits"))
	if w.Text != "" {
		p.wrapped("", "", Clean(w.Text), styles.strong)
	}
	for i := range w.Lines {
		p.Line()
		p.wrapped("", "  ", Clean(w.Lines[i].Text), lipgloss.NewStyle())
		if a := w.Lines[i].Advice; a != "" {
			p.wrapped("  ", "→ ", Clean(a), lipgloss.NewStyle())
		}
	}
}
