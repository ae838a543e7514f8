package main

import (
	"fmt"
	"io"
	"os"

	"golang.org/x/term"

	"whyhot/internal/collect"
	"whyhot/internal/report/quantity"
)

// recordProgress keeps one line of a terminal up to date. It is silent while a
// command runs: the terminal is the command's then.
type recordProgress struct {
	w       io.Writer
	command bool
	shown   bool
}

func newRecordProgress(w io.Writer, command bool) *recordProgress {
	if f, ok := w.(*os.File); !ok || !term.IsTerminal(int(f.Fd())) {
		w = nil
	}
	return &recordProgress{w: w, command: command}
}

func (p *recordProgress) report(s collect.Progress) {
	if p.w == nil {
		return
	}
	if p.command && s.Phase == collect.PhaseRecording {
		p.clear()
		return
	}
	text := string(s.Phase)
	if s.Phase == collect.PhaseRecording {
		text = "recording " + quantity.Duration(s.Elapsed)
	}
	if s.Bytes > 0 {
		text += ", " + quantity.Bytes(float64(s.Bytes))
	}
	if s.Phase == collect.PhaseRecording {
		text += "  (Ctrl-C to stop)"
	}
	_, _ = fmt.Fprintf(p.w, "\r\x1b[K%s", text)
	p.shown = true
}

// clear gives the line back.
func (p *recordProgress) clear() {
	if p.shown {
		_, _ = io.WriteString(p.w, "\r\x1b[K")
		p.shown = false
	}
}

// ran says that a run of several is over.
func (p *recordProgress) ran(runs int, samples int64) {
	if p.w == nil {
		return
	}
	p.clear()
	_, _ = fmt.Fprintf(p.w, "whyhot: run %d is over, %s so far\n", runs, quantity.Samples(samples))
}
