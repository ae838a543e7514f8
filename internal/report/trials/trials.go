// Package trials prints the outcome of a trial in a terminal.
//
// It owns the words around the numbers and the drawing of intervals. It takes an
// Outcome of internal/trial and gives text on a printer of internal/report/term.
// It must never run or judge anything.
package trials

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/ansi"

	"whyhot/internal/finding"
	"whyhot/internal/report/quantity"
	"whyhot/internal/report/term"
	"whyhot/internal/trial"
)

const textWidth = 100 // running text gets no wider

// Words that head a column in several tables.
const (
	baselineTitle = "baseline"
	ratioWord     = "ratio"
	verdictTitle  = "verdict"
)

var (
	faster = lipgloss.NewStyle().Foreground(lipgloss.Green)
	slower = lipgloss.NewStyle().Foreground(lipgloss.Yellow)
	wrong  = lipgloss.NewStyle().Foreground(lipgloss.Red)
	dim    = lipgloss.NewStyle().Faint(true)
	strong = lipgloss.NewStyle().Bold(true)
)

// Print writes the whole outcome: table, a sentence per variant, notes.
func Print(p *term.Printer, o *trial.Outcome) {
	p.Line(strong.Render(ansi.Truncate(term.CommandLine(o.Command), max(20, p.Width), "…")))
	p.Line(dim.Render(heading(o)))
	p.Line()
	table(p, o)
	p.Line()
	width := 0
	for i := range o.Variants {
		width = max(width, ansi.StringWidth(term.Clean(o.Variants[i].Name)))
	}
	for i := range o.Variants {
		v := &o.Variants[i]
		label := term.Clean(v.Name) + strings.Repeat(" ", width-ansi.StringWidth(term.Clean(v.Name))) + "  "
		wrapped(p, label, worded(v.Verdict, v.Compared)+": "+v.Explanation, styleOf(v.Verdict))
	}
	if text := sameOutputs(o); text != "" {
		wrapped(p, strings.Repeat(" ", width)+"  ", text, dim)
	}
	if len(o.Notes) > 0 {
		p.Line()
	}
	for _, n := range o.Notes {
		wrapped(p, "note  ", n, dim)
	}
}

// sameOutputs says that all variants that ran write what the baseline writes, "" where
// that is not so or not known.
func sameOutputs(o *trial.Outcome) string {
	ran := 0
	for i := range o.Variants {
		switch v := &o.Variants[i]; {
		case v.Verdict == trial.Failed || v.Verdict == trial.NoEffect || v.Runs == 0:
		case v.Compared != trial.ComparedWhole || v.Verdict == trial.Different:
			return ""
		default:
			ran++
		}
	}
	var what []string
	for _, p := range o.Baseline.Outputs {
		if p.Length > 0 {
			what = append(what, fmt.Sprintf("%s (%s)", p.Name, quantity.Bytes(float64(p.Length))))
		}
	}
	if ran == 0 || len(what) == 0 {
		return ""
	}
	return "outputs are the same in every run: " + strings.Join(what, ", ")
}

// heading says how the numbers came about.
func heading(o *trial.Outcome) string {
	if o.Rounds == 0 {
		return "nothing was measured; " + stopText(o.Stopped)
	}
	return fmt.Sprintf("%d %s each of %d, interleaved, in %s; %s", o.Rounds, plural(o.Rounds, "run"), 1+len(o.Variants),
		quantity.Duration(time.Duration(o.Elapsed*float64(time.Second))), stopText(o.Stopped))
}

func stopText(s trial.Stop) string {
	switch s {
	case trial.StopSettled:
		return "more would not change the answer"
	case trial.StopBudget:
		return "the budget is spent"
	case trial.StopRounds:
		return "as many as asked for"
	case trial.StopInterrupted:
		return "interrupted"
	case trial.StopFailed:
		return "no variant is left to compare"
	}
	return string(s)
}

func table(p *term.Printer, o *trial.Outcome) {
	const wide, barWidth, narrowBarWidth = 100, 19, 13
	bar := barWidth
	if p.Width < wide {
		bar = narrowBarWidth
	}
	t := term.Table{Columns: []term.Column{
		{Title: "variant", Flex: true, Min: 10},
		{Title: ratioTitle(o.Metric), Right: true},
		{Title: fmt.Sprintf("%.3g%% interval", 100*o.Level)},
		{Title: "1 = baseline", Optional: 2},
		{Title: numberTitle(o), Right: true},
		{Title: "instructions", Right: true},
		{Title: "time", Right: true},
		{Title: "CPU time", Right: true, Optional: 3},
		{Title: "memory", Right: true},
		{Title: "page faults", Right: true, Optional: 4},
		{Title: verdictTitle},
	}}
	if o.Metric != trial.Faults {
		t.Columns[9].Optional = 5
	}
	t.Add(append([]term.Cell{{Text: baselineTitle}, {}, {}, {}}, spent(&o.Baseline)...)...)
	draw := newAxis(o, bar)
	for i := range o.Variants {
		v := &o.Variants[i]
		style := styleOf(v.Verdict)
		row := make([]term.Cell, 4, len(t.Columns))
		row[0].Text = v.Name
		if r, ok := o.SpeedUp(v); ok {
			row[1] = term.Cell{Text: ratio(r.Estimate) + "×", Style: &style}
			row[2] = term.Cell{Text: ratio(r.Low) + " – " + ratio(r.High)}
			row[3] = term.Cell{Text: draw.interval(r), Style: &style}
		} else if v.Estimate > 0 {
			row[1] = term.Cell{Text: ratio(v.Estimate) + "×", Style: &dim}
			row[2] = term.Cell{Text: "too few runs", Style: &dim}
		}
		row = append(row, spent(&v.Arm)...)
		t.Add(append(row, term.Cell{Text: signed(v.Verdict, v.Compared), Style: &style})...)
	}
	t.Print(p)
}

func ratioTitle(m trial.Metric) string {
	switch m {
	case trial.Wall:
		return "speed-up"
	case trial.CPU:
		return "CPU speed-up"
	case trial.Memory:
		return "memory ratio"
	case trial.Faults:
		return "fault ratio"
	case trial.Instructions, trial.Number:
	}
	return ratioWord
}

// numberTitle heads the column of the number that the command prints.
func numberTitle(o *trial.Outcome) string {
	if o.Metric == trial.Number && o.Unit != "" {
		return o.Unit
	}
	return "number"
}

// spent are the medians of one arm.
func spent(a *trial.Arm) []term.Cell {
	cells := make([]term.Cell, 0, len(trial.Metrics()))
	for _, m := range []trial.Metric{trial.Number, trial.Instructions, trial.Wall, trial.CPU, trial.Memory, trial.Faults} {
		s, ok := a.Summary[m]
		text := ""
		switch {
		case !ok:
		case m == trial.Memory:
			text = quantity.Bytes(s.Median)
		case m == trial.Number:
			text = strconv.FormatFloat(s.Median, 'g', 5, 64)
		case m == trial.Faults, m == trial.Instructions:
			text = quantity.Count(int64(math.Round(s.Median)))
		default:
			text = quantity.Duration(time.Duration(s.Median * float64(time.Second)))
		}
		cells = append(cells, term.Cell{Text: text})
	}
	return cells
}

// ratio prints a ratio with the digits that a measurement can carry.
func ratio(f float64) string {
	if f >= 10 {
		return fmt.Sprintf("%.1f", f)
	}
	return fmt.Sprintf("%.3f", f)
}

func styleOf(v trial.Verdict) lipgloss.Style {
	switch v {
	case trial.Faster:
		return faster
	case trial.Slower:
		return slower
	case trial.Different, trial.Failed:
		return wrong
	case trial.Same, trial.Unclear, trial.NoEffect, trial.LayoutNoise:
	}
	return lipgloss.NewStyle()
}

// axis maps ratios to columns of a drawing, logarithmically, so that twice as
// fast and half as fast are equally far from 1.
type axis struct {
	low, high float64
	width     int
}

func newAxis(o *trial.Outcome, width int) axis {
	var ends []float64
	for i := range o.Variants {
		if r, ok := o.SpeedUp(&o.Variants[i]); ok {
			ends = append(ends, r.Low, r.High)
		}
	}
	return axisOf(ends, width)
}

// axisOf spans the ratios given, and 1.
func axisOf(ends []float64, width int) axis {
	a := axis{width: width}
	for _, r := range ends {
		if r > 0 && !math.IsInf(r, 0) {
			a.low, a.high = min(a.low, math.Log(r)), max(a.high, math.Log(r))
		}
	}
	const least = 0.02 // an axis narrower than this would make noise look large
	a.low, a.high = min(a.low, -least), max(a.high, least)
	return a
}

func (a axis) column(r float64) int {
	x := (math.Log(r) - a.low) / (a.high - a.low)
	return int(math.Round(max(0, min(1, x)) * float64(a.width-1)))
}

func (a axis) interval(r finding.Interval) string {
	cells := []rune(strings.Repeat(" ", a.width))
	cells[a.column(1)] = '┊'
	if r.Low <= 0 {
		return string(cells)
	}
	from, to, at := a.column(r.Low), a.column(r.High), a.column(r.Estimate)
	for i := from; i <= to; i++ {
		cells[i] = '─'
	}
	if from < to {
		cells[from], cells[to] = '├', '┤'
	}
	if one := a.column(1); one > from && one < to {
		cells[one] = '┼'
	}
	cells[at] = '●'
	return string(cells)
}

func wrapped(p *term.Printer, label, text string, style lipgloss.Style) {
	room := max(24, min(p.Width, textWidth)-ansi.StringWidth(label))
	hang := strings.Repeat(" ", ansi.StringWidth(label))
	for i, line := range strings.Split(ansi.Wordwrap(term.Clean(text), room, ""), "\n") {
		if i > 0 {
			label = hang
		}
		p.Line(label, style.Render(line))
	}
}

func plural(n int, word string) string {
	if n == 1 {
		return word
	}
	return word + "s"
}
