package dwarf

import (
	"errors"
	"sync/atomic"
)

// budget bounds the work that references may cause. In sound files abbreviation
// tables, range lists and line programs are each read once or are shared as a
// whole; in a hostile one thousands of units may point into the middle of the
// same megabytes.
type budget struct {
	abbrev, ranges, line atomic.Int64
}

// Sound files stay below one and a half times the size of a section.
const (
	budgetFactor = 8
	budgetSlack  = 1 << 20
)

var errBudget = errors.New("damaged debug information: units overlap in what they refer to")

func (b *budget) set(s *sections) {
	b.abbrev.Store(int64(len(s.abbrev))*budgetFactor + budgetSlack)
	b.ranges.Store(int64(len(s.ranges)+len(s.rnglists))*budgetFactor + budgetSlack)
	b.line.Store(int64(len(s.line))*budgetFactor + budgetSlack)
}

// spend takes n from a budget and reports whether there was any left.
func spend(b *atomic.Int64, n int) bool { return b.Add(int64(-n)) > 0 }
