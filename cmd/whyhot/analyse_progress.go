package main

import (
	"fmt"
	"io"
	"time"

	"whyhot/internal/explain/analyzer"
	"whyhot/internal/report/progress"
)

// unitProgress is a bar of the units that are done. It is silent where no person
// is looking.
type unitProgress struct {
	line        *progress.Line
	begin       time.Time
	done, units int
}

func newUnitProgress(w io.Writer, units int) *unitProgress {
	p := &unitProgress{begin: time.Now(), units: units}
	if units > 0 {
		p.line = progress.On(w)
		p.show("")
	}
	return p
}

// report takes in that another unit is done.
func (p *unitProgress) report(o analyzer.Outcome) {
	p.done++
	p.show(shortFile(o.Unit.File))
}

func (p *unitProgress) show(last string) {
	done := p.done
	p.line.Bar(float64(done)/float64(p.units), func() string {
		return fmt.Sprintf("%d of %d units %s  %s", done, p.units, sinceText(p.begin), last)
	})
}
