package trial

import (
	"fmt"
	"time"

	"whyhot/internal/finding/percent"
	"whyhot/internal/host/allocator"
	"whyhot/internal/trial/run"
)

// judgeLoading drops a variant whose library the program never loads.
func (t *trial) judgeLoading(a *arm) {
	if a.variant == nil || a.variant.Preload == nil {
		return
	}
	l := loadingOf(a.first)
	if l.note != "" {
		t.notef("%s: %s", a.name(), l.note)
	}
	if l.known && !l.effective {
		a.out, a.why = NoEffect, l.why
	}
}

// loading is what a watched run says of a preloaded library.
type loading struct {
	known     bool   // something could be said
	loaded    bool   // at least one process had it
	effective bool   // the processes that had it did a part of the work worth the name
	why       string // it was not
	note      string
}

// loadingOf weighs processes by their CPU time: a library in the shell that
// starts a static program is loaded and yet has no effect.
func loadingOf(r *run.Result) loading {
	const least = 0.05 // share of the CPU time below which there is nothing to gain
	var with, without time.Duration
	var worst *run.Process
	l := loading{}
	for i := range r.Processes {
		p := &r.Processes[i]
		switch p.State {
		case allocator.Loaded:
			l.known, l.loaded = true, true
			with += p.CPU
		case allocator.NotLoaded:
			l.known = true
			without += p.CPU
			if worst == nil || p.CPU > worst.CPU {
				worst = p
			}
		case allocator.Early:
		}
	}
	l.effective = l.loaded && (without == 0 || float64(with) >= least*float64(with+without))
	if worst == nil {
		return l
	}
	reason := "does not load the library"
	if worst.Why != "" {
		reason += ", since " + worst.Why
	}
	text := fmt.Sprintf("%s %s", worst.Program, reason)
	switch {
	case !l.effective:
		l.why = text
	case without > 0 && float64(without) >= least*float64(with+without):
		l.note = fmt.Sprintf("%s; it took %s of the CPU time", text, percent.Text(float64(without)/float64(with+without)))
	}
	return l
}
