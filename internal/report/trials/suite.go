package trials

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"charm.land/lipgloss/v2"

	"whyhot/internal/finding"
	"whyhot/internal/report/quantity"
	"whyhot/internal/report/term"
	"whyhot/internal/trial"
	"whyhot/internal/trial/suite"
)

// PrintSuite writes what a suite says: every benchmark, the summary of every
// variant, notes.
func PrintSuite(p *term.Printer, r *suite.Result) {
	p.Line(strong.Render(term.Clean(r.Name)))
	p.Line(dim.Render(suiteHeading(r)))
	p.Line()
	if len(r.Variants) == 1 {
		oneVariant(p, r)
	} else {
		manyVariants(p, r)
	}
	p.Line()
	summaryTable(p, r)
	printCaveats(p, r)
	explainLeftOut(p, r)
	if len(r.Notes) > 0 {
		p.Line()
	}
	for _, n := range r.Notes {
		wrapped(p, "note  ", n, dim)
	}
}

func suiteHeading(r *suite.Result) string {
	kind := "variant"
	if r.Chain {
		kind = "step"
	}
	text := fmt.Sprintf("%d %s, %d %s", len(r.Benchmarks), plural(len(r.Benchmarks), "benchmark"), len(r.Variants), plural(len(r.Variants), kind))
	if r.Elapsed > 0 {
		text += ", in " + quantity.Duration(time.Duration(r.Elapsed*float64(time.Second)))
	}
	if r.Stopped == trial.StopInterrupted {
		text += "; interrupted"
	}
	if r.Chain {
		text += "; each step has those before it, ratios are to the baseline"
	}
	return text
}

func oneVariant(p *term.Printer, r *suite.Result) {
	const wide, barWidth, narrowBarWidth = 100, 25, 15
	bar := barWidth
	if p.Width < wide {
		bar = narrowBarWidth
	}
	t := term.Table{Columns: []term.Column{
		{Title: "benchmark", Flex: true, Min: 10},
		{Title: baselineTitle, Right: true, Optional: 2},
		{Title: r.Variants[0], Right: true, Max: 24, Optional: 3},
		{Title: ratioWord, Right: true},
		{Title: "95% interval"},
		{Title: "1 = baseline", Optional: 1},
		{Title: verdictTitle},
	}}
	draw := axisOf(ends(r), bar)
	for i := range r.Benchmarks {
		b := &r.Benchmarks[i]
		row := make([]term.Cell, len(t.Columns))
		row[0].Text = b.Name
		if b.Baseline == nil || len(b.Variants) == 0 {
			row[6] = term.Cell{Text: "not measured", Style: &wrong}
			t.Add(row...)
			continue
		}
		v := &b.Variants[0]
		style := styleOf(v.Verdict)
		row[1].Text, row[2].Text = measured(b.Baseline.Median, b.Unit), measured(v.Median, b.Unit)
		if v.Ratio != nil {
			row[3] = term.Cell{Text: ratio(v.Ratio.Estimate) + "×", Style: &style}
			row[5] = term.Cell{Text: draw.interval(drawn(v.Ratio)), Style: &style}
		}
		if v.Ratio.Known() {
			row[4].Text = ratio(v.Ratio.Low) + " – " + ratio(v.Ratio.High)
		}
		row[6] = term.Cell{Text: signed(v.Verdict, v.Compared), Style: &style}
		t.Add(row...)
	}
	t.Print(p)
}

// manyVariants has a column of ratios for each variant; a mark says what is not
// certain.
func manyVariants(p *term.Printer, r *suite.Result) {
	const widest = 22
	columns := make([]term.Column, 0, 2+len(r.Variants))
	columns = append(columns, term.Column{Title: "benchmark", Flex: true, Min: 10}, term.Column{Title: baselineTitle, Right: true})
	for _, v := range titles(r) {
		columns = append(columns, term.Column{Title: v, Right: true, Max: widest})
	}
	t := term.Table{Columns: columns}
	marks := map[string]string{}
	for i := range r.Benchmarks {
		b := &r.Benchmarks[i]
		row := make([]term.Cell, 2, 2+len(b.Variants))
		row[0].Text = b.Name
		if b.Baseline != nil {
			row[1].Text = measured(b.Baseline.Median, b.Unit)
		}
		for k := range b.Variants {
			cell, mark := ratioCell(&b.Variants[k])
			row = append(row, cell)
			if mark != "" {
				marks[mark[:1]] = mark
			}
		}
		t.Add(row...)
	}
	t.Print(p)
	for _, m := range []string{"?", "="} {
		if text, ok := marks[m]; ok {
			p.Line(dim.Render(text))
		}
	}
}

func ratioCell(v *suite.Value) (c term.Cell, mark string) {
	style := styleOf(v.Verdict)
	switch v.Verdict {
	case trial.Different, trial.Failed:
		return term.Cell{Text: string(v.Verdict) + "   ", Style: &style}, ""
	case trial.Faster, trial.Slower, trial.NoEffect:
		mark = ""
	case trial.Same, trial.LayoutNoise:
		mark = "= no difference"
	case trial.Unclear:
		mark = "? unclear: the interval holds 1, or there is none"
	}
	if v.Ratio == nil {
		return term.Cell{Text: "–   "}, ""
	}
	signs := signOf(v.Verdict, v.Compared)
	if mark != "" {
		signs = mark[:1] + signs
	}
	const width = 3
	return term.Cell{Text: fmt.Sprintf("%s× %-*s", ratio(v.Ratio.Estimate), width-1, signs), Style: &style}, mark
}

// titles are the variants as a reader of a chain sees them: what each adds.
func titles(r *suite.Result) []string {
	out := make([]string, len(r.Variants))
	for i, v := range r.Variants {
		out[i] = v
		if r.Chain && !strings.HasPrefix(v, "+") {
			out[i] = "+ " + v
		}
	}
	return out
}

// summaryTable draws the span of the ratios of every variant.
func summaryTable(p *term.Printer, r *suite.Result) {
	const wide, barWidth, narrowBarWidth = 100, 33, 17
	bar := barWidth
	if p.Width < wide {
		bar = narrowBarWidth
	}
	title := "all benchmarks"
	t := term.Table{Columns: []term.Column{
		{Title: title, Flex: true, Min: 10},
		{Title: "min", Right: true},
		{Title: "geo. mean", Right: true},
		{Title: "95% interval"},
		{Title: "max", Right: true, Optional: 2},
		{Title: "min ├ mean ● max ┤", Optional: 1},
		{Title: verdictTitle},
	}}
	var all []float64
	for i := range r.Summary {
		if s := &r.Summary[i]; s.GeoMean != nil {
			all = append(all, s.Min.Ratio.Estimate, s.Max.Ratio.Estimate)
		}
	}
	draw := axisOf(all, bar)
	for i, name := range titles(r) {
		s := &r.Summary[i]
		row := make([]term.Cell, len(t.Columns))
		row[0].Text = name
		if s.GeoMean != nil {
			style := styleOf(s.Verdict)
			row[1].Text, row[4].Text = ratio(s.Min.Ratio.Estimate)+"×", ratio(s.Max.Ratio.Estimate)+"×"
			row[2] = term.Cell{Text: ratio(s.GeoMean.Estimate) + "×", Style: &style}
			if s.GeoMean.Known() {
				row[3].Text = ratio(s.GeoMean.Low) + " – " + ratio(s.GeoMean.High)
			}
			row[5] = term.Cell{Text: draw.interval(finding.Interval{Estimate: s.GeoMean.Estimate, Low: s.Min.Ratio.Estimate, High: s.Max.Ratio.Estimate}), Style: &style}
			row[6] = term.Cell{Text: string(s.Verdict), Style: &style}
			if s.Caveat() != "" {
				row[6].Text += " " + notComparedSign
			}
		}
		t.Add(row...)
	}
	t.Print(p)
}

// explainLeftOut says which benchmarks a summary does not count.
func explainLeftOut(p *term.Printer, r *suite.Result) {
	said := false
	line := func(label, text string, style lipgloss.Style) {
		if !said {
			p.Line()
		}
		said = true
		wrapped(p, label, text, style)
	}
	for i := range r.Benchmarks {
		if b := &r.Benchmarks[i]; b.Error != "" {
			line(term.Clean(b.Name)+"  ", b.Error, wrong)
		}
	}
	for i, name := range titles(r) {
		for _, l := range r.Summary[i].Left {
			if !strings.HasSuffix(l, ": not measured") {
				line(term.Clean(name)+"  ", "not counted: "+l, wrong)
			}
		}
	}
}

func ends(r *suite.Result) []float64 {
	var out []float64
	for i := range r.Benchmarks {
		for k := range r.Benchmarks[i].Variants {
			if v := r.Benchmarks[i].Variants[k].Ratio; v != nil {
				d := drawn(v)
				out = append(out, d.Low, d.High)
			}
		}
	}
	return out
}

// drawn is a ratio as it is drawn: a dot where there is no interval.
func drawn(r *suite.Ratio) finding.Interval {
	if r.Known() {
		return finding.Interval{Estimate: r.Estimate, Low: r.Low, High: r.High}
	}
	return finding.Interval{Estimate: r.Estimate, Low: r.Estimate, High: r.Estimate}
}

// measured prints a median with its unit.
func measured(v float64, unit string) string {
	switch {
	case v <= 0:
		return ""
	case unit == "seconds":
		return quantity.Duration(time.Duration(v * float64(time.Second)))
	case unit == "bytes":
		return quantity.Bytes(v)
	case unit == "instructions", unit == "faults":
		return quantity.Count(int64(v))
	}
	return strings.TrimSpace(strconv.FormatFloat(v, 'g', 5, 64) + " " + unit)
}
