package html

import (
	"io"
	"slices"
	"strings"

	"whyhot/internal/explain/machine"
	"whyhot/internal/finding"
	"whyhot/internal/finding/percent"
	"whyhot/internal/report/loopview"
	"whyhot/internal/report/quantity"
)

// ReportInput is what the report of `whyhot explain --html` shows.
type ReportInput struct {
	Flame  FlameInput
	Report finding.Report
	// Checked says what was looked at, one fact each ("74 replacement rules in
	// 12 libraries"): it stands under the findings, and alone where there are
	// none.
	Checked []string
	// Loops are those of the machine code, hottest first.
	Loops []machine.Loop
}

// Report writes the findings as cards above the table and the flame graph, as
// one self-contained page.
func Report(w io.Writer, in ReportInput) error {
	if err := in.Flame.check(); err != nil {
		return err
	}
	in.Flame.Notes = slices.Concat(in.Report.Waits.Sentences(), in.Report.Notes, in.Flame.Notes)
	data := struct {
		Header               header
		Open, Minor, Refuted []card
		Unexplained          []unexplained
		Unjudged             bool
		Checked              []string
		Static               staticTable
		Loops                []loopView
	}{Header: newHeader(&in.Flame), Unjudged: in.Report.Unjudged, Static: newStaticTable(&in.Flame), Loops: newLoops(in.Flame.Profile, in.Loops)}
	if !data.Unjudged {
		data.Checked = in.Checked
	}
	open, refuted, minor := finding.SortOut(in.Report.Findings)
	data.Open, data.Refuted, data.Minor = cards(open), cards(refuted), cards(minor)
	for i := range data.Open {
		data.Open[i].Rank = i + 1
	}
	for i := range in.Report.Unexplained {
		data.Unexplained = append(data.Unexplained, newUnexplained(&in.Report.Unexplained[i]))
	}
	return writePage(w, &in.Flame, "report", data)
}

func cards(fs []finding.Finding) []card {
	out := make([]card, len(fs))
	for i := range fs {
		out[i] = newCard(&fs[i])
	}
	return out
}

// card is one finding made ready to print.
type card struct {
	finding.Finding

	Rank      int
	Share     string // "18.4% ± 0.7", "" when not known
	ShareKind string // what the share is of
	Costs     string // "0.30 cores · 105.60 EUR a year", "" where nobody gave prices
	GainText  string // "2.0 – 9.0%"
	SpeedUp   string // "1.02 – 1.10×"
	Bar       *bar
	Where     string
	Charts    []trialChart
	Measured  string // the best trial's ratio, "" when none was run
	Best      string // and its variant
	DiffLines []diffLine
	Functions string // what to show in the flame graph, one a line

	Lines      []sourceLine // of the finding's excerpt
	HasShares  bool         // of its lines
	Legend     []loopview.Mark
	Compiled   []loopview.World // the loop in its worlds
	HasCycles  bool
	WorldsNote string
	NextLabel  string
}

// sourceLine is a line of the excerpt. Gap says that lines before it are left
// out.
type sourceLine struct {
	Number      int
	Text, Share string
	Signs       []string
	Loop, Gap   bool
}

func (c *card) addSource(f *finding.Finding) {
	c.Evidence = loopview.Rest(*f)
	if len(f.Worlds) > 0 {
		c.Compiled, c.HasCycles = loopview.Worlds(f.Worlds)
		c.WorldsNote = loopview.Note(f.Worlds)
	}
	if f.Source == nil {
		return
	}
	c.Legend = loopview.Legend(*f)
	for i, l := range f.Source.Lines {
		line := sourceLine{Number: l.Number, Text: strings.ReplaceAll(l.Text, "\t", "    "), Loop: l.Loop}
		line.Gap = i > 0 && f.Source.Lines[i-1].Number+1 < l.Number
		if l.Share != nil {
			line.Share = percent.Column(*l.Share)
			c.HasShares = true
		}
		for _, role := range loopview.Roles() {
			if slices.Contains(l.Marks, role) {
				line.Signs = append(line.Signs, loopview.Sign(role))
			}
		}
		c.Lines = append(c.Lines, line)
	}
}

func newCard(f *finding.Finding) card {
	c := card{Finding: *f, Where: where(&f.Place), Functions: functions(f)}
	if f.Share.Inclusive != nil || f.Share.Exclusive != nil {
		c.Share = percent.Column(f.Share.Main())
		c.ShareKind = "of all samples, with what it calls"
		if f.Share.Inclusive == nil {
			c.ShareKind = "of all samples"
		}
		if f.Share.Error != nil {
			c.Share += " " + percent.Error(*f.Share.Error)
		}
		c.Bar = newBar(f)
	}
	if f.Bill != nil {
		c.Costs = strings.Join(quantity.Bill(f.Bill), " · ")
	}
	if g := f.Estimate(); g != nil {
		c.GainText = percentRange(g.Low, g.High)
		if g.Likely != 0 {
			c.GainText = percent.Column(g.Likely) + " (" + c.GainText + ")"
		}
		c.SpeedUp = finding.SpeedUps(g.Low, g.High)
	}
	c.Charts = newTrialCharts(f.Trials)
	if best := bestTrial(f.Trials); best != nil {
		c.Measured, c.Best = ratio(best.SpeedUp.Estimate), best.Variant
	}
	c.DiffLines = diffLines(f.Fix.Diff)
	c.NextLabel = "Prove it"
	switch {
	case !f.Next.Tries():
		c.NextLabel = "Look"
	case len(c.Charts) > 0:
		c.NextLabel = "Measure again"
	}
	c.addSource(f)
	return c
}

type diffLine struct{ Class, Text string }

func diffLines(diff string) []diffLine {
	if diff == "" {
		return nil
	}
	var lines []diffLine
	for text := range strings.Lines(diff) {
		class := "same"
		switch {
		case strings.HasPrefix(text, "+"):
			class = "added"
		case strings.HasPrefix(text, "-"):
			class = "removed"
		case strings.HasPrefix(text, "@@"):
			class = "hunk"
		}
		lines = append(lines, diffLine{class, text})
	}
	return lines
}

// functions names the functions of a finding, one a line: that of its place, or
// where the finding is about several, those its evidence names ("malloc in
// libc.so.6"). The page leaves out what the profile does not have.
func functions(f *finding.Finding) string {
	if f.Place.Function != "" {
		return f.Place.Function
	}
	var names []string
	for _, e := range f.Evidence {
		if at := strings.LastIndex(e.Text, " in "); e.Kind == "symbol" && at > 0 {
			names = append(names, e.Text[:at])
		}
	}
	return strings.Join(names, "\n")
}

func where(p *finding.Place) string {
	var parts []string
	for _, s := range []string{p.Function, p.Binary, sourceRange(p)} {
		if s != "" {
			parts = append(parts, s)
		}
	}
	return strings.Join(parts, " · ")
}

func bestTrial(ts []finding.Trial) *finding.Trial {
	var best *finding.Trial
	for i := range ts {
		if best == nil || ts[i].SpeedUp.Estimate > best.SpeedUp.Estimate {
			best = &ts[i]
		}
	}
	return best
}
