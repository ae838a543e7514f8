package main

import (
	"fmt"
	"io"
	"os"
	"sync/atomic"
	"time"

	"github.com/charmbracelet/x/ansi"
	"github.com/vbauerster/mpb/v8"
	"github.com/vbauerster/mpb/v8/decor"
	"golang.org/x/term"

	"whyhot/internal/trial/build"
)

// buildProgress shows which step of which build is under way: a spinner on a
// terminal, a line a step elsewhere.
type buildProgress struct {
	w     io.Writer
	bars  *mpb.Progress // nil where no person is looking
	bar   *mpb.Bar
	text  atomic.Pointer[string]
	begin atomic.Pointer[time.Time]
}

func newBuildProgress(w io.Writer) *buildProgress {
	p := &buildProgress{w: w}
	if f, ok := w.(*os.File); ok && term.IsTerminal(int(f.Fd())) {
		const refresh = 200 * time.Millisecond
		p.bars = mpb.New(mpb.WithOutput(w), mpb.WithRefreshRate(refresh))
	}
	return p
}

// doing is a step in the words of someone who does it.
var doing = map[string]string{
	"copy": "copying the tree", "build": "building", "instrument": "building the instrumented program",
	"train": "training", "profile": "profiling for bolt", "optimise": "laying the program out anew",
}

func (p *buildProgress) report(s build.Step) {
	text := fmt.Sprintf("%d/%d %s: %s", s.N, s.Of, s.Name, doing[s.What])
	if p.bars == nil {
		if s.What != "copy" { // short, and every build begins with it
			_, _ = fmt.Fprintln(p.w, text)
		}
		return
	}
	now := time.Now()
	p.text.Store(&text)
	p.begin.Store(&now)
	if p.bar == nil {
		p.bar = p.bars.New(0, mpb.SpinnerStyle(), mpb.BarRemoveOnComplete(), mpb.BarWidth(1),
			mpb.AppendDecorators(decor.Any(func(d decor.Statistics) string {
				line := fmt.Sprintf(" %s  %s", *p.text.Load(), time.Since(*p.begin.Load()).Truncate(time.Second))
				return ansi.Truncate(line, max(10, d.AvailableWidth), "…")
			})))
	}
}

// clear gives the terminal back.
func (p *buildProgress) clear() {
	if p.bars == nil {
		return
	}
	if p.bar != nil {
		p.bar.Abort(true)
	}
	p.bars.Wait()
}
