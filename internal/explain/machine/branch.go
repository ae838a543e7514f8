package machine

import (
	"fmt"

	"whyhot/internal/explain/analyzer"
	"whyhot/internal/finding"
	"whyhot/internal/finding/percent"
	"whyhot/internal/profile"
)

// After a wrong guess nothing retires until the other way is fetched, and the clock's
// samples gather on that way's first two instructions (decision 0246). One test asks that
// both ways have them on both instructions; the other that hardly anything of the loop is
// elsewhere, and neither way is the exception. Of recordings of ten kernels with random data
// 17 of 67 pass, of those with data that can be guessed 1 of 110 (decision 0544).
const (
	leastOnFirst  = 0.08
	leastOnSecond = 0.2
	leastOnWay    = 0.38
	fewestGuesses = 60 // samples of the loop: with fewer, four shares say little
)

// way is one of the two ways that a branch goes on: shares of the loop's samples on its
// first and second instruction.
type way struct{ first, second float64 }

func (w way) both() float64 { return w.first + w.second }

func (l *Loop) ways(m analyzer.MachineMatch) (one, other way) {
	self := float64(max(l.Self, 1))
	at := func(fact string) float64 { return float64(l.on(m.Facts[fact])) / self }
	return way{at("one"), at("one_next")}, way{at("other"), at("other_next")}
}

// inWrongGuesses costs what the loop takes, where the samples say that neither way is
// foreseen.
func inWrongGuesses(l *Loop, m analyzer.MachineMatch) (value, events int64) {
	a, b := l.ways(m)
	onEach := min(a.first, b.first) >= leastOnFirst && min(a.second, b.second) >= leastOnSecond
	if l.Count < fewestGuesses || !onEach && min(a.both(), b.both()) < leastOnWay {
		return 0, 0
	}
	return l.Self, l.Count
}

func wrongGuesses(_ *profile.Profile, l *Loop, m analyzer.MachineMatch) []finding.Evidence {
	a, b := l.ways(m)
	return []finding.Evidence{{Kind: evidenceKind, Text: fmt.Sprintf("of the loop's samples %s and %s are on the first two instructions of the two ways it goes on, at %s and %s: they gather there while a way that was not guessed is fetched",
		percent.Column(a.both()), percent.Column(b.both()), m.Facts["one"], m.Facts["other"])}}
}
