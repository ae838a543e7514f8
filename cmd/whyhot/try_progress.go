package main

import (
	"fmt"
	"io"
	"os"
	"strings"
	"sync/atomic"
	"time"

	"github.com/charmbracelet/x/ansi"
	"github.com/vbauerster/mpb/v8"
	"github.com/vbauerster/mpb/v8/decor"
	"golang.org/x/term"

	"whyhot/internal/trial"
)

// tryProgress shows how far a trial is: a bar on a terminal, a line now and then
// elsewhere.
type tryProgress struct {
	w    io.Writer
	arms int
	// prefix names the benchmark of a suite.
	prefix string
	bars   *mpb.Progress // nil where no person is looking
	bar    *mpb.Bar
	text   atomic.Pointer[string] // read by the bar's own goroutine
	spoke  time.Time
}

const (
	progressSteps = 1000
	progressPause = 30 * time.Second // between lines where there is no bar
)

func newTryProgress(w io.Writer, arms int) *tryProgress {
	t := &tryProgress{w: w, arms: arms, spoke: time.Now()}
	if f, ok := w.(*os.File); ok && term.IsTerminal(int(f.Fd())) {
		const width, refresh = 24, 200 * time.Millisecond
		t.bars = mpb.New(mpb.WithOutput(w), mpb.WithWidth(width), mpb.WithRefreshRate(refresh))
	}
	return t
}

func (t *tryProgress) report(p trial.Progress) {
	text := t.describe(p)
	switch {
	case t.bars != nil:
		t.draw(p, text)
	case p.Phase == trial.PhaseAnnounce, time.Since(t.spoke) >= progressPause:
		t.spoke = time.Now()
		_, _ = fmt.Fprintln(t.w, text)
	}
}

func (t *tryProgress) draw(p trial.Progress, text string) {
	text = " " + t.prefix + strings.TrimSpace(text)
	t.text.Store(&text)
	if t.bar == nil {
		t.bar = t.bars.AddBar(progressSteps, mpb.BarRemoveOnComplete(),
			mpb.AppendDecorators(decor.Any(func(s decor.Statistics) string {
				return ansi.Truncate(*t.text.Load(), max(10, s.AvailableWidth), "…")
			})))
	}
	t.bar.SetCurrent(min(progressSteps-1, int64(progressSteps*p.Fraction)))
}

func (t *tryProgress) describe(p trial.Progress) string {
	switch p.Phase {
	case trial.PhaseWarmUp:
		return " warming up: " + p.Running
	case trial.PhaseAnnounce:
		return announced(t.arms, p)
	case trial.PhaseRound:
	}
	parts := make([]string, 0, len(p.Standings))
	for _, s := range p.Standings {
		parts = append(parts, fmt.Sprintf("%s %.2f×", s.Name, s.Ratio))
	}
	return fmt.Sprintf(" round %d  %s", p.Round, strings.Join(parts, "  "))
}

// clear gives the terminal back.
func (t *tryProgress) clear() {
	if t.bars == nil {
		return
	}
	if t.bar != nil {
		t.bar.Abort(true)
	}
	t.bars.Wait()
}
