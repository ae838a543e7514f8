package main

import (
	"io"
	"os"
	"sync/atomic"

	"github.com/charmbracelet/x/ansi"
	"github.com/vbauerster/mpb/v8"
	"github.com/vbauerster/mpb/v8/decor"
	"golang.org/x/term"

	"whyhot/internal/analyzer"
)

// unitProgress is a bar of the units that are done. It is silent where no person
// is looking.
type unitProgress struct {
	bars *mpb.Progress // nil: silent
	bar  *mpb.Bar
	last atomic.Pointer[string] // read by the bar's own goroutine
}

func newUnitProgress(w io.Writer, units int) *unitProgress {
	p := &unitProgress{}
	f, ok := w.(*os.File)
	if !ok || !term.IsTerminal(int(f.Fd())) || units == 0 {
		return p
	}
	const width = 24
	p.bars = mpb.New(mpb.WithOutput(w), mpb.WithWidth(width))
	p.bar = p.bars.AddBar(int64(units), mpb.BarRemoveOnComplete(),
		mpb.AppendDecorators(
			decor.CountersNoUnit(" %d of %d units "), decor.Elapsed(decor.ET_STYLE_GO),
			decor.Any(func(s decor.Statistics) string {
				if text := p.last.Load(); text != nil {
					return ansi.Truncate("  "+*text, max(0, s.AvailableWidth), "…")
				}
				return ""
			})))
	return p
}

func (p *unitProgress) done(o analyzer.Outcome) {
	if p.bars == nil {
		return
	}
	name := shortFile(o.Unit.File)
	p.last.Store(&name)
	p.bar.Increment()
}

// clear gives the terminal back, also when units were left undone.
func (p *unitProgress) clear() {
	if p.bars == nil {
		return
	}
	p.bar.Abort(true)
	p.bars.Wait()
}
