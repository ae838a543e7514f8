package main

import (
	"fmt"
	"io"
	"strings"
	"time"

	"whyhot/internal/report/progress"
	"whyhot/internal/trial"
)

// tryProgress shows how far a trial is: a bar on a terminal, a line now and then
// elsewhere.
type tryProgress struct {
	w    io.Writer
	arms int
	// prefix names the benchmark of a suite.
	prefix string
	line   *progress.Line // nil where no person is looking
	spoke  time.Time
}

const progressPause = 30 * time.Second // between lines where there is no bar

func newTryProgress(w io.Writer, arms int) *tryProgress {
	return &tryProgress{w: w, arms: arms, line: progress.On(w), spoke: time.Now()}
}

func (t *tryProgress) report(p trial.Progress) {
	text := t.describe(p)
	switch {
	case t.line != nil:
		text = t.prefix + strings.TrimSpace(text)
		t.line.Bar(p.Fraction, func() string { return text })
	case p.Phase == trial.PhaseAnnounce, time.Since(t.spoke) >= progressPause:
		t.spoke = time.Now()
		_, _ = fmt.Fprintln(t.w, text)
	}
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
