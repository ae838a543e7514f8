// Package summary prints what a hunt came to: one summary that fits a screen, one page.
//
// It owns the words around the numbers. It takes a Result of internal/hunt and gives
// text on a printer of internal/report/term, and HTML. It must never run or judge
// anything.
package summary

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/ansi"

	"whyhot/internal/finding"
	"whyhot/internal/hunt"
	"whyhot/internal/hunt/candidate"
	"whyhot/internal/report/quantity"
	"whyhot/internal/report/term"
)

// Lines of the summary, so that all of it fits a screen of 24: the rest is on the
// page and in the JSON.
const (
	mostProved  = 6
	mostRefuted = 8
	mostOpen    = 3
	mostUntried = 3
	mostLeft    = 3
)

// behind is the room that a ratio takes in front of a text.
const behind = 30

var (
	good   = lipgloss.NewStyle().Foreground(lipgloss.Green)
	bad    = lipgloss.NewStyle().Foreground(lipgloss.Yellow)
	dim    = lipgloss.NewStyle().Faint(true)
	strong = lipgloss.NewStyle().Bold(true)
)

// Print prints what a person can act on.
func Print(p *term.Printer, r *hunt.Result) {
	width := max(40, min(p.Width, 120)) //nolint:mnd // what a line of text can be
	p.Line(strong.Render(ansi.Truncate(term.CommandLine(r.Command), width, "…")))
	p.Line(dim.Render(Heading(r)))
	if !r.Finished {
		p.Line(bad.Render("not finished, it was " + term.Clean(r.Stage) + ": the same command goes on"))
	}
	p.Line()
	proved(p, r, width)
	combination(p, r, width)
	refuted(p, r, width)
	open(p, r, width)
	untried(p, r, width)
}

// Heading says how the result came about.
func Heading(r *hunt.Result) string {
	measured := 0
	for _, v := range append(append(append([]hunt.Verdict{}, r.Proved...), r.Refuted...), r.Open...) {
		if v.Runs > 0 && v.Known == nil {
			measured++
		}
	}
	noun := "changes"
	if measured == 1 {
		noun = "change"
	}
	text := fmt.Sprintf("%d %s measured in %s of %s", measured, noun, spoken(r.Spent), spoken(r.Budget))
	if r.Run > 0 {
		text += "; one run takes " + quantity.Duration(time.Duration(r.Run*float64(time.Second)))
	}
	if r.Build > 0 {
		text += ", one build " + quantity.Duration(time.Duration(r.Build*float64(time.Second)))
	}
	return text
}

func spoken(seconds float64) string {
	d := time.Duration(seconds * float64(time.Second)).Round(time.Second)
	text := d.String()
	if short, ok := strings.CutSuffix(text, "m0s"); ok {
		text = short + "m"
	}
	return text
}

// Ratio is a ratio with its interval.
func Ratio(i *finding.Interval) string {
	if i == nil {
		return ""
	}
	digits := 2
	if near(i.Low) || near(i.High) {
		digits = 3 // on which side of 1 an end lies decides
	}
	return fmt.Sprintf("%.*f× (%.*f to %.*f)", digits, i.Estimate, digits, i.Low, digits, i.High)
}

// near says that two digits would not tell a ratio from 1.
func near(x float64) bool { return x != 1 && x > 0.995 && x < 1.005 }

func proved(p *term.Printer, r *hunt.Result, width int) {
	if len(r.Proved) == 0 {
		p.Line(nothing(r))
		for _, text := range onward(r) {
			p.Line("  ", term.Clean(text)) // whole: it is copied
		}
		return
	}
	p.Line(strong.Render("proved"), dim.Render(fmt.Sprintf("  in separate confirmation rounds; %.0f%% confidence for all results jointly", 100*r.Level)))
	for i := range r.Proved[:shown(len(r.Proved), mostProved)] {
		v := &r.Proved[i]
		p.Line(good.Render("  "+Ratio(v.Ratio)), "  ", ansi.Truncate(term.Clean(How(v)), width-behind, "…"))
	}
	more(p, len(r.Proved), mostProved, "proved")
}

// nothing says that no change is proved: that the budget had room for all of them together
// alone, that its time ended before the most promising one was proved, or that none is
// faster.
func nothing(r *hunt.Result) string {
	switch c := r.Combined; {
	case c != nil && c.Verdict == finding.Faster:
		return "no change is proved by itself: the budget had room for one proof, of all that won the race together"
	case !r.Finished:
		return "nothing is proved yet"
	case r.Best() != nil:
		return fmt.Sprintf("nothing was proved in the time; %s looks like %s", term.Clean(r.Best().Name), Ratio(r.Best().Ratio))
	case r.Enough > 0:
		return "nothing is proved: no change that was tried is clearly faster, and the time ended before all were tried"
	}
	return "nothing is proved: no change that could be tried makes it faster by more than chance"
}

// onward are the ways to prove the most promising change, where nothing was proved in the
// time.
func onward(r *hunt.Result) []string {
	best := r.Best()
	if best == nil {
		return nil
	}
	return []string{"this proves it: " + best.Command, "or the same hunt with --budget " + spoken(r.Enough)}
}

// How is what a person does to have a change, with what it needs.
func How(v *hunt.Verdict) string {
	text := v.How
	if v.Kind == candidate.WhatIf {
		text = "predicted by compiling it so: " + text
	}
	if v.Applied {
		text += " (applied)"
	}
	if len(v.Caveats) > 0 { // its price
		text += " (" + v.Caveats[0] + ")"
	}
	return text
}

func combination(p *term.Printer, r *hunt.Result, width int) {
	c := r.Combined
	if c == nil || len(c.Names)+len(c.Left) < 2 {
		return
	}
	if len(c.Names) > 1 {
		style := good
		if c.Verdict != finding.Faster {
			style = bad
		}
		p.Line(strong.Render("together"))
		text := Ratio(c.Ratio)
		if text == "" {
			text = string(c.Verdict)
		}
		p.Line(style.Render("  "+text), "  ", ansi.Truncate(term.Clean(strings.Join(c.Names, " + ")), width-behind, "…"))
		for _, text := range parts(r) {
			p.Line("    ", ansi.Truncate(term.Clean(text), width-4, "…")) //nolint:mnd // the indent
		}
	}
	for i := range c.Left[:shown(len(c.Left), mostLeft)] {
		l := &c.Left[i]
		text := fmt.Sprintf("  without %s: %s", l.Name, l.Why)
		if l.Ratio != nil {
			text += ", " + Ratio(l.Ratio)
		}
		p.Line(dim.Render(ansi.Truncate(term.Clean(text), width, "…")))
	}
}

// parts are how a person has each change of a combination, and its price, where it is
// not among what is proved by itself.
func parts(r *hunt.Result) []string {
	c := r.Combined
	var out []string
	for i, name := range c.Names {
		if i >= len(c.How) || slices.ContainsFunc(r.Proved, func(v hunt.Verdict) bool { return v.Name == name }) {
			continue
		}
		text := c.How[i]
		for k := range r.Open {
			if v := &r.Open[k]; v.Name == name && len(v.Caveats) > 0 {
				text += " (" + v.Caveats[0] + ")"
			}
		}
		out = append(out, text)
	}
	return out
}

// Against is why a change is not worth having.
func Against(v *hunt.Verdict) string {
	text := string(v.Verdict)
	if v.Ratio != nil {
		text = fmt.Sprintf("%.2f×", v.Ratio.Estimate)
	}
	if v.Known != nil {
		text += ", known since " + v.Known.Format(time.DateOnly)
	}
	return text
}

func refuted(p *term.Printer, r *hunt.Result, width int) {
	if len(r.Refuted) == 0 {
		return
	}
	var parts []string
	last := shown(len(r.Refuted), mostRefuted)
	for i := range r.Refuted[:last] {
		v := &r.Refuted[i]
		parts = append(parts, fmt.Sprintf("%s %s", v.Name, Against(v)))
	}
	if n := len(r.Refuted) - last; n > 0 {
		parts = append(parts, fmt.Sprintf("%d more", n))
	}
	p.Line(strong.Render("refuted"))
	for line := range strings.SplitSeq(ansi.Wordwrap(term.Clean(strings.Join(parts, "; ")), width-2, ""), "\n") {
		p.Line("  ", line)
	}
}

func open(p *term.Printer, r *hunt.Result, width int) {
	if len(r.Open) == 0 {
		return
	}
	p.Line(strong.Render("undecided"))
	for i := range r.Open[:shown(len(r.Open), mostOpen)] {
		v := &r.Open[i]
		text := "  " + v.Name
		if v.Ratio != nil {
			text += " " + Ratio(v.Ratio)
		}
		if v.Why != "" {
			text += ": " + v.Why
		}
		p.Line(ansi.Truncate(term.Clean(text), width, "…"))
	}
	more(p, len(r.Open), mostOpen, "undecided")
}

func untried(p *term.Printer, r *hunt.Result, width int) {
	if len(r.Untried) == 0 {
		return
	}
	if text := NoTime(r); text != "" {
		p.Line(strong.Render("no time was left for"))
		p.Line("  ", ansi.Truncate(term.Clean(text), width-2, "…"))
	}
	others := slices.DeleteFunc(slices.Clone(r.Untried), func(u hunt.Untried) bool { return u.Needs > 0 })
	if len(others) == 0 {
		return
	}
	p.Line(strong.Render("for a person"))
	for i := range others[:shown(len(others), mostUntried)] {
		u := &others[i]
		p.Line(ansi.Truncate(term.Clean("  "+u.Name+": "+u.Why), width, "…"))
	}
	more(p, len(others), mostUntried, "untried")
}

// NoTime says what the budget had no room for, and which one has; "" where all had.
func NoTime(r *hunt.Result) string {
	var names []string
	for _, u := range r.Untried {
		if u.Needs > 0 {
			names = append(names, fmt.Sprintf("%s (%s)", u.Name, spoken(u.Needs)))
		}
	}
	if len(names) == 0 {
		return ""
	}
	text := strings.Join(names, ", ")
	if r.Enough == 0 { // not finished
		return text
	}
	return fmt.Sprintf("--budget %s has room: %s", spoken(r.Enough), text)
}

// shown is how many of n are listed where there is room for so many: a line that says that
// one more is left out takes as much room as that one.
func shown(n, most int) int {
	if n == most+1 {
		return n
	}
	return min(n, most)
}

func more(p *term.Printer, n, most int, what string) {
	if n -= shown(n, most); n > 0 {
		p.Line(dim.Render(fmt.Sprintf("  and %d more %s (--html, --json)", n, what)))
	}
}
