// Package progress keeps one line at the bottom of a terminal up to date while
// something takes long.
//
// It owns the bar, the spinner and who sees them: only a terminal, where a person
// is looking. It takes a fraction and words. It imports nothing of ours.
package progress

import (
	"io"
	"os"
	"sync/atomic"
	"time"

	"github.com/charmbracelet/x/ansi"
	"github.com/vbauerster/mpb/v8"
	"github.com/vbauerster/mpb/v8/decor"
	"golang.org/x/term"
)

const (
	barWidth = 24
	leastFor = 10                     // columns for the words on a narrow terminal
	refresh  = 200 * time.Millisecond // often enough for a person, seldom for a measurement beside it
	steps    = 1000
)

// Line is a line of a terminal. A nil Line shows nothing. All calls come from one
// goroutine.
type Line struct {
	bars *mpb.Progress
	bar  *mpb.Bar
	text atomic.Pointer[func() string] // read by the bar's own goroutine
}

// On gives a line on w, nil where w is no terminal.
func On(w io.Writer) *Line {
	f, ok := w.(*os.File)
	if !ok || !term.IsTerminal(int(f.Fd())) {
		return nil
	}
	return &Line{bars: mpb.New(mpb.WithOutput(w), mpb.WithWidth(barWidth), mpb.WithRefreshRate(refresh))}
}

// Bar shows which fraction is done, and words behind it. text is called whenever
// the line is drawn, from another goroutine. A line is a bar or a spinner from the
// first call on.
func (l *Line) Bar(fraction float64, text func() string) {
	if l == nil {
		return
	}
	l.show(text, steps, mpb.BarStyle())
	l.bar.SetCurrent(min(steps-1, int64(steps*fraction)))
}

// Spin shows that something is under way, and words behind it, like Bar.
func (l *Line) Spin(text func() string) {
	if l == nil {
		return
	}
	l.show(text, 0, mpb.SpinnerStyle(), mpb.BarWidth(1))
}

func (l *Line) show(text func() string, total int64, style mpb.BarFillerBuilder, options ...mpb.BarOption) {
	l.text.Store(&text)
	if l.bar != nil {
		return
	}
	l.bar = l.bars.New(total, style, append(options, mpb.BarRemoveOnComplete(),
		mpb.AppendDecorators(decor.Any(func(s decor.Statistics) string {
			return ansi.Truncate(" "+(*l.text.Load())(), max(leastFor, s.AvailableWidth), "…")
		})))...)
}

// Clear gives the terminal back. Nothing is shown afterwards.
func (l *Line) Clear() {
	if l == nil {
		return
	}
	if l.bar != nil {
		l.bar.Abort(true)
	}
	l.bars.Wait()
}
