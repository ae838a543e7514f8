package html

import (
	"fmt"
	"math"
	"strings"

	"whyhot/internal/finding"
	"whyhot/internal/finding/percent"
)

// bar draws a finding's share of the CPU with the range of its gain on it. All
// lengths are percent of the bar's width.
type bar struct {
	Share           float64
	GainFrom, GainW float64
	HasGain         bool
	Text            string // what the picture says, for those who do not see it
}

func newBar(f *finding.Finding) *bar {
	b := &bar{Share: clampPercent(f.Share.Main()), Text: percent.Column(f.Share.Main()) + " of all samples"}
	if g := f.Estimate(); g != nil {
		b.HasGain = true
		b.GainFrom = clampPercent(g.Low)
		b.GainW = math.Max(0.6, clampPercent(g.High)-b.GainFrom)
		b.Text += ", of which " + percentRange(g.Low, g.High) + " may be saved"
	}
	return b
}

func clampPercent(share float64) float64 {
	return math.Round(10000*math.Max(0, math.Min(1, share))) / 100
}

// The trial chart's plot area, in the units of its view box.
const (
	chartLeft  = 4.0
	chartWidth = 292.0
)

// trialChart is one trial: the measured ratio as a dot on its 95 % interval, on
// an axis that all trials of the finding share.
type trialChart struct {
	finding.Trial

	CommandLine       string
	Ratio, Range      string
	X, From, To, Even float64 // dot, interval and the line of "no change"
	Better            string  // "faster", "slower" or "same": whether the interval leaves 1 out
	Height            int
	Ticks             []tick // on the last chart only: they share the axis
}

type tick struct {
	X     float64
	Label string
}

func newTrialCharts(ts []finding.Trial) []trialChart {
	lo, hi := 1.0, 1.0
	for i := range ts {
		lo = math.Min(lo, ts[i].SpeedUp.Low)
		hi = math.Max(hi, ts[i].SpeedUp.High)
	}
	pad := math.Max(0.02, (hi-lo)*0.08)
	lo, hi = lo-pad, hi+pad
	x := func(v float64) float64 {
		return math.Round(100*(chartLeft+chartWidth*(v-lo)/(hi-lo))) / 100
	}
	charts := make([]trialChart, 0, len(ts))
	for _, t := range ts {
		s := t.SpeedUp
		charts = append(charts, trialChart{
			Trial: t, CommandLine: strings.Join(t.Command, " "),
			Ratio: ratio(s.Estimate), Range: ratioRange(s.Low, s.High),
			X: x(s.Estimate), From: x(s.Low), To: x(s.High), Even: x(1),
			Better: verdict(s), Height: 18,
		})
	}
	if n := len(charts); n > 0 {
		charts[n-1].Ticks, charts[n-1].Height = ticks(lo, hi, x), 30
	}
	return charts
}

func verdict(s finding.Interval) string {
	switch {
	case s.Low > 1:
		return "faster"
	case s.High < 1:
		return "slower"
	}
	return "same"
}

// ticks puts at most five round ratios on the axis.
func ticks(lo, hi float64, x func(float64) float64) []tick {
	step := math.Pow(10, math.Floor(math.Log10(hi-lo)))
	for _, f := range []float64{0.1, 0.2, 0.25, 0.5, 1, 2} {
		if (hi-lo)/(step*f) <= 5 {
			step *= f
			break
		}
	}
	var ts []tick
	for v := math.Ceil(lo/step) * step; v <= hi; v += step {
		ts = append(ts, tick{x(v), strings.TrimRight(strings.TrimRight(fmt.Sprintf("%.3f", v), "0"), ".") + "×"})
	}
	return ts
}

func ratio(r float64) string {
	if math.IsInf(r, 0) || math.IsNaN(r) {
		return "without bound"
	}
	return fmt.Sprintf("%.2f×", r)
}

func ratioRange(lo, hi float64) string {
	if ratio(lo) == ratio(hi) {
		return ratio(lo)
	}
	return strings.TrimSuffix(ratio(lo), "×") + " – " + ratio(hi)
}

func percentRange(lo, hi float64) string {
	if percent.Column(lo) == percent.Column(hi) {
		return percent.Column(lo)
	}
	low := strings.TrimSuffix(percent.Column(lo), "%")
	if lo < 0 {
		low = "−" + strings.TrimPrefix(low, "-")
	}
	return low + " – " + percent.Column(hi)
}

// sourceRange is file:line or file:line–line, "" without a file.
func sourceRange(p *finding.Place) string {
	switch {
	case p.File == "":
		return ""
	case p.Line == 0:
		return p.File
	case p.EndLine > p.Line:
		return fmt.Sprintf("%s:%d–%d", p.File, p.Line, p.EndLine)
	}
	return fmt.Sprintf("%s:%d", p.File, p.Line)
}
