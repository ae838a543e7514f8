package trials

import (
	"fmt"
	"io"
	"strings"
	"sync"
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

	building steps
	saying   sync.Mutex
}

// steps are builds under way. Several may be at once.
type steps struct {
	mu    sync.Mutex
	known time.Duration // of the longest build that is over
	doing map[int]step  // by the number of the build
	quit  func()        // ends what speaks of them, nil where nothing does
}

type step struct {
	text  string
	build bool
	began time.Time
}

// next takes a step that begins, and so the end of the one before it.
func (s *steps) next(n int, text string, build bool, now time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if was, ok := s.doing[n]; ok && was.build {
		s.known = max(s.known, now.Sub(was.began))
	}
	if s.doing == nil {
		s.doing = map[int]step{}
	}
	s.doing[n] = step{text, build, now}
}

// over takes the end of all of them.
func (s *steps) over(now time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for n, was := range s.doing {
		if was.build {
			s.known = max(s.known, now.Sub(was.began))
		}
		delete(s.doing, n)
	}
}

// said is the step that began last, and how long it takes: "building  2m10s of about
// 3m0s", by the builds that are over.
func (s *steps) said(now time.Time) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	var last step
	for _, one := range s.doing {
		if one.began.After(last.began) {
			last = one
		}
	}
	if last.text == "" {
		return ""
	}
	text := last.text + "  " + now.Sub(last.began).Round(time.Second).String()
	if last.build && s.known > 0 {
		text += " of about " + s.known.Round(time.Second).String()
	}
	return text
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
	if p.building.quit != nil {
		p.building.quit()
		p.building.quit = nil
	}
	p.line.Clear()
	p.line = nil
}

func (p *Progress) say(text string) {
	p.saying.Lock()
	defer p.saying.Unlock()
	_, _ = fmt.Fprintln(p.w, text) // nobody can be told
}

// Remark prints a sentence.
func (p *Progress) Remark(text string) {
	p.Clear()
	p.say(text)
}

// doing is a step in the words of someone who does it.
var doing = map[string]string{
	"copy": "copying the tree", "kept": "built before, taken from the cache", "build": "building", "instrument": "building the instrumented program",
	"train": "training", "profile": "profiling for bolt", "optimise": "re-laying out the program",
}

// Building shows which step of which build begins.
func (p *Progress) Building(s rebuild.Step) {
	text := fmt.Sprintf("%d/%d %s: %s", s.N, s.Of, s.Name, doing[s.What])
	p.building.next(s.N, text, s.What == "build", time.Now())
	if p.on(true) {
		p.line.Spin(func() string { return p.building.said(time.Now()) })
		return
	}
	if s.What != "copy" { // short, and every build begins with it
		p.say(text)
	}
	if p.building.quit == nil {
		p.building.quit = p.everyPause(func() string { return p.building.said(time.Now()) })
	}
}

// everyPause says something now and then until it is ended.
func (p *Progress) everyPause(text func() string) (end func()) {
	ticker, quit, done := time.NewTicker(pause), make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		for {
			select {
			case <-ticker.C:
				if t := text(); t != "" {
					p.say(t)
				}
			case <-quit:
				return
			}
		}
	}()
	return func() {
		ticker.Stop()
		close(quit)
		<-done
	}
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
	p.building.over(time.Now())
	if p.building.quit != nil {
		p.Clear()
	}
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
