package machine

import (
	"fmt"
	"strconv"

	"whyhot/internal/explain/analyzer"
	"whyhot/internal/finding"
	"whyhot/internal/finding/percent"
	"whyhot/internal/profile"
)

// inGuesses costs what the loop takes, where samples stand behind the first instruction
// of both ways that a comparison goes on: there they gather while the way that was not
// guessed is fetched (decision 0246). Where the guesses hold, as with the same key again
// and again, next to none do.
func inGuesses(l *Loop, m analyzer.MachineMatch) (value, events int64) {
	const least = 0.1
	if float64(min(l.on(m.Facts["one"]), l.on(m.Facts["other"]))) < least*float64(l.Self) {
		return 0, 0
	}
	return l.Self, l.Count
}

// on is what was sampled on an instruction, by its address in text.
func (l *Loop) on(address string) int64 {
	at, err := strconv.ParseUint(address, 16, 64)
	for _, in := range l.Instructions {
		if err == nil && in.Address == at {
			return in.Self
		}
	}
	return 0
}

// guesses says how many samples that are.
func guesses(p *profile.Profile, l *Loop, m analyzer.MachineMatch) []finding.Evidence {
	total := float64(max(p.Total(), 1))
	one, other := float64(l.on(m.Facts["one"]))/total, float64(l.on(m.Facts["other"]))/total
	return []finding.Evidence{{Kind: evidenceKind, Text: fmt.Sprintf("behind the first instruction of the two ways it goes on, at %s and %s: %s and %s", m.Facts["one"], m.Facts["other"], percent.Column(one), percent.Column(other))}}
}
