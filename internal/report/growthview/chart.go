package growthview

import (
	"bufio"
	"encoding/xml"
	"fmt"
	"io"
	"math"
	"strings"

	"whyhot/internal/explain/growth"
	"whyhot/internal/report/quantity"
)

// All lengths in pixels.
const (
	chartWidth  = 860.0
	plotLeft    = 64.0
	plotRight   = 610.0
	plotTop     = 44.0
	plotBottom  = 380.0
	chartHeight = 424.0
	legendPitch = 34.0
	axisFont    = 12
)

const (
	ink  = "#1f2933"
	soft = "#7b8794"
	grid = "#e4e7eb"
)

// colours are told apart by people who see fewer of them; the whole program is grey.
var colours = []string{"#b45309", "#0b5cad", "#0b7a53", "#7b341e", "#553c9a"}

// curve is one line of the chart.
type curve struct {
	name, power, colour string
	cost                growth.Cost
	whole               bool
}

// chart draws CPU seconds of a run by size, both on logarithmic axes.
type chart struct {
	out                  *bufio.Writer
	r                    *growth.Result
	seconds              []float64 // of a sample, in a run, by size
	left, right          float64   // logarithms of the sizes at the edges
	bottom, top          float64   // and of the seconds
	curves               []curve
	measured, foretoldAt float64
}

// Chart draws how the costs grow, as an SVG document: what was measured as dots, what was
// fitted as lines, dashed beyond the largest size.
func Chart(w io.Writer, r *growth.Result) error {
	c := newChart(w, r)
	c.frame()
	for i := range c.curves {
		c.curve(&c.curves[i], i)
	}
	c.printf("</svg>")
	if err := c.out.Flush(); err != nil {
		return fmt.Errorf("writing the chart: %w", err)
	}
	return nil
}

func newChart(w io.Writer, r *growth.Result) *chart {
	c := &chart{out: bufio.NewWriter(w), r: r}
	for i := range r.Functions {
		if i == len(colours) {
			break
		}
		f := &r.Functions[i]
		c.curves = append(c.curves, curve{Where(f.Place), Power(f.Cost), colours[i], f.Cost, false})
	}
	c.curves = append(c.curves, curve{"the whole program", Power(r.Total), soft, r.Total, true})
	for _, s := range r.Sizes {
		each := 1.0 // where the samples have no time, their number is drawn
		if s.CPUSeconds > 0 && s.Samples > 0 {
			each = s.CPUSeconds / float64(s.Samples)
		}
		c.seconds = append(c.seconds, each)
	}
	last := len(r.Sizes) - 1
	c.measured, c.foretoldAt = r.Sizes[last].N, growth.Factor*r.Sizes[last].N
	c.left, c.right = math.Log(r.Sizes[0].N), math.Log(c.foretoldAt)
	low, high := math.Inf(1), math.Inf(-1)
	for i := range c.curves {
		for k := range r.Sizes {
			if s := c.curves[i].at(c, k); s > 0 {
				low, high = min(low, s), max(high, s)
			}
		}
		high = max(high, c.curves[i].foretold(c, c.foretoldAt))
	}
	if !(low < high) {
		low, high = 0.1, 1
	}
	c.bottom, c.top = math.Floor(math.Log10(low)), math.Ceil(math.Log10(high))
	return c
}

// at is what was measured at size k, in seconds of a run.
func (v *curve) at(c *chart, k int) float64 {
	if k >= len(v.cost.Counts) {
		return 0
	}
	return float64(v.cost.Counts[k]) * c.seconds[k]
}

// foretold is what the fit says, in seconds of a run.
func (v *curve) foretold(c *chart, n float64) float64 {
	last := len(c.r.Sizes) - 1
	each := c.seconds[last] * float64(c.r.Sizes[last].Runs)
	if !v.whole || n <= c.measured {
		return v.cost.At(n) * each
	}
	// As a whole it costs what its parts do: those that are listed, and the rest in proportion.
	rest, grown := v.cost.At(c.measured), 0.0
	for i := range c.r.Functions {
		rest -= c.r.Functions[i].At(c.measured)
		grown += c.r.Functions[i].At(n)
	}
	return (grown + max(0, rest)*n/c.measured) * each
}

func (c *chart) x(n float64) float64 {
	return plotLeft + (plotRight-plotLeft)*(math.Log(n)-c.left)/(c.right-c.left)
}

func (c *chart) y(seconds float64) float64 {
	return plotBottom - (plotBottom-plotTop)*(math.Log10(seconds)-c.bottom)/(c.top-c.bottom)
}

func (c *chart) printf(format string, args ...any) { _, _ = fmt.Fprintf(c.out, format+"\n", args...) }

func (c *chart) text(x, y float64, attributes, text string) {
	c.printf(`<text x="%.1f" y="%.1f" %s>%s</text>`, x, y, attributes, escaped(text))
}

func escaped(text string) string {
	var b strings.Builder
	_ = xml.EscapeText(&b, []byte(text)) // a strings.Builder takes everything
	return b.String()
}

func (c *chart) frame() {
	c.printf(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %.0f %.0f" width="%.0f" height="%.0f" font-family="system-ui, sans-serif" font-size="%d" role="img">`, chartWidth, chartHeight, chartWidth, chartHeight, axisFont)
	c.printf(`<title>How the CPU time grows with the input</title>`)
	c.printf(`<rect width="100%%" height="100%%" fill="#ffffff"/>`)
	unit := "CPU time of a run, by size"
	if c.seconds[0] == 1 {
		unit = "samples, by size"
	}
	c.text(plotLeft, 22, fmt.Sprintf(`font-size="15" font-weight="600" fill=%q`, ink), unit+": "+Sizes(c.r))
	for e := c.bottom; e <= c.top; e++ {
		y := c.y(math.Pow(10, e))
		c.printf(`<line x1="%.1f" x2="%.1f" y1="%.1f" y2="%.1f" stroke=%q/>`, plotLeft, plotRight, y, y, grid)
		c.text(plotLeft-8, y+4, fmt.Sprintf(`text-anchor="end" fill=%q`, soft), c.tick(e))
	}
	for _, s := range c.r.Sizes {
		c.sizeTick(s.N, quantity.Count(int64(s.N)))
	}
	c.sizeTick(c.foretoldAt, fmt.Sprintf("%d×", growth.Factor))
}

func (c *chart) sizeTick(n float64, text string) {
	x := c.x(n)
	c.printf(`<line x1="%.1f" x2="%.1f" y1="%.1f" y2="%.1f" stroke=%q/>`, x, x, plotBottom, plotBottom+5, soft)
	c.text(x, plotBottom+20, fmt.Sprintf(`text-anchor="middle" fill=%q`, soft), text)
}

func (c *chart) tick(e float64) string {
	if c.seconds[0] == 1 {
		return quantity.Count(int64(math.Pow(10, e)))
	}
	if e < 0 {
		return fmt.Sprintf("%.0f ms", math.Pow(10, e+3))
	}
	return quantity.Count(int64(math.Pow(10, e))) + " s"
}

func (c *chart) curve(v *curve, row int) {
	const steps = 60
	for _, part := range []struct {
		from, to float64
		dashes   string
	}{{math.Exp(c.left), c.measured, ""}, {c.measured, c.foretoldAt, ` stroke-dasharray="4 4"`}} {
		var points []string
		for i := range steps + 1 {
			n := part.from * math.Pow(part.to/part.from, float64(i)/steps)
			if s := v.foretold(c, n); s > math.Pow(10, c.bottom) {
				points = append(points, fmt.Sprintf("%.1f,%.1f", c.x(n), c.y(s)))
			}
		}
		c.printf(`<polyline points=%q fill="none" stroke=%q stroke-width="2"%s/>`, strings.Join(points, " "), v.colour, part.dashes)
	}
	for k, s := range c.r.Sizes {
		if seconds := v.at(c, k); seconds > 0 {
			c.printf(`<circle cx="%.1f" cy="%.1f" r="4" fill=%q/>`, c.x(s.N), c.y(seconds), v.colour)
		}
	}
	y := plotTop + 8 + legendPitch*float64(row)
	c.printf(`<rect x="%.1f" y="%.1f" width="10" height="10" fill=%q/>`, plotRight+18, y-9, v.colour)
	const letters = 34
	name := []rune(v.name)
	if len(name) > letters {
		name = append([]rune("…"), name[len(name)-letters+1:]...)
	}
	c.text(plotRight+34, y, fmt.Sprintf(`fill=%q`, ink), string(name))
	c.text(plotRight+34, y+14, fmt.Sprintf(`fill=%q font-size="11"`, soft), v.power)
}
