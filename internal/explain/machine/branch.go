package machine

import (
	"fmt"

	"whyhot/internal/explain/analyzer"
	"whyhot/internal/finding"
	"whyhot/internal/finding/percent"
	"whyhot/internal/profile"
)

// After a wrong guess nothing retires until the other way is fetched, and the clock's
// samples gather on that way's first two instructions (decision 0246). With this share of
// the loop's samples there on each way, hardly anything of the loop is elsewhere, and neither
// way is the exception. Of recordings of ten kernels with random data 17 of 67 pass, of those
// with data that can be guessed 1 of 110 (decision 0544).
const (
	leastOnWay    = 0.38
	fewestGuesses = 60 // samples of the loop: with fewer, the shares say little
)

// ways are the shares of the loop's samples on the first two instructions of the two ways
// that a branch goes on.
func (l *Loop) ways(m analyzer.MachineMatch) (one, other float64) {
	on := func(way string) float64 {
		return float64(l.on(m.Facts[way])+l.on(m.Facts[way+"_next"])) / float64(max(l.Self, 1))
	}
	return on("one"), on("other")
}

// inWrongGuesses costs what the loop takes, where the samples say that neither way is
// foreseen.
func inWrongGuesses(l *Loop, m analyzer.MachineMatch) (value, events int64) {
	if one, other := l.ways(m); l.Count < fewestGuesses || min(one, other) < leastOnWay {
		return 0, 0
	}
	return l.Self, l.Count
}

func wrongGuesses(_ *profile.Profile, l *Loop, m analyzer.MachineMatch) []finding.Evidence {
	one, other := l.ways(m)
	return []finding.Evidence{{Kind: evidenceKind, Text: fmt.Sprintf("of the loop's samples %s and %s are on the first two instructions of the two ways it goes on, at %s and %s: they gather there while a way that was not guessed is fetched. That is a guess, too: perf stat -e branch-misses counts, where the machine has it",
		percent.Column(one), percent.Column(other), m.Facts["one"], m.Facts["other"])}}
}
