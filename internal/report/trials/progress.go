package trials

import (
	"fmt"
	"io"
	"strings"
	"time"

	"whyhot/internal/report/progress"
	"whyhot/internal/report/quantity"
	"whyhot/internal/trial"
	"whyhot/internal/trial/rebuild"
)

// Progress shows how far a trial is: a spinner or a bar on a terminal, a line now
// and then elsewhere. It listens to internal/trial/experiment.
type Progress struct {
	w         io.Writer
	line      *progress.Line // nil where no person is looking
	spins     bool           // what the line is
	benchmark string         // of a suite
	spoke     time.Time
}

// pause is the time between lines where there is no bar.
const pause = 30 * time.Second

// NewProgress shows progress on w.
func NewProgress(w io.Writer) *Progress { return &Progress{w: w} }

// on makes the line a spinner or a bar, and says whether there is one.
func (p *Progress) on(spins bool) bool {
	if p.line == nil || p.spins != spins {
		p.Clear()
		p.line, p.spins = progress.On(p.w), spins
	}
	return p.line != nil
}

// Clear gives the line back to the terminal.
func (p *Progress) Clear() {
	p.line.Clear()
	p.line = nil
}

func (p *Progress) say(text string) { _, _ = fmt.Fprintln(p.w, text) }

// Remark prints a sentence.
func (p *Progress) Remark(text string) {
	p.Clear()
	p.say(text)
}

// doing is a step in the words of someone who does it.
var doing = map[string]string{
	"copy": "copying the tree", "kept": "built before, taken from the cache", "build": "building", "instrument": "building the instrumented program",
	"train": "training", "profile": "profiling for bolt", "optimise": "laying the program out anew",
}

// Building shows which step of which build begins.
func (p *Progress) Building(s rebuild.Step) {
	text := fmt.Sprintf("%d/%d %s: %s", s.N, s.Of, s.Name, doing[s.What])
	if !p.on(true) {
		if s.What != "copy" { // short, and every build begins with it
			p.say(text)
		}
		return
	}
	begin := time.Now()
	p.line.Spin(func() string { return text + "  " + time.Since(begin).Round(time.Second).String() })
}

// Benchmark says which benchmark of a suite begins.
func (p *Progress) Benchmark(name string, index, of int) {
	text := fmt.Sprintf("%s (%d of %d)", name, index+1, of)
	p.benchmark = text + ": "
	if !p.on(false) {
		p.say(text)
	}
}

// Measuring shows how far the runs are.
func (p *Progress) Measuring(m trial.Progress) {
	if m.Phase == trial.PhaseRemark {
		p.Remark(p.benchmark + m.Remark)
		return
	}
	text := describe(m)
	switch {
	case p.on(false):
		text = p.benchmark + text
		p.line.Bar(m.Fraction, func() string { return text })
	case p.spoke.IsZero() && m.Phase != trial.PhaseAnnounce:
		p.spoke = time.Now()
	case m.Phase == trial.PhaseAnnounce, time.Since(p.spoke) >= pause:
		p.spoke = time.Now()
		p.say(text)
	}
}

func describe(p trial.Progress) string {
	switch p.Phase {
	case trial.PhaseWarmUp:
		return "warming up: " + p.Running
	case trial.PhaseAnnounce:
		return fmt.Sprintf("one round of %d runs takes %s; at most %s in all",
			p.PerRound, quantity.Duration(p.RoundTime), quantity.Duration(p.Expected))
	case trial.PhaseRound, trial.PhaseRemark:
	}
	parts := make([]string, 0, len(p.Standings))
	for _, s := range p.Standings {
		parts = append(parts, fmt.Sprintf("%s %.2f×", s.Name, s.Ratio))
	}
	return strings.TrimSpace(fmt.Sprintf("round %d  %s", p.Round, strings.Join(parts, "  ")))
}
