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
		return
	}
	p.Line(strong.Render("proved"), dim.Render(fmt.Sprintf("  in separate confirmation rounds; %.0f%% confidence for all results jointly", 100*r.Level)))
	for i := range r.Proved[:min(mostProved, len(r.Proved))] {
		v := &r.Proved[i]
		p.Line(good.Render("  "+Ratio(v.Ratio)), "  ", ansi.Truncate(term.Clean(How(v)), width-behind, "…"))
	}
	more(p, len(r.Proved)-mostProved, "proved")
}

// nothing says that no change is proved, or that the budget had room for all of them
// together alone.
func nothing(r *hunt.Result) string {
	switch c := r.Combined; {
	case c != nil && c.Verdict == finding.Faster:
		return "no change is proved by itself: the budget had room for one proof, of all that won the race together"
	case !r.Finished:
		return "nothing is proved yet"
	}
	return "nothing is proved: no change that could be tried makes it faster by more than chance"
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
	for i := range c.Left[:min(mostLeft, len(c.Left))] {
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
	for i := range r.Refuted[:min(mostRefuted, len(r.Refuted))] {
		v := &r.Refuted[i]
		parts = append(parts, fmt.Sprintf("%s %s", v.Name, Against(v)))
	}
	if n := len(r.Refuted) - mostRefuted; n > 0 {
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
	for i := range r.Open[:min(mostOpen, len(r.Open))] {
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
	more(p, len(r.Open)-mostOpen, "undecided")
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
	for i := range others[:min(mostUntried, len(others))] {
		u := &others[i]
		p.Line(ansi.Truncate(term.Clean("  "+u.Name+": "+u.Why), width, "…"))
	}
	more(p, len(others)-mostUntried, "untried")
}

// NoTime says what the budget had no room for, and which one has; "" where all had.
func NoTime(r *hunt.Result) string {
	var names []string
	needs := 0.0
	for _, u := range r.Untried {
		if u.Needs > 0 {
			names = append(names, fmt.Sprintf("%s (%s)", u.Name, spoken(u.Needs)))
			needs += u.Needs
		}
	}
	if len(names) == 0 {
		return ""
	}
	// A part of the budget is for proofs: what is added has to have room for both.
	const room = 2
	budget := time.Duration((r.Budget + room*needs) * float64(time.Second)).Round(time.Minute)
	return fmt.Sprintf("--budget %s has room: %s", spoken((budget + time.Minute).Seconds()), strings.Join(names, ", "))
}

func more(p *term.Printer, n int, what string) {
	if n > 0 {
		p.Line(dim.Render(fmt.Sprintf("  and %d more %s (--html, --json)", n, what)))
	}
}
