package trials

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"math"

	"whyhot/internal/trial"
	"whyhot/internal/trial/suite"
)

// Bars draws the ratio of every benchmark with its interval, a block of rows for
// each benchmark, as an SVG document.
func Bars(w io.Writer, r *suite.Result) error {
	values := ends(r)
	if len(values) == 0 {
		return errors.New("nothing was measured, so there is nothing to draw")
	}
	low, high := 0.0, 0.0
	for _, v := range values {
		low, high = min(low, math.Log(v)), max(high, math.Log(v))
	}
	const least = 0.05
	s := scale{low - 0.02 - 0.04*(high-low), max(high, least) + 0.04*(high-low)}
	left, right := float64(nameColumn), float64(chartWidth-valueColumn)
	x := func(ratio float64) float64 { return left + (right-left)*(math.Log(ratio)-s.low)/(s.high-s.low) }
	rows := 0
	for i := range r.Benchmarks {
		rows += max(1, len(r.Benchmarks[i].Variants))
		if len(r.Variants) > 1 {
			rows++ // the name has a row of its own
		}
	}
	const top, foot = 16, 26
	height := float64(top + rows*rowPitch + len(r.Benchmarks)*blockGap + foot)
	c := &canvas{bufio.NewWriter(w)}
	c.begin(chartWidth, height, r.Name+": ratio of every benchmark")
	for _, v := range s.ticks() {
		color := gridColor
		if v == 1 {
			color = softColor
		}
		c.printf(`<line x1="%.1f" x2="%.1f" y1="%d" y2="%.1f" stroke=%q/>`, x(v), x(v), top-4, height-foot+4, color)
		c.text(x(v), height-8, fmt.Sprintf(`text-anchor="middle" font-size="11" fill=%q`, softColor), tickText(v))
	}
	y := float64(top)
	for i := range r.Benchmarks {
		b := &r.Benchmarks[i]
		c.rowName(b.Name, 8, y, fmt.Sprintf(`fill=%q font-weight="600"`, inkColor))
		if len(r.Variants) > 1 {
			y += rowPitch
		}
		for k := range b.Variants {
			if len(r.Variants) > 1 {
				c.rowName(titles(r)[k], 22, y, fmt.Sprintf(`font-size="11" fill=%q`, softColor))
			}
			c.bar(&b.Variants[k], x, y)
			y += rowPitch
		}
		if len(b.Variants) == 0 {
			c.text(left, y+rowPitch-4, fmt.Sprintf(`fill=%q`, wrongColor), "not measured")
			y += rowPitch
		}
		y += blockGap
	}
	c.printf(`</svg>`)
	if err := c.out.Flush(); err != nil {
		return fmt.Errorf("writing the chart: %w", err)
	}
	return nil
}

func (c *canvas) rowName(text string, x, y float64, attributes string) {
	const letters = 28
	if lines := broken(text, letters, 1); len(lines) > 0 {
		c.text(x, y+rowPitch-4, attributes, lines[0])
	}
}

// bar is one row: the interval, its estimate and in words what it is.
func (c *canvas) bar(v *suite.Value, x func(float64) float64, y float64) {
	color := softColor
	switch v.Verdict {
	case trial.Faster:
		color = fasterColor
	case trial.Slower:
		color = slowerColor
	case trial.Different, trial.Failed:
		color = wrongColor
	case trial.Same, trial.Unclear, trial.NoEffect, trial.LayoutNoise:
	}
	mid := y + rowPitch/2
	label := string(v.Verdict)
	if v.Ratio != nil {
		d := drawn(v.Ratio)
		c.printf(`<line x1="%.1f" x2="%.1f" y1="%.1f" y2="%.1f" stroke=%q stroke-width="6" stroke-opacity="0.35"/>`, x(1), x(d.Estimate), mid, mid, color)
		c.printf(`<line x1="%.1f" x2="%.1f" y1="%.1f" y2="%.1f" stroke=%q stroke-width="2"/>`, x(d.Low), math.Max(x(d.High), x(d.Low)+1), mid, mid, color)
		c.printf(`<circle cx="%.1f" cy="%.1f" r="4" fill=%q/>`, x(d.Estimate), mid, color)
		label = ratio(d.Estimate) + "×"
		if v.Verdict != trial.Faster && v.Verdict != trial.Slower {
			label += " " + string(v.Verdict)
		}
		if signOf(v.Verdict, v.Compared) != "" {
			label += ", " + v.Compared.Mark()
		}
	}
	c.text(chartWidth-valueColumn+10, mid+4, fmt.Sprintf(`font-size="11" fill=%q`, color), label)
}
