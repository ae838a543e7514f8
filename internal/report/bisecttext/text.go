// Package bisecttext prints in a terminal which commit changed what a command costs.
//
// It owns the words. It takes a Result of internal/bisect and gives text on a printer of
// internal/report/term. It must never search or judge.
package bisecttext

import (
	"fmt"
	"math"
	"strings"
	"time"

	"whyhot/internal/bisect"
	"whyhot/internal/bisect/history"
	"whyhot/internal/finding"
	"whyhot/internal/report/term"
	"whyhot/internal/trial"
)

const percent = 100

// Print prints a result.
func Print(p *term.Printer, r *bisect.Result) {
	switch {
	case r.Verdict == bisect.Difference:
		noDifference(p, r)
	case len(r.Commit) == 0:
		p.Line("Nothing is known yet: too little was measured.")
	default:
		commit(p, r)
	}
	for i := range r.Skipped {
		if i == 0 {
			p.Line()
		}
		p.Line(fmt.Sprintf("skipped %s %s: %s", r.Skipped[i].Short(), term.Clean(r.Skipped[i].Subject), term.Clean(r.Skipped[i].Why)))
	}
	p.Line()
	for _, n := range r.Notes {
		p.Line("note: " + term.Clean(n))
	}
	p.Line(Spent(r))
}

// Spent is what the search has cost.
func Spent(r *bisect.Result) string {
	text := fmt.Sprintf("%d commits · %d builds · %d runs · %s", r.Commits, r.Builds, r.Runs, time.Duration(r.Seconds*float64(time.Second)).Round(time.Second))
	if r.Noise > 0 {
		text += fmt.Sprintf(" · one run scatters by %.1f%%", r.Noise*percent)
	}
	return text
}

func noDifference(p *term.Printer, r *bisect.Result) {
	text := fmt.Sprintf("%s and %s do not differ by %.3g%%", r.Good.Short(), r.Bad.Short(), r.Limit*percent)
	if r.Whole != nil {
		text += fmt.Sprintf(": %s is %s", r.Bad.Short(), times(r.Whole, r))
	}
	p.Line(text)
}

func commit(p *term.Printer, r *bisect.Result) {
	word := "slower"
	if faster(r) {
		word = "faster"
	}
	c := &r.Commit[0]
	p.Line(title(c))
	p.Line("    " + term.Clean(c.Subject))
	switch {
	case r.Verdict == bisect.Undecided:
		p.Line(fmt.Sprintf("is the most probable commit that made it %s, with probability %.0f%%. It is not decided.", word, r.Probability*percent))
	default:
		p.Line(fmt.Sprintf("made it %s, with probability %s.", word, probability(r.Probability)))
	}
	if r.Step != nil && r.Parent != nil {
		p.Line()
		p.Line(fmt.Sprintf("It is %s of %s before it.", times(r.Step, r), r.Parent.Short()))
		if r.Whole != nil {
			p.Line(fmt.Sprintf("%s is %s of %s.", r.Bad.Short(), times(r.Whole, r), r.Good.Short()))
		}
	}
	for i, f := range r.Functions {
		if i == 0 {
			p.Line()
		}
		p.Line("    " + function(&f))
	}
	if r.Verdict == bisect.Undecided {
		for _, c := range r.Candidates {
			p.Line(fmt.Sprintf("    %5.1f%%  %s  %s", c.Probability*percent, c.Short(), term.Clean(c.Subject)))
		}
	}
}

// faster says which way the change went, as a person sees it.
func faster(r *bisect.Result) bool {
	if r.Step != nil && r.Metric != trial.Number {
		return r.Step.Estimate < 1
	}
	return r.Less != (r.Metric == trial.Number && r.HigherIsBetter)
}

func title(c *history.Commit) string {
	return fmt.Sprintf("%s  %s  %s", c.Short(), c.Date.Format("2 Jan 2006"), term.Clean(c.Author))
}

func probability(p float64) string {
	const sure = 0.999
	if p > sure {
		return "above 99.9%"
	}
	return fmt.Sprintf("%.1f%%", math.Floor(p*percent*10)/10) //nolint:mnd // tenths
}

func times(i *finding.Interval, r *bisect.Result) string {
	what := map[trial.Metric]string{
		trial.CPU: "the CPU time", trial.Wall: "the time", trial.Memory: "the memory", trial.Instructions: "the instructions", trial.Faults: "the page faults",
	}[r.Metric]
	if what == "" {
		what = "the number"
	}
	return fmt.Sprintf("%.3f× %s (%.3f to %.3f)", i.Estimate, what, i.Low, i.High)
}

func function(f *bisect.Grown) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%+.1f%%  %s", f.Change*percent, term.Clean(f.Function))
	if f.File != "" {
		fmt.Fprintf(&b, " in %s", term.Clean(f.File))
	} else if f.Binary != "" {
		fmt.Fprintf(&b, " in %s", term.Clean(f.Binary))
	}
	if !f.Self {
		b.WriteString(", with what it calls")
	}
	if f.Touched {
		b.WriteString(", a file that the commit changes")
	}
	return b.String()
}
