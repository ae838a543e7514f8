package summary

import (
	"fmt"
	"io"
	"time"

	"whyhot/internal/report/trials"
)

// Progress shows how far a hunt is. It listens to internal/hunt.
type Progress struct {
	*trials.Progress

	w io.Writer
}

// NewProgress shows progress on w.
func NewProgress(w io.Writer) *Progress { return &Progress{trials.NewProgress(w), w} }

// Stage says what begins now, and what is left of the budget.
func (p *Progress) Stage(text string, left time.Duration) {
	p.Clear()
	_, _ = fmt.Fprintf(p.w, "%s left: %s\n", left.Round(time.Second), text) // nobody can be told
}
