package html

import (
	"math"
	"testing"

	"whyhot/internal/finding"
)

func TestTrialsShareOneAxis(t *testing.T) {
	charts := newTrialCharts([]finding.Trial{
		{Variant: "a", SpeedUp: finding.Interval{Estimate: 1.3, Low: 1.2, High: 1.4}},
		{Variant: "b", SpeedUp: finding.Interval{Estimate: 0.8, Low: 0.7, High: 0.9}},
		{Variant: "c", SpeedUp: finding.Interval{Estimate: 1.01, Low: 0.99, High: 1.03}},
	})
	for i, want := range []string{"faster", "slower", "same"} {
		c := charts[i]
		if c.Better != want {
			t.Errorf("%s is %s, want %s", c.Variant, c.Better, want)
		}
		if c.Even != charts[0].Even {
			t.Errorf("%s: its own place for 1×", c.Variant)
		}
		if c.From >= c.X || c.X >= c.To || c.From < 0 || c.To > 300 {
			t.Errorf("%s: interval %v–%v around %v leaves the plot", c.Variant, c.From, c.To, c.X)
		}
	}
	if charts[0].From <= charts[0].Even || charts[1].To >= charts[1].Even {
		t.Error("intervals on the wrong side of 1×")
	}
	if len(charts[0].Ticks) != 0 || len(charts[2].Ticks) < 2 || len(charts[2].Ticks) > 6 {
		t.Errorf("ticks: %d on the first chart, %d on the last", len(charts[0].Ticks), len(charts[2].Ticks))
	}
}

func TestTicksAreRoundAndFew(t *testing.T) {
	for _, span := range [][2]float64{{0.98, 1.02}, {0.9, 1.6}, {0.2, 30}, {1, 1.0001}, {0, 1e6}} {
		ts := ticks(span[0], span[1], func(v float64) float64 { return v })
		if len(ts) < 1 || len(ts) > 7 {
			t.Errorf("%v: %d ticks", span, len(ts))
		}
	}
}

func TestNumbersAsText(t *testing.T) {
	for got, want := range map[string]string{
		percentRange(0.02, 0.1):  "2.0 – 10.0%",
		percentRange(-0.05, 0.1): "−5.0 – 10.0%",
		percentRange(0.1, 0.1):   "10.0%",
		ratioRange(1.02, 1.1):    "1.02 – 1.10×",
		ratioRange(1.02, 1.021):  "1.02×",
		ratio(math.Inf(1)):       "without bound",
	} {
		if got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

func TestBarStaysInside(t *testing.T) {
	share := 0.2
	for _, g := range []*finding.Gain{nil, {Low: -0.1, High: 0.5}, {Low: 0.9, High: 3}} {
		b := newBar(&finding.Finding{Share: finding.Share{Inclusive: &share}, Gain: g})
		if b.Share != 20 {
			t.Errorf("share bar is %v wide", b.Share)
		}
		if b.HasGain != (g != nil) || b.GainFrom < 0 || b.GainFrom+b.GainW > 100.7 {
			t.Errorf("gain %+v: bar from %v, %v wide", g, b.GainFrom, b.GainW)
		}
	}
}

func TestFunctionsOfAFinding(t *testing.T) {
	symbol := func(text string) finding.Evidence { return finding.Evidence{Kind: "symbol", Text: text} }
	evidence := []finding.Evidence{
		symbol("a in b in libc.so.6"), symbol("free in libc.so.6"), symbol("… and 3 more"), {Kind: "reason", Text: "it is in there"},
	}
	for want, f := range map[string]finding.Finding{
		"malloc":       {Place: finding.Place{Function: "malloc"}, Evidence: evidence},
		"a in b\nfree": {Place: finding.Place{Binary: "libc.so.6"}, Evidence: evidence},
		"":             {Place: finding.Place{Binary: "libc.so.6"}},
	} {
		if got := functions(&f); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

func TestSourceRange(t *testing.T) {
	for want, p := range map[string]finding.Place{
		"": {Line: 3}, "a.c": {File: "a.c"}, "a.c:3": {File: "a.c", Line: 3, EndLine: 3}, "a.c:3–5": {File: "a.c", Line: 3, EndLine: 5},
	} {
		if got := sourceRange(&p); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}
