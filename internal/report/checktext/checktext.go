// Package checktext prints what a check of a change says, for a terminal.
//
// It owns the words and their order. It takes a check.Result and a term.Printer. It must
// never run anything.
package checktext

import (
	"fmt"
	"math"
	"strings"

	"whyhot/internal/check"
	"whyhot/internal/finding/percent"
	"whyhot/internal/host/shellwords"
	"whyhot/internal/report/term"
)

// mostFunctions, mostFindings and mostFiles are how many are listed.
const (
	mostFunctions = 5
	mostFindings  = 3
	mostPackages  = 8
)

// Print prints a result.
func Print(p *term.Printer, r *check.Result) {
	p.Line(string(r.Verdict) + ": " + r.Says)
	commands(p, r)
	calibration(p, r.Calibration)
	dependencies(p, r.Bump)
	functions(p, "functions that take more CPU time", r.Functions)
	functions(p, "functions whose work only moved", r.Moved)
	findings(p, r.Findings)
	proof(p, r.Proof)
	for _, n := range r.Notes {
		p.Line("note: " + n)
	}
	p.Line(effort(r))
	if len(r.Repeat) > 0 {
		p.Line("repeat: " + term.CommandLine(r.Repeat))
	}
}

func commands(p *term.Printer, r *check.Result) {
	for i := range r.Commands {
		k := &r.Commands[i]
		if len(r.Commands) > 1 {
			p.Line(fmt.Sprintf("  %-10s %s: %s", k.Verdict, k.Name, k.Says))
		}
		if k.Rounds > 0 {
			p.Line(fmt.Sprintf("  %s → %s a run (median of %d runs each)", amount(k.Before, k.Unit), amount(k.After, k.Unit), k.Rounds))
		}
		if k.OutputDiffers != "" {
			p.Line("  the output differs from the base's: " + k.OutputDiffers)
		}
		for _, n := range k.Notes {
			p.Line("  note: " + n)
		}
	}
}

// amount is a value in its unit.
func amount(v float64, unit string) string {
	const milli, kilo = 1e-3, 1e3
	switch {
	case unit != "seconds":
		return fmt.Sprintf("%.4g %s", v, unit)
	case v >= 1:
		return fmt.Sprintf("%.3g s", v)
	case v >= milli:
		return fmt.Sprintf("%.3g ms", v*kilo)
	}
	return fmt.Sprintf("%.3g µs", v*kilo*kilo)
}

func calibration(p *term.Printer, c *check.Calibration) {
	if c == nil {
		return
	}
	text := fmt.Sprintf("the base against itself: %+.1f%% in %d rounds, one round varies by %s", 100*(c.Ratio-1), c.Rounds, percent.Text(c.Noise)) //nolint:mnd // per cent
	p.Line("  " + text)
	if c.Says != "" {
		p.Line("  " + c.Says)
	}
}

func dependencies(p *term.Printer, b *check.Bump) {
	if b == nil {
		return
	}
	p.Line(b.Says)
	for i, d := range b.Packages {
		if i == mostPackages {
			p.Line(fmt.Sprintf("  … and %d more", len(b.Packages)-i))
			break
		}
		p.Line(fmt.Sprintf("  %6s  %s %s → %s", percent.Column(d.Share), d.Name, d.From, d.To))
	}
}

func functions(p *term.Printer, title string, list []check.Function) {
	if len(list) == 0 {
		return
	}
	p.Line(title + " (100% is all that the base takes):")
	for i, f := range list {
		if i == mostFunctions {
			p.Line(fmt.Sprintf("  … and %d more", len(list)-i))
			break
		}
		edited := ""
		if f.Edited {
			edited = "  (edited)"
		}
		p.Line(fmt.Sprintf("  %+5.1f%%  %s  %s → %s%s%s", 100*f.Delta, f.Name, percent.Text(f.Before), percent.Text(f.After), at(f.File, f.Line), edited)) //nolint:mnd // per cent
		if f.Why != "" {
			p.Line("          " + f.Why)
		}
	}
}

func at(file string, line int) string {
	switch {
	case file == "":
		return ""
	case line == 0:
		return "  " + file
	}
	return fmt.Sprintf("  %s:%d", file, line)
}

func findings(p *term.Printer, list []check.Finding) {
	for i := range list {
		f := &list[i]
		if i == mostFindings {
			p.Line(fmt.Sprintf("… and %d more findings (--json)", len(list)-i))
			break
		}
		hot := f.Hot
		if hot == "" {
			hot = percent.Text(f.Share.Main()) + " of the new cost"
		}
		p.Line(fmt.Sprintf("%s: %s (%s, %s)", strings.TrimSpace(at(f.Place.File, f.Place.Line)), f.Title, f.Certainty, hot))
		for _, s := range f.Fix.Steps {
			p.Line("  " + s)
		}
		if f.Fix.Diff != "" {
			p.Line(f.Fix.Diff)
		}
	}
}

func proof(p *term.Printer, s *check.Proof) {
	if s == nil {
		return
	}
	p.Line(s.Says + ", repeat with " + shellwords.Join(s.Repeat))
}

// effort is what the check took.
func effort(r *check.Result) string {
	const minute = 60
	text := fmt.Sprintf("%.1f CPU minutes in %.1f minutes", r.CPUSeconds/minute, r.Elapsed/minute)
	if r.CPUSeconds < minute {
		text = fmt.Sprintf("%.0f CPU seconds in %.0f seconds", math.Ceil(r.CPUSeconds), math.Ceil(r.Elapsed))
	}
	if r.Level > 0 {
		text += fmt.Sprintf("; metric %s, %.4g%% joint confidence", r.Metric, 100*r.Level) //nolint:mnd // per cent
	}
	return text
}
