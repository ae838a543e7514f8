package trials

import (
	"bytes"
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"strings"
	"time"

	"whyhot/internal/report/term"
	"whyhot/internal/trial"
	"whyhot/internal/trial/suite"
)

//go:embed page.tmpl
var pageText string

// Page writes a suite's result as one HTML file that needs nothing else: no
// script, no request.
func Page(w io.Writer, r *suite.Result) error {
	t, err := template.New("page").Parse(pageText)
	if err != nil {
		return fmt.Errorf("the page's own template is broken: %w", err)
	}
	data := struct {
		*suite.Result

		Heading, Date, Machine string
		Chart, Bars            template.HTML
		Titles                 []string
		Rows                   []pageRow
		Sums                   []pageSum
		Left, Caveats          []string
	}{Result: r, Heading: suiteHeading(r), Titles: titles(r), Machine: machineText(&r.Machine)}
	if !r.Started.IsZero() {
		data.Date = r.Started.Format(time.DateOnly)
	}
	var chart, bars bytes.Buffer
	if Chart(&chart, r) == nil && Bars(&bars, r) == nil { // where nothing was measured, the table says so
		data.Chart = template.HTML(chart.String()) //nolint:gosec // drawn above, every text of it escaped
		data.Bars = template.HTML(bars.String())   //nolint:gosec // same
	}
	for _, c := range caveats(r) {
		data.Caveats = append(data.Caveats, c[2:])
	}
	for i := range r.Benchmarks {
		data.Rows = append(data.Rows, rowOf(&r.Benchmarks[i]))
	}
	for i := range r.Summary {
		data.Sums = append(data.Sums, sumOf(&r.Summary[i]))
		for _, l := range r.Summary[i].Left {
			data.Left = append(data.Left, data.Titles[i]+": not counted: "+l)
		}
	}
	if err := t.Execute(w, data); err != nil {
		return fmt.Errorf("writing the page: %w", err)
	}
	return nil
}

type pageRow struct {
	Name, Command, Baseline, Error string
	Cells                          []pageCell
}

type pageCell struct{ Class, Ratio, Interval, Median, Verdict string }

type pageSum struct{ Min, MinOf, Mean, Interval, Max, MaxOf, Verdict, Class, Caveat string }

func rowOf(b *suite.Benchmarked) pageRow {
	row := pageRow{Name: b.Name, Error: b.Error}
	if b.Outcome != nil {
		row.Command = term.CommandLine(b.Outcome.Command)
	}
	if b.Baseline != nil {
		row.Baseline = measured(b.Baseline.Median, b.Unit)
	}
	for i := range b.Variants {
		v := &b.Variants[i]
		cell := pageCell{Class: classOf(v.Verdict), Median: measured(v.Median, b.Unit), Verdict: worded(v.Verdict, v.Compared)}
		if v.Ratio != nil {
			cell.Ratio = ratio(v.Ratio.Estimate) + "×"
		}
		if v.Ratio.Known() {
			cell.Interval = ratio(v.Ratio.Low) + " – " + ratio(v.Ratio.High)
		}
		row.Cells = append(row.Cells, cell)
	}
	return row
}

func sumOf(s *suite.Summary) pageSum {
	if s.GeoMean == nil {
		return pageSum{}
	}
	out := pageSum{
		Min: ratio(s.Min.Ratio.Estimate) + "×", MinOf: s.Min.Benchmark,
		Mean: ratio(s.GeoMean.Estimate) + "×",
		Max:  ratio(s.Max.Ratio.Estimate) + "×", MaxOf: s.Max.Benchmark,
		Verdict: string(s.Verdict), Class: classOf(s.Verdict), Caveat: s.Caveat(),
	}
	if s.GeoMean.Known() {
		out.Interval = ratio(s.GeoMean.Low) + " – " + ratio(s.GeoMean.High)
	}
	return out
}

func classOf(v trial.Verdict) string {
	switch v {
	case trial.Faster:
		return "faster"
	case trial.Slower:
		return "slower"
	case trial.Different, trial.Failed:
		return "wrong"
	case trial.Same, trial.Unclear, trial.NoEffect, trial.LayoutNoise:
	}
	return "open"
}

func machineText(m *trial.Machine) string {
	var parts []string
	if m.CPUs > 0 {
		parts = append(parts, fmt.Sprintf("%d CPUs", m.CPUs))
	}
	for _, s := range []string{m.Model, m.Kernel} {
		if s != "" {
			parts = append(parts, term.Clean(s))
		}
	}
	return strings.Join(parts, " · ")
}
