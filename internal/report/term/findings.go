package term

import (
	"fmt"
	"slices"
	"strings"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/ansi"

	"whyhot/internal/finding"
	"whyhot/internal/finding/percent"
	"whyhot/internal/report/loopview"
	"whyhot/internal/report/quantity"
)

// pipeWidth is how wide running text gets where no terminal says.
const pipeWidth = 100

// labelWidth is the column that the labels of a finding stand in.
const labelWidth = 10

// Long prints all that is known of each finding, in the order of the ranking, what
// can give back little last; refuted ones are folded into a line each. A caveat that
// several findings share is printed with the first.
func (p *Printer) Long(r finding.Report) {
	open, refuted, minor := finding.SortOut(r.Findings)
	open = append(open, minor...)
	switch {
	case r.Unjudged:
		p.Line()
		p.Line(styles.strong.Render("Not judged."))
	case len(open) == 0:
		p.Line()
		p.Line(styles.strong.Render("No finding."), " ", r.Looked)
	}
	said := map[string]int{}
	for i, f := range open {
		p.Line()
		p.finding(i+1, f, said)
	}
	if len(refuted) > 0 {
		p.Line()
		p.Line(Heading("tried and refuted"))
		for _, f := range refuted {
			p.wrapped("", "", Clean(f.Title)+trialsInShort(f.Trials), styles.dim)
		}
	}
	p.notes(r.Notes)
}

// said holds the caveats that were printed, each with the rank of its finding.
func (p *Printer) finding(rank int, f finding.Finding, said map[string]int) {
	lead := fmt.Sprintf("%2d  ", rank)
	p.wrapped("", lead, Clean(f.Title), styles.strong)
	indent := strings.Repeat(" ", len(lead))
	if facts := findingFacts(f); len(facts) > 0 {
		p.wrapped(indent, "", strings.Join(facts, " · "), lipgloss.NewStyle())
	}
	item := func(label, text string, style lipgloss.Style) {
		if text != "" {
			p.wrapped(indent, fmt.Sprintf("%-*s", labelWidth, label), Clean(text), style)
		}
	}
	plain := lipgloss.NewStyle()
	item(string(f.Certainty), p.placeText(f.Place), certaintyStyle(f.Certainty))
	for i, l := range f.PaidBy {
		text := fmt.Sprintf("%s:%d (%s, %s)", l.File, l.Line, p.inText(l.Function), percent.Text(l.Share))
		if code := strings.TrimSpace(l.Text); code != "" {
			text += "  " + code
		}
		item(once(i, "paid by"), text, plain)
	}
	p.source(indent, f)
	p.Worlds(indent, f.Worlds)
	for i, text := range evidenceTexts(loopview.Rest(f), p.inText) {
		item(once(i, "why"), text, plain)
	}
	switch {
	case f.Gain == nil:
	case f.Estimate() == nil:
		item("estimate", "none: "+f.Gain.Basis, styles.dim)
	default:
		item("estimate", f.Gain.Basis, styles.dim)
	}
	for i, s := range f.Fix.Steps {
		item(once(i, "change"), s, plain)
	}
	caveats := f.Fix.Caveats
	if f.Fix.Licence != "" {
		caveats = append(slices.Clip(caveats), "licence: "+f.Fix.Licence)
	}
	for i, c := range firstSaid(caveats, rank, said) {
		item(once(i, "caveats"), c, styles.dim)
	}
	for i, t := range f.Trials {
		item(once(i, "tried"), trialText(t), plain)
	}
	if f.Fix.Diff != "" {
		p.Line()
		for line := range strings.Lines(f.Fix.Diff) {
			p.Line(indent, expandTabs(strings.TrimRight(line, "\n")))
		}
	}
	// A command is never broken: people copy it.
	command := func(c finding.Command) {
		p.Line(indent, fmt.Sprintf("%-*s", labelWidth, commandLabel(c)), styles.command.Render(Clean(c.String())))
	}
	for _, see := range f.See {
		command(see)
	}
	if !f.Next.IsZero() {
		command(f.Next)
		if f.Next.Has(versusFlag) {
			item("", versusText, styles.dim)
		}
	}
	if f.Aside {
		item("aside", asideText(f), styles.dim)
	}
	item("minor", f.Minor, styles.dim)
	item("id", f.ID, styles.dim)
}

// asideText says why a finding comes after all others. That another program does the
// work faster may well be why a run is slow; it is only not about this run.
func asideText(f finding.Finding) string {
	if f.Fix.Kind == replacedProgram {
		return "it is about the whole program, not about this run: replace the program where its work is worth that"
	}
	return "it holds for the whole program and for each of its runs, so it explains no single one"
}

// replacedProgram is the kind of a fix that runs another program.
const replacedProgram = "cli"

// firstSaid replaces what an earlier finding said already by its rank.
func firstSaid(texts []string, rank int, said map[string]int) []string {
	var out []string
	earlier := 0
	for _, t := range texts {
		switch at, ok := said[t]; {
		case !ok:
			said[t] = rank
			out = append(out, t)
		case earlier == 0:
			earlier = at
		}
	}
	if earlier > 0 {
		out = append(out, fmt.Sprintf("as for %d", earlier))
	}
	return out
}

// evidenceTexts writes evidence one paragraph each; symbols are a list in one.
func evidenceTexts(es []finding.Evidence, shorten func(string) string) []string {
	var out []string
	inRow := false
	for _, e := range es {
		text := shortEvidence(e, shorten) + shareText(e.Share)
		isSymbol := e.Kind == symbolEvidence
		if isSymbol && inRow {
			out[len(out)-1] += ", " + text
			continue
		}
		inRow = isSymbol
		out = append(out, text)
	}
	return out
}

// symbolEvidence is the kind of evidence that names a function.
const symbolEvidence = "symbol"

// shortEvidence is the text of a piece of evidence; of a function ("name in
// binary") the name is shortened.
func shortEvidence(e finding.Evidence, shorten func(string) string) string {
	at := strings.LastIndex(e.Text, " in ")
	if e.Kind != symbolEvidence || at < 0 {
		return e.Text
	}
	return shorten(e.Text[:at]) + e.Text[at:]
}

func once(i int, label string) string {
	if i == 0 {
		return label
	}
	return ""
}

func findingFacts(f finding.Finding) []string {
	var facts []string
	if f.Share.Inclusive != nil || f.Share.Exclusive != nil {
		kind := "with callees"
		if f.Share.Inclusive == nil {
			kind = "self"
		}
		s := percent.Column(f.Share.Main())
		if f.Share.Error != nil {
			s += fmt.Sprintf(" ± %.1f", 100**f.Share.Error)
		}
		facts = append(facts, s+" of all samples, "+kind)
	}
	facts = append(facts, quantity.Bill(f.Bill)...)
	if g := f.Estimate(); g != nil {
		facts = append(facts, fmt.Sprintf("may save %s of the CPU (%s as fast)", gainText(g), finding.SpeedUps(g.Low, g.High)))
	}
	return facts
}

// gainText is the range, with what is likely before it where that is known: 7% (0 … 10%).
func gainText(g *finding.Gain) string {
	if g.Likely != 0 {
		return fmt.Sprintf("%.0f%% (%.0f … %.0f%%)", 100*g.Likely, 100*g.Low, 100*g.High)
	}
	return percent.Column(g.Low) + " … " + percent.Column(g.High)
}

func (p *Printer) placeText(pl finding.Place) string {
	var parts []string
	if pl.Function != "" {
		parts = append(parts, p.inText(pl.Function))
	}
	if pl.File != "" {
		at := pl.File
		if pl.Line > 0 {
			at += fmt.Sprintf(":%d", pl.Line)
		}
		if pl.EndLine > pl.Line {
			at += fmt.Sprintf("-%d", pl.EndLine)
		}
		parts = append(parts, at)
	}
	if pl.Binary != "" {
		parts = append(parts, pl.Binary)
	}
	if len(parts) == 0 {
		return "in the whole profile"
	}
	return "in " + strings.Join(parts, ", ")
}

func shareText(s *float64) string {
	if s == nil {
		return ""
	}
	return " (" + percent.Column(*s) + ")"
}

func certaintyStyle(c finding.Certainty) lipgloss.Style {
	switch c {
	case finding.Proved:
		return lipgloss.NewStyle().Foreground(lipgloss.Green)
	case finding.Confirmed:
		return lipgloss.NewStyle().Foreground(lipgloss.Cyan)
	case finding.Suspected, finding.Refuted:
	}
	return lipgloss.NewStyle().Foreground(lipgloss.Yellow)
}

func trialText(t finding.Trial) string {
	return fmt.Sprintf("%s: %.3f× (%.3f – %.3f), %s, %d runs of %s",
		t.Variant, t.SpeedUp.Estimate, t.SpeedUp.Low, t.SpeedUp.High, t.Verdict, t.Runs, strings.Join(t.Command, " "))
}

func trialsInShort(ts []finding.Trial) string {
	parts := make([]string, 0, len(ts))
	for _, t := range ts {
		parts = append(parts, fmt.Sprintf("%s %.3f× (%.3f – %.3f)", t.Variant, t.SpeedUp.Estimate, t.SpeedUp.Low, t.SpeedUp.High))
	}
	if len(parts) == 0 {
		return ""
	}
	return ": " + strings.Join(parts, ", ")
}

// wrapped prints text behind a label, with its further lines indented below
// the first.
func (p *Printer) wrapped(indent, label, text string, style lipgloss.Style) {
	hang := indent + strings.Repeat(" ", ansi.StringWidth(label))
	room := p.room(hang)
	for i, line := range wordWrap(text, room) {
		if i == 0 {
			p.Line(indent, styles.dim.Render(label), style.Render(line))
			continue
		}
		p.Line(hang, style.Render(line))
	}
}

// room is how wide running text behind an indentation is.
func (p *Printer) room(indent string) int {
	return max(24, min(p.Width, pipeWidth)-ansi.StringWidth(indent))
}

// wordWrap breaks a text at spaces alone: a flag or a path that is broken at a hyphen cannot
// be copied.
func wordWrap(text string, room int) []string {
	const hyphen, stands = "-", "\ue000" // of the private use area: no text has it
	lines := strings.Split(ansi.Wordwrap(strings.ReplaceAll(text, hyphen, stands), room, ""), "\n")
	for i := range lines {
		lines[i] = strings.ReplaceAll(lines[i], stands, hyphen)
	}
	return lines
}
