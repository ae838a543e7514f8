package term

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/ansi"

	"whyhot/internal/finding"
	"whyhot/internal/finding/percent"
	"whyhot/internal/report/loopview"
	"whyhot/internal/report/quantity"
)

// Brief prints what each finding is, its numbers, place and id, and the first of what to
// change. What can give back little and what was refuted is counted at the end. more is
// the command that shows all that is known of a finding, with ID for its id.
func (p *Printer) Brief(r finding.Report, more string) {
	open, refuted, minor := finding.SortOut(r.Findings)
	p.Line()
	switch {
	case r.Unjudged:
		p.Line(styles.strong.Render("Not judged."))
	case len(open)+len(minor) == 0:
		p.Line(styles.strong.Render("No finding."), " ", r.Looked)
	}
	said := map[string]int{}
	for i, f := range open {
		lead := fmt.Sprintf("%2d  ", i+1)
		indent := strings.Repeat(" ", len(lead))
		p.wrapped("", lead, Clean(f.Title), styles.strong)
		p.briefFacts(indent, f)
		p.briefChange(indent, f, i+1, said)
	}
	p.folded(open, minor, refuted)
	p.commands(open, more)
	p.notes(r.Notes)
}

// Table prints one line a finding: rule, place, effect, share. It folds as Brief
// does.
func (p *Printer) Table(r finding.Report, more string) {
	open, refuted, minor := finding.SortOut(r.Findings)
	p.Line()
	if len(open)+len(minor) == 0 {
		p.Line(styles.strong.Render("No finding."), " ", r.Looked)
	}
	if len(open) > 0 {
		p.findingTable(open)
	}
	p.folded(open, minor, refuted)
	p.commands(open, more)
	p.notes(r.Notes)
}

// findingTable gives the effect what the other columns leave of the terminal.
func (p *Printer) findingTable(fs []finding.Finding) {
	const leastEffect = 24
	t := Table{Columns: []Column{{Title: "rule"}, {Title: titleWhere}, {Title: "effect", Flex: true, Min: leastEffect}}}
	shares := slices.ContainsFunc(fs, func(f finding.Finding) bool { return f.Share.Exclusive != nil || f.Share.Inclusive != nil })
	if shares {
		t.Columns = append([]Column{{Title: "share", Right: true}}, t.Columns...)
	}
	for _, f := range fs {
		what := effect(f)
		if f.Certainty == finding.Suspected {
			what = "suspected: " + what
		}
		row := []Cell{{Text: f.Rule}, {Text: p.shortPlace(f.Place)}, {Text: what}}
		if shares {
			row = append([]Cell{{Text: percent.Column(f.Share.Main())}}, row...)
		}
		t.Add(row...)
	}
	t.Print(p)
}

// effect is what the fix does to the code, in a few words: of a loop its fate in the
// edited world, else the finding's title.
func effect(f finding.Finding) string {
	if text := loopview.Effect(f.Worlds); text != "" {
		return text
	}
	return Clean(f.Title)
}

func (p *Printer) briefFacts(indent string, f finding.Finding) {
	var facts []string
	if f.Share.Inclusive != nil || f.Share.Exclusive != nil {
		s := percent.Column(f.Share.Main())
		if f.Share.Error != nil {
			s += fmt.Sprintf(" ± %.1f", 100**f.Share.Error)
		}
		facts = append(facts, s)
	}
	facts = append(facts, quantity.Bill(f.Bill)...)
	certainty := certaintyStyle(f.Certainty).Render(string(f.Certainty))
	switch t, ok := bestTrial(f.Trials); {
	case ok && f.Certainty == finding.Proved:
		certainty += fmt.Sprintf(" %.2f× (%.2f … %.2f) with %s", t.SpeedUp.Estimate, t.SpeedUp.Low, t.SpeedUp.High, Clean(t.Variant))
	case f.Estimate() != nil:
		facts = append(facts, "may save "+gainText(f.Gain))
	}
	facts = append(facts, certainty)
	if f.Aside {
		facts = append(facts, "aside")
	}
	if at := p.shortPlace(f.Place); at != "" {
		facts = append(facts, at)
	}
	if len(f.PaidBy) > 0 {
		at := f.PaidBy[0]
		facts = append(facts, "called from "+p.shortPlace(finding.Place{File: at.File, Line: at.Line}))
	}
	p.joined(indent, append(facts, styles.dim.Render(f.ID)))
}

// briefChange prints as many of the steps of a fix as three lines hold, and the first
// whatever it takes. said has what was printed before, by the rank of its finding.
func (p *Printer) briefChange(indent string, f finding.Finding, rank int, said map[string]int) {
	const most, arrow = 3, "→ "
	if f.Aside || len(f.Fix.Steps) == 0 {
		return
	}
	all := strings.Join(f.Fix.Steps, "\n")
	if at, ok := said[all]; ok {
		p.wrapped(indent, arrow, fmt.Sprintf("as for %d", at), styles.dim)
		return
	}
	said[all] = rank
	room := p.room(indent + arrow)
	lines := 0
	for i, s := range f.Fix.Steps {
		step := Clean(s)
		lines += len(wordWrap(step, room))
		if i > 0 && lines > most {
			return
		}
		p.wrapped(indent, arrow, step, lipgloss.NewStyle())
	}
}

// joined prints facts on as few lines as they fit, none of them broken: an id that is
// split cannot be copied.
func (p *Printer) joined(indent string, facts []string) {
	const between = " · "
	room := p.room(indent)
	line := ""
	for _, f := range facts {
		switch {
		case line == "":
			line = f
		case ansi.StringWidth(line+between+f) <= room:
			line += between + f
		default:
			p.Line(indent, line)
			line = f
		}
	}
	p.Line(indent, line)
}

// bestTrial is the one that proved most.
func bestTrial(ts []finding.Trial) (finding.Trial, bool) {
	if len(ts) == 0 {
		return finding.Trial{}, false
	}
	return slices.MaxFunc(ts, func(a, b finding.Trial) int {
		switch {
		case a.SpeedUp.Low < b.SpeedUp.Low:
			return -1
		case a.SpeedUp.Low > b.SpeedUp.Low:
			return 1
		}
		return 0
	}), true
}

// shortPlace is FILE:LINE where the source is known, else the function and the name
// of the binary.
func (p *Printer) shortPlace(pl finding.Place) string {
	if pl.File != "" {
		return Clean(finding.Line{File: fromHere(pl.File), Line: pl.Line}.String())
	}
	parts := []string{}
	if pl.Function != "" {
		parts = append(parts, p.inText(pl.Function))
	}
	if pl.Binary != "" {
		parts = append(parts, filepath.Base(pl.Binary))
	}
	return Clean(strings.Join(parts, " in "))
}

// fromHere names a file below the working directory as a shell there would.
func fromHere(file string) string {
	dir, err := os.Getwd()
	if err != nil {
		return file
	}
	if rel, err := filepath.Rel(dir, file); err == nil && filepath.IsLocal(rel) {
		return rel
	}
	return file
}

// folded names what follows from a finding that is listed, and counts what else is not
// listed, with the reasons.
func (p *Printer) folded(open, minor, refuted []finding.Finding) {
	for i, f := range open {
		var follow []string
		for _, m := range minor {
			if m.After == f.ID {
				follow = append(follow, fmt.Sprintf("%s (%s)", m.Rule, percent.Column(m.Share.Main())))
			}
		}
		if len(follow) > 0 {
			p.wrapped("", "  +  ", fmt.Sprintf("look again after %d: %s", i+1, strings.Join(follow, ", ")), styles.dim)
		}
	}
	minor = slices.DeleteFunc(minor, func(m finding.Finding) bool {
		return slices.ContainsFunc(open, func(f finding.Finding) bool { return f.ID == m.After })
	})
	if len(minor) > 0 {
		count := map[string]int{}
		var reasons []string
		for _, f := range minor {
			if count[f.Minor]++; count[f.Minor] == 1 {
				reasons = append(reasons, f.Minor)
			}
		}
		slices.SortStableFunc(reasons, func(a, b string) int { return count[b] - count[a] })
		for i, r := range reasons {
			reasons[i] = fmt.Sprintf("%s (%d)", r, count[r])
		}
		p.wrapped("", "  +  ", fmt.Sprintf("%d more that can give little back (--long lists them): %s", len(minor), Clean(strings.Join(reasons, ", "))), styles.dim)
	}
	for _, f := range refuted {
		p.wrapped("", "  −  ", "refuted: "+Clean(f.Title)+trialsInShort(f.Trials), styles.dim)
	}
}

// commands prints what to do next once: with the first finding's id, to be copied.
func (p *Printer) commands(open []finding.Finding, more string) {
	if len(open) == 0 {
		return
	}
	first := open[0]
	p.Line()
	if len(open) > 1 {
		p.Line(styles.dim.Render("next, for the first; --long prints the commands of each:"))
	}
	line := func(label, command string) {
		p.Line(fmt.Sprintf("%-*s", labelWidth, label), styles.command.Render(Clean(command)))
	}
	if more != "" {
		line("details", strings.ReplaceAll(more, "ID", first.ID))
	}
	for _, see := range first.See {
		line(commandLabel(see), see.String())
	}
	if first.Next.IsZero() {
		return
	}
	line(commandLabel(first.Next), first.Next.String())
	if first.Next.Has(versusFlag) {
		p.wrapped("", strings.Repeat(" ", labelWidth), versusText, styles.dim)
	}
}

// A command that compares with a change which the reader makes is explained.
const (
	versusFlag = "--versus"
	versusText = "make the change in a copy of the program: --versus says how the copy is run, the command after -- is the baseline"
)

// commandLabel says what a command is for.
func commandLabel(c finding.Command) string {
	switch {
	case c.Tries():
		return "prove it"
	case c.Verb == "fix":
		return "patch"
	}
	return "look"
}

func (p *Printer) notes(notes []string) {
	if len(notes) > 0 {
		p.Line()
	}
	for _, n := range notes {
		p.wrapped("", "note  ", Clean(n), styles.dim)
	}
}
