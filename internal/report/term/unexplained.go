package term

import (
	"fmt"
	"slices"
	"strings"

	"charm.land/lipgloss/v2"

	"whyhot/internal/finding"
	"whyhot/internal/finding/percent"
)

// Unexplained prints the functions that hold much of the CPU and that no finding is
// about: their hot lines, what the machine does there, what was looked at, unless "No finding"
// above has told that.
func (p *Printer) Unexplained(r finding.Report) {
	us := r.Unexplained
	if len(us) == 0 {
		return
	}
	p.Line()
	p.Line(Heading("unexplained hot code"))
	all := lookedAtAll(us)
	for _, u := range us {
		p.Line()
		u.Looked = strings.TrimSpace(strings.TrimPrefix(u.Looked, all))
		p.unexplained(u)
	}
	if open, _, minor := finding.SortOut(r.Findings); len(open)+len(minor) == 0 {
		all = strings.TrimSpace(strings.TrimPrefix(all, r.Looked))
	}
	if all != "" {
		p.Line()
		p.wrapped("", "", Clean(all), styles.dim)
	}
}

// lookedAtAll are the sentences that are the same for all: they are printed once.
func lookedAtAll(us []finding.Unexplained) string {
	all := us[0].Looked
	for _, u := range us[1:] {
		n := 0
		for n < min(len(all), len(u.Looked)) && all[n] == u.Looked[n] {
			n++
		}
		all = all[:n]
	}
	if slices.ContainsFunc(us, func(u finding.Unexplained) bool { return len(u.Looked) > len(all) }) {
		all = all[:strings.LastIndex(all, ".")+1]
	}
	return all
}

func (p *Printer) unexplained(u finding.Unexplained) {
	const indent = "    "
	share := percent.Column(u.Share.Main())
	if u.Share.Error != nil {
		share += " " + percent.Error(*u.Share.Error)
	}
	at := p.placeText(u.Place)
	if u.Into != nil {
		at = shortPath(finding.Line{File: u.Place.File, Line: u.Place.Line}.String()) + " → " + strings.TrimPrefix(p.placeText(*u.Into), "in ")
	}
	if u.Spread > 0 {
		at += fmt.Sprintf(", spread over %d functions that it calls; asked for at", u.Spread)
	}
	p.wrapped("", fmt.Sprintf("%-14s", share), Clean(at), styles.strong)
	for _, l := range u.Lines {
		p.hotLine(indent, l, u.Into == nil && u.Spread == 0)
	}
	if len(u.Through) > 0 {
		names := make([]string, len(u.Through))
		for i, name := range u.Through {
			names[i] = shortName(name)
		}
		p.wrapped(indent, fmt.Sprintf("%-*s", labelWidth, "through"), Clean(strings.Join(names, " ← ")), lipgloss.NewStyle())
	}
	if len(u.Callers) > 0 {
		p.wrapped(indent, fmt.Sprintf("%-*s", labelWidth, "called at"), Clean(callers(u.Callers, u.Share.Main())), lipgloss.NewStyle())
	}
	if u.Calls != "" {
		p.wrapped(indent, fmt.Sprintf("%-*s", labelWidth, "called"), Clean(u.Calls), lipgloss.NewStyle())
	}
	for _, s := range u.Statements {
		p.wrapped(indent, fmt.Sprintf("%6s  ", percent.Column(s.Share)), Clean(s.Text), lipgloss.NewStyle())
	}
	if len(u.Machine) > 0 {
		parts := make([]string, 0, len(u.Machine))
		for _, a := range u.Machine {
			parts = append(parts, a.What+" "+percent.Column(a.Share))
		}
		p.wrapped(indent, "machine   ", strings.Join(parts, ", "), lipgloss.NewStyle())
	}
	if u.Looked != "" {
		p.wrapped(indent, "", Clean(u.Looked), styles.dim)
	}
	for i, see := range u.See {
		p.Line(indent, fmt.Sprintf("%-*s", labelWidth, once(i, "look")), styles.command.Render(Clean(see.String())))
	}
}

// callers are calls, innermost first, with shares where these are less than the one before.
func callers(calls []finding.HotLine, share float64) string {
	const nearly = 0.95
	parts := make([]string, len(calls))
	for i, l := range calls {
		of := shortName(l.Function)
		if l.Share < nearly*share {
			of += ", " + percent.Column(l.Share)
		}
		share = l.Share
		parts[i] = fmt.Sprintf("%s (%s)", shortPath(finding.Line{File: l.File, Line: l.Line}.String()), of)
	}
	return strings.Join(parts, " ← ")
}

// shortName is a function's name without its parameters and what it gives, and without the path
// of a package of Go: starlark.(*Set).IsSubset, and pugi::impl::(anonymous namespace)::strconcat.
func shortName(name string) string {
	for at := 1; at < len(name); at++ {
		if name[at] == '(' && !strings.HasPrefix(name[at:], "(*") && !strings.HasPrefix(name[at:], "(anonymous") {
			name = name[:at]
			break
		}
	}
	head, rest := name, ""
	if at := strings.IndexByte(name, '('); at > 0 {
		head, rest = name[:at], name[at:]
	}
	return head[strings.LastIndexAny(head, " /")+1:] + rest
}

// hotLine prints a line with its share, and below it the instructions. A line of another
// function was inlined, or leads there.
func (p *Printer) hotLine(indent string, l finding.HotLine, inlined bool) {
	text := strings.TrimSpace(expandTabs(l.Text))
	switch {
	case l.Function != "" && !inlined:
		text = strings.TrimSpace(text + "  (" + p.inText(l.Function) + ")")
	case l.Function != "":
		text = strings.TrimSpace(text + "  (" + p.inText(l.Function) + ", inlined)")
	}
	if l.Into != "" {
		text = strings.TrimSpace(text + "  → " + p.inText(l.Into))
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
