package lsp

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"whyhot/internal/finding"
	"whyhot/internal/host/printable"
	"whyhot/internal/lsp/drift"
)

// mark is what there is to say of a line of the open text.
type mark struct {
	line     int
	self     float64 // shares of the CPU, 0 where the profile has none
	paid     float64 // self, with what libraries, a runtime and the kernel do for the line
	total    float64
	margin   float64 // of paid
	findings []finding.Finding
	waits    []finding.Wait
}

// marks are the lines of an open text that something is known of, in their order.
func (s *Server) marks(ctx context.Context, d *document, again bool) []mark {
	byLine := map[int]*mark{}
	at := func(line int) *mark {
		if byLine[line] == nil {
			byLine[line] = &mark{line: line}
		}
		return byLine[line]
	}
	p := s.placed(ctx, d, again)
	if now := s.profiled(); p != nil {
		for was, row := range p.source.rows {
			if line := p.at[was]; line != drift.None {
				m := at(line)
				m.self, m.paid, m.total = now.share(row.Self), now.share(row.paid), now.share(row.Total)
				m.margin = finding.ShareError(m.paid, now.events)
			}
		}
		// shown is where a line of the profile is now.
		shown := func(line int) (m *mark, is bool) {
			if line > len(p.at) || p.at[line-1] == drift.None {
				return nil, false
			}
			return at(p.at[line-1]), true
		}
		for _, f := range now.about(p.source.recorded) {
			if m, is := shown(f.Place.Line); is {
				m.findings = append(m.findings, f)
			}
		}
		for _, w := range now.waitsIn(p.source.recorded) {
			if m, is := shown(w.Line); is {
				m.waits = append(m.waits, w)
			}
		}
	}
	if d.unit != nil {
		moved := drift.Map(d.unit.text, d.text)
		for _, f := range d.unit.findings {
			if f.Place.Line > len(moved) || moved[f.Place.Line-1] == drift.None {
				continue
			}
			m := at(moved[f.Place.Line-1])
			if !slices.ContainsFunc(m.findings, func(o finding.Finding) bool { return o.ID == f.ID }) {
				m.findings = append(m.findings, f)
			}
		}
	}
	out := make([]mark, 0, len(byLine))
	for _, m := range byLine {
		out = append(out, *m)
	}
	slices.SortFunc(out, func(a, b mark) int { return cmp.Compare(a.line, b.line) })
	return out
}

// show publishes the diagnostics of an open text.
func (s *Server) show(ctx context.Context, uri string, again bool) {
	d := s.document(uri)
	if d == nil {
		return
	}
	config := s.config(filepath.Dir(d.file))
	out := []diagnostic{}
	if config.Shows(config.Diagnostics) {
		for _, m := range s.marks(ctx, d, again) {
			out = append(out, m.diagnostics(d)...)
		}
	}
	if now := s.document(uri); now == nil || now.version != d.version {
		return // the next one is on its way
	}
	s.notify("textDocument/publishDiagnostics", publishParams{uri, out})
}

func (m *mark) diagnostics(d *document) []diagnostic {
	var out []diagnostic
	at := lineRange(d.text, m.line)
	if m.paid >= least {
		out = append(out, diagnostic{at, information, "cpu", "whyhot", m.shares()})
	}
	for i := range m.findings {
		f := &m.findings[i]
		text := fmt.Sprintf("%s (%s)", printable.Text(f.Title), f.Certainty)
		if g := f.Estimate(); g != nil {
			text += ", may give " + finding.SpeedUps(max(0, g.Low), min(1, g.High))
		}
		out = append(out, diagnostic{at, information, f.ID, "whyhot", text})
	}
	for _, text := range m.waiting() {
		out = append(out, diagnostic{at, information, "waits", "whyhot", text})
	}
	return out
}

// waiting is what the line waits for, a sentence each.
func (m *mark) waiting() []string {
	w := finding.Waits{Lines: m.waits}
	out := w.Sentences()
	for i := range out {
		out[i] = printable.Text(out[i])
	}
	return out
}

func (m *mark) shares() string {
	text := fmt.Sprintf("%.1f%% ± %.1f of the CPU", 100*m.paid, 100*m.margin)
	if m.paid-m.self >= least {
		text += fmt.Sprintf(" (%.1f%% without libraries, the runtime and the kernel)", 100*m.self)
	}
	if m.total-m.paid >= least {
		text += fmt.Sprintf(", %.1f%% with what it calls", 100*m.total)
	}
	return text
}

func (s *Server) hover(ctx context.Context, in hoverParams) (any, error) {
	d := s.document(in.TextDocument.URI)
	if d == nil {
		return nil, nil //nolint:nilnil // the protocol's null
	}
	if config := s.config(filepath.Dir(d.file)); !config.Shows(config.Hover) {
		return nil, nil //nolint:nilnil // as above
	}
	marks := s.marks(ctx, d, false)
	i := slices.IndexFunc(marks, func(m mark) bool { return m.line == in.Position.Line })
	if i < 0 {
		return nil, nil //nolint:nilnil // as above
	}
	return hoverResult{markup{"plaintext", marks[i].text(s.profiled())}, lineRange(d.text, in.Position.Line)}, nil
}

// text is all that is known of a line, for a person.
func (m *mark) text(now *shown) string {
	var b strings.Builder
	if now != nil && m.total > 0 {
		fmt.Fprintf(&b, "%s\n%s, %d samples\n", m.shares(), printable.Text(named(now.p.Path)), now.p.Count())
	}
	for i := range m.findings {
		f := &m.findings[i]
		fmt.Fprintf(&b, "\n%s (%s) %s\n", printable.Text(f.Title), f.Certainty, f.ID)
		if g := f.Estimate(); g != nil {
			fmt.Fprintf(&b, "  may give %s\n", finding.SpeedUps(max(0, g.Low), min(1, g.High)))
		}
		const most = 4
		for k, e := range f.Evidence {
			if k == most {
				fmt.Fprintf(&b, "  - %d more\n", len(f.Evidence)-most)
				break
			}
			fmt.Fprintf(&b, "  - %s: %s\n", e.Kind, printable.Text(e.Text))
		}
		for _, t := range f.Trials {
			fmt.Fprintf(&b, "  tried: %s %.2f× (%.2f to %.2f), %s\n", printable.Text(t.Variant), t.SpeedUp.Estimate, t.SpeedUp.Low, t.SpeedUp.High, t.Verdict)
		}
		for k, step := range f.Fix.Steps {
			if k < most {
				fmt.Fprintf(&b, "  → %s\n", printable.Text(step))
			}
		}
	}
	for _, text := range m.waiting() {
		fmt.Fprintf(&b, "\n%s\n", text)
	}
	return strings.TrimSpace(b.String())
}

func (s *Server) lenses(ctx context.Context, in documentParams) (any, error) {
	d := s.document(in.TextDocument.URI)
	out := []codeLens{}
	if d == nil {
		return out, nil
	}
	if config := s.config(filepath.Dir(d.file)); config.Off || !config.Lens {
		return out, nil
	}
	for _, m := range s.marks(ctx, d, false) {
		if m.paid >= least {
			out = append(out, codeLens{lineRange(d.text, m.line), command{Title: m.shares(), Command: ""}})
		}
	}
	return out, nil
}
