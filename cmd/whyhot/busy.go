package main

import (
	"fmt"
	"io"
	"os"
	"sync"
	"time"

	"golang.org/x/term"

	"whyhot/internal/report/progress"
)

// showBusy shows a spinner on a terminal when the work takes more than a
// second. The function it returns ends that.
func showBusy(w io.Writer, what string) (done func()) {
	return showDoing(w, func() string { return what })
}

// showDoing is showBusy with words that change. What is called from other goroutines.
func showDoing(w io.Writer, what func() string) (done func()) {
	var (
		mu       sync.Mutex
		finished bool
		line     *progress.Line
	)
	begin := time.Now()
	timer := time.AfterFunc(time.Second, func() {
		mu.Lock()
		defer mu.Unlock()
		if finished {
			return
		}
		line = progress.On(w)
		line.Spin(func() string { return what() + " " + sinceText(begin) })
	})
	return func() {
		timer.Stop()
		mu.Lock()
		defer mu.Unlock()
		finished = true
		line.Clear()
	}
}

// sinceText is the time that has gone by, for a person who waits.
func sinceText(begin time.Time) string {
	return time.Since(begin).Truncate(time.Second).String()
}

// sayEvery is how often a log, which is no terminal, is told what is being done.
const sayEvery = 10 * time.Second

// repeated tells a log from time to time what is being done. A terminal has a line of
// its own for that.
func repeated(w io.Writer, what func() string) (done func()) {
	if f, ok := w.(*os.File); ok && term.IsTerminal(int(f.Fd())) {
		return func() {}
	}
	begin := time.Now()
	ticks := time.NewTicker(sayEvery)
	stop, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		for {
			select {
			case <-stop:
				return
			case <-ticks.C:
				_, _ = fmt.Fprintf(w, "whyhot: %s %s\n", what(), sinceText(begin))
			}
		}
	}()
	return func() { ticks.Stop(); close(stop); <-stopped }
}
