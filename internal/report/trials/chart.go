package trials

import (
	"bufio"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"whyhot/internal/trial"
	"whyhot/internal/trial/suite"
)

// All lengths in pixels.
const (
	chartWidth  = 860
	chartLeft   = 58
	chartRight  = 20
	captionLine = 53
	plotTop     = 64
	plotHeight  = 300
	axisFont    = 12
	rowPitch    = 16
	blockGap    = 14
	below       = 76 // the plot
	nameColumn  = 210
	valueColumn = 215
)

// The colours are told apart by people who see fewer of them, on the white that
// the pictures bring along.
const (
	inkColor    = "#1f2933"
	softColor   = "#7b8794"
	gridColor   = "#e4e7eb"
	spanColor   = "#bcd4ee"
	meanColor   = "#0b5cad"
	fasterColor = "#0b7a53"
	slowerColor = "#b45309"
	wrongColor  = "#b91c1c"
)

type canvas struct{ out *bufio.Writer }

func (c *canvas) printf(format string, args ...any) { _, _ = fmt.Fprintf(c.out, format+"\n", args...) }

func (c *canvas) text(x, y float64, attributes, text string) {
	var b strings.Builder
	_ = xml.EscapeText(&b, []byte(text)) // a strings.Builder takes everything
	c.printf(`<text x="%.1f" y="%.1f" %s>%s</text>`, x, y, attributes, b.String())
}

func (c *canvas) begin(width, height float64, title string) {
	c.printf(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %.0f %.0f" width="%.0f" height="%.0f" font-family="system-ui, sans-serif" font-size="%d" role="img">`, width, height, width, height, axisFont)
	var b strings.Builder
	_ = xml.EscapeText(&b, []byte(title))
	c.printf(`<title>%s</title>`, b.String())
	c.printf(`<rect width="100%%" height="100%%" fill="#ffffff"/>`)
}

// Chart draws min, geometric mean and max over the suite for every variant or
// step, and each benchmark as a thin line or dot, as an SVG document.
func Chart(w io.Writer, r *suite.Result) error {
	scale, ok := newScale(r)
	if !ok {
		return errors.New("nothing was measured, so there is nothing to draw")
	}
	c := &canvas{bufio.NewWriter(w)}
	c.begin(chartWidth, plotTop+plotHeight+below, r.Name+": speed-up over the suite")
	c.text(chartLeft, 22, fmt.Sprintf(`font-size="15" font-weight="600" fill=%q`, inkColor), r.Name)
	c.text(chartLeft, 38, fmt.Sprintf("fill=%q", softColor), chartCaption(r))
	c.caveat(r)
	for _, v := range scale.ticks() {
		y := scale.y(v)
		color, width := gridColor, 1.0
		if v == 1 {
			color, width = softColor, 1.5
		}
		c.printf(`<line x1="%d" x2="%d" y1="%.1f" y2="%.1f" stroke=%q stroke-width="%.1f"/>`, chartLeft, chartWidth-chartRight, y, y, color, width)
		c.text(chartLeft-8, y+4, fmt.Sprintf(`text-anchor="end" fill=%q`, softColor), tickText(v))
	}
	columns := len(r.Variants) + 1
	pitch := float64(chartWidth-chartLeft-chartRight) / float64(columns)
	at := func(column int) float64 { return chartLeft + pitch*(float64(column)+0.5) }
	c.benchmarks(r, scale, at)
	c.spans(r, scale, at, pitch)
	c.columnNames(r, at, pitch)
	c.printf(`</svg>`)
	if err := c.out.Flush(); err != nil {
		return fmt.Errorf("writing the chart: %w", err)
	}
	return nil
}

func chartCaption(r *suite.Result) string {
	measured := 0
	for i := range r.Summary {
		measured = max(measured, r.Summary[i].Counted)
	}
	text := fmt.Sprintf("speed-up over the baseline on %d %s: bar from min to max, dot at the geometric mean", measured, plural(measured, "benchmark"))
	if r.Chain {
		text += "; each step keeps those before it"
	}
	return text
}

// notComparedNames are the benchmarks that some mean counts without knowing that
// the work was the same.
func notComparedNames(r *suite.Result) []string {
	var out []string
	for i := range r.Benchmarks {
		name := r.Benchmarks[i].Name
		if slices.ContainsFunc(r.Summary, func(s suite.Summary) bool { return slices.Contains(s.NotCompared, name) }) {
			out = append(out, name)
		}
	}
	return out
}

// caveat says under the caption which benchmarks were not compared.
func (c *canvas) caveat(r *suite.Result) {
	names := notComparedNames(r)
	if len(names) == 0 {
		return
	}
	const letters = 120
	text := []rune(fmt.Sprintf("%d of %d %s not compared: %s", len(names), len(r.Benchmarks), plural(len(r.Benchmarks), "benchmark"), strings.Join(names, ", ")))
	if len(text) > letters {
		text = append(text[:letters-1], '…')
	}
	c.text(chartLeft, captionLine, fmt.Sprintf(`font-size="11" fill=%q`, wrongColor), string(text))
}

// benchmarks draws each benchmark, as a line through the steps of a chain.
func (c *canvas) benchmarks(r *suite.Result, s scale, at func(int) float64) {
	for i := range r.Benchmarks {
		b := &r.Benchmarks[i]
		points := []string{fmt.Sprintf("%.1f,%.1f", at(0), s.y(1))}
		for k := range b.Variants {
			v := &b.Variants[k]
			if v.Ratio == nil || v.Verdict == trial.Different || v.Verdict == trial.Failed {
				continue
			}
			x, y := at(k+1), s.y(v.Ratio.Estimate)
			points = append(points, fmt.Sprintf("%.1f,%.1f", x, y))
			color, title := softColor, fmt.Sprintf("%s: %s×", b.Name, ratio(v.Ratio.Estimate))
			if v.Compared == trial.NotCompared {
				color, title = wrongColor, title+", not compared"
			}
			c.printf(`<circle cx="%.1f" cy="%.1f" r="2.5" fill="none" stroke=%q><title>%s</title></circle>`, x, y, color, escaped(title))
		}
		if r.Chain && len(points) > 1 {
			c.printf(`<polyline points=%q fill="none" stroke=%q stroke-width="1" stroke-opacity="0.35"/>`, strings.Join(points, " "), softColor)
		}
	}
}

// spans draws the summaries.
func (c *canvas) spans(r *suite.Result, s scale, at func(int) float64, pitch float64) {
	const widest = 46
	half := math.Min(widest, pitch*0.5) / 2
	means := []string{fmt.Sprintf("%.1f,%.1f", at(0), s.y(1))}
	var labels []func()
	for i := range r.Summary {
		sum := &r.Summary[i]
		if sum.GeoMean == nil {
			continue
		}
		x := at(i + 1)
		top, bottom, mid := s.y(sum.Max.Ratio.Estimate), s.y(sum.Min.Ratio.Estimate), s.y(sum.GeoMean.Estimate)
		c.printf(`<rect x="%.1f" y="%.1f" width="%.1f" height="%.1f" rx="4" fill=%q fill-opacity="0.55"><title>%s</title></rect>`,
			x-half, top, 2*half, math.Max(2, bottom-top), spanColor, escaped(fmt.Sprintf("%s: min %s× (%s), max %s× (%s)", sum.Variant, ratio(sum.Min.Ratio.Estimate), sum.Min.Benchmark, ratio(sum.Max.Ratio.Estimate), sum.Max.Benchmark)))
		means = append(means, fmt.Sprintf("%.1f,%.1f", x, mid))
		aside := 4.0 // level with the dot
		if r.Chain && i+1 < len(r.Summary) && r.Summary[i+1].GeoMean != nil {
			aside = -9 // off the line to the next dot
			if r.Summary[i+1].GeoMean.Estimate >= sum.GeoMean.Estimate {
				aside = 17
			}
		}
		labels = append(labels, func() { c.spanLabels(sum, x, half, top, mid, bottom, aside, s) })
	}
	if r.Chain {
		c.printf(`<polyline points=%q fill="none" stroke=%q stroke-width="2"/>`, strings.Join(means, " "), meanColor)
	}
	for _, l := range labels {
		l()
	}
}

func (c *canvas) spanLabels(sum *suite.Summary, x, half, top, mid, bottom, aside float64, s scale) {
	if sum.GeoMean.Known() {
		c.printf(`<line x1="%.1f" x2="%.1f" y1="%.1f" y2="%.1f" stroke=%q stroke-width="3"/>`, x, x, s.y(sum.GeoMean.Low), s.y(sum.GeoMean.High), meanColor)
	}
	c.printf(`<circle cx="%.1f" cy="%.1f" r="5" fill=%q/>`, x, mid, meanColor)
	sign := ""
	if sum.Caveat() != "" {
		sign = notComparedSign
	}
	c.text(x+half+6, mid+aside, fmt.Sprintf(`font-weight="600" fill=%q paint-order="stroke" stroke="#ffffff" stroke-width="4"`, meanColor), short(sum.GeoMean.Estimate)+"×"+sign)
	const apart = 11 // two labels nearer than this run into each other
	small := fmt.Sprintf(`text-anchor="end" font-size="11" fill=%q`, softColor)
	if sum.Counted > 1 && bottom-top > apart {
		c.text(x-half-5, top+5, small, short(sum.Max.Ratio.Estimate)+"×")
		c.text(x-half-5, bottom+2, small, short(sum.Min.Ratio.Estimate)+"×")
	}
}

func (c *canvas) columnNames(r *suite.Result, at func(int) float64, pitch float64) {
	const letter, lineHeight = 6.6, 15
	for i, name := range append([]string{baselineTitle}, titles(r)...) {
		for k, line := range broken(name, int(pitch/letter), 3) {
			c.text(at(i), plotTop+plotHeight+22+float64(k*lineHeight), fmt.Sprintf(`text-anchor="middle" fill=%q`, inkColor), line)
		}
		if i > 0 {
			c.text(at(i), plotTop+plotHeight+below-4, fmt.Sprintf(`text-anchor="middle" font-size="10" fill=%q`, wrongColor), r.Summary[i-1].Caveat())
		}
	}
}

// broken breaks a text into at most so many lines at its spaces.
func broken(text string, width, most int) []string {
	width = max(width, 4)
	var lines []string
	for word := range strings.FieldsSeq(text) {
		if n := len(lines); n > 0 && len([]rune(lines[n-1]))+1+len([]rune(word)) <= width {
			lines[n-1] += " " + word
			continue
		}
		lines = append(lines, word)
	}
	if len(lines) > most {
		lines = append(lines[:most-1], strings.Join(lines[most-1:], " "))
	}
	for i, l := range lines {
		if r := []rune(l); len(r) > width {
			lines[i] = string(r[:width-1]) + "…"
		}
	}
	return lines
}

func escaped(text string) string {
	var b strings.Builder
	_ = xml.EscapeText(&b, []byte(text))
	return b.String()
}

// scale is a logarithmic axis.
type scale struct{ low, high float64 }

func newScale(r *suite.Result) (scale, bool) {
	s := scale{}
	drawn := false
	for i := range r.Summary {
		if sum := &r.Summary[i]; sum.GeoMean != nil {
			drawn = true
			s.low = min(s.low, math.Log(sum.Min.Ratio.Estimate))
			s.high = max(s.high, math.Log(sum.Max.Ratio.Estimate))
		}
	}
	const least = 0.05
	s.low, s.high = min(s.low, -least/2), max(s.high, least)
	pad := 0.1 * (s.high - s.low)
	return scale{s.low - pad, s.high + pad}, drawn
}

func (s scale) y(ratio float64) float64 {
	return plotTop + plotHeight*(1-(math.Log(ratio)-s.low)/(s.high-s.low))
}

// ticks are round ratios, 1 among them, at most about eight.
func (s scale) ticks() []float64 {
	low, high := math.Exp(s.low), math.Exp(s.high)
	for _, step := range []float64{0.01, 0.02, 0.05, 0.1, 0.2, 0.25, 0.5, 1} {
		if (high-low)/step > 8 {
			continue
		}
		var out []float64
		for n := math.Ceil(low / step); n*step <= high; n++ {
			if v := math.Round(n*step*1e6) / 1e6; v > 0 {
				out = append(out, v)
			}
		}
		return out
	}
	var out []float64
	for v := math.Pow(2, math.Ceil(math.Log2(low))); v <= high; v *= 2 {
		out = append(out, v)
	}
	return out
}

func tickText(v float64) string {
	return strings.TrimRight(strings.TrimRight(fmt.Sprintf("%.3f", v), "0"), ".") + "×"
}

func short(r float64) string {
	if r >= 10 {
		return fmt.Sprintf("%.1f", r)
	}
	return fmt.Sprintf("%.2f", r)
}
