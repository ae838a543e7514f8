package main

import (
	"fmt"
	"io"
	"time"

	"whyhot/internal/report/progress"
	"whyhot/internal/trial/rebuild"
)

// buildProgress shows which step of which build is under way: a spinner on a
// terminal, a line a step elsewhere.
type buildProgress struct {
	w    io.Writer
	line *progress.Line // nil where no person is looking
}

func newBuildProgress(w io.Writer) *buildProgress {
	return &buildProgress{w: w, line: progress.On(w)}
}

// doing is a step in the words of someone who does it.
var doing = map[string]string{
	"copy": "copying the tree", "build": "building", "instrument": "building the instrumented program",
	"train": "training", "profile": "profiling for bolt", "optimise": "laying the program out anew",
}

func (p *buildProgress) report(s rebuild.Step) {
	text := fmt.Sprintf("%d/%d %s: %s", s.N, s.Of, s.Name, doing[s.What])
	if p.line == nil {
		if s.What != "copy" { // short, and every build begins with it
			_, _ = fmt.Fprintln(p.w, text)
		}
		return
	}
	begin := time.Now()
	p.line.Spin(func() string { return text + "  " + sinceText(begin) })
}
