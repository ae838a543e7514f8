package machine

import (
	"fmt"
	"path/filepath"

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

// Where a jump was followed, its outcomes decide and the samples do not: from this part missed
// on it costs a cycle an iteration, and fewer outcomes say little.
const (
	leastMissed = 0.06
	fewestSeen  = 300
)

// followed are the jumps of a binary whose outcomes a recording has.
func followed(p *profile.Profile, path string) map[uint64]profile.Branch {
	out := map[uint64]profile.Branch{}
	for _, b := range p.Meta.Branches {
		if b.Path == path && b.Judged > 0 {
			out[b.Address] = b
		}
	}
	return out
}

// outcomes are those of the match's jump, where it was followed; worst says that no other
// jump of the loop that matches is missed more often, and with which all are missed.
func (l *Loop) outcomes(m analyzer.MachineMatch) (of profile.Branch, worst bool, known bool) {
	if l.binary == nil || len(m.At) == 0 {
		return profile.Branch{}, false, false
	}
	of, known = l.binary.branches[m.At[0]]
	worst = true
	for _, other := range l.Matches {
		if other.Rule == m.Rule && len(other.At) > 0 && other.Facts["both"] != "" {
			b := l.binary.branches[other.At[0]]
			worst = worst && (b.Missed < of.Missed || b.Missed == of.Missed && b.Address >= of.Address)
		}
	}
	return of, worst, known
}

// inWrongGuesses costs what the loop takes, where neither way of a jump is foreseen: by its
// outcomes, or else by where the samples are.
func inWrongGuesses(l *Loop, m analyzer.MachineMatch) (value, events int64) {
	if of, worst, known := l.outcomes(m); known {
		if !worst || m.Facts["both"] == "" || of.Seen < fewestSeen || float64(of.Missed) < leastMissed*float64(of.Judged) {
			return 0, 0
		}
		return l.Self, l.Count
	}
	if m.Facts["one"] == "" || l.isFollowed() {
		return 0, 0
	}
	if one, other := l.ways(m); l.Count < fewestGuesses || min(one, other) < leastOnWay {
		return 0, 0
	}
	return l.Self, l.Count
}

// isFollowed: of a loop with jumps that were followed, the others were hardly executed.
func (l *Loop) isFollowed() bool {
	if l.binary == nil {
		return false
	}
	for _, in := range l.Instructions {
		if _, known := l.binary.branches[in.Address]; known {
			return true
		}
	}
	return false
}

func titleOfBranch(l *Loop, m analyzer.MachineMatch) string {
	if _, _, known := l.outcomes(m); known {
		return "Loop's branch is mispredicted; compute both ways"
	}
	return "Loop's branch may be mispredicted; compute both ways"
}

func wrongGuesses(_ *profile.Profile, l *Loop, m analyzer.MachineMatch) []finding.Evidence {
	of, _, known := l.outcomes(m)
	if !known {
		one, other := l.ways(m)
		return []finding.Evidence{{Kind: evidenceKind, Text: fmt.Sprintf("of the loop's samples %s and %s are on the first two instructions of the two ways it goes on, at %s and %s: they gather there while a way that was not guessed is fetched. That is a guess, too: perf stat -e branch-misses counts, where the machine has it",
			percent.Column(one), percent.Column(other), m.Facts["one"], m.Facts["other"])}}
	}
	text := func(address uint64, of profile.Branch) finding.Evidence {
		at := ""
		for _, in := range l.Instructions {
			if f, ok := Edited(in.Lines); ok && in.Address == address {
				at = fmt.Sprintf(" (%s:%d)", filepath.Base(f.Function.File), f.Line)
			}
		}
		return finding.Evidence{Kind: evidenceKind, Text: fmt.Sprintf("jump at %x%s: taken in %s of %d executions that were followed; a predictor with a long history misses %s of them",
			address, at, percent.Column(float64(of.Taken)/float64(of.Seen)), of.Seen, percent.Column(float64(of.Missed)/float64(max(of.Judged, 1))))}
	}
	out := []finding.Evidence{text(m.At[0], of)}
	for _, in := range l.Instructions {
		if b, is := l.binary.branches[in.Address]; is && in.Address != m.At[0] && float64(b.Missed) >= leastMissed*float64(b.Judged) {
			out = append(out, text(in.Address, b))
		}
	}
	return out
}

// What a wrong guess costs, in cycles, and how many instructions a cycle a loop has otherwise
// (Fog, "The microarchitecture of Intel, AMD and VIA CPUs", 2023).
const (
	cheapestMiss, dearestMiss = 12, 30
	fewestACycle, mostACycle  = 1.5, 4
)

// inMisses says which part of the loop's time goes into wrong guesses: cycles that they cost,
// of those and what the instructions take. Example: of 20 instructions and half a miss, which
// take 5 to 13 cycles and 6 to 15, these are 31 to 75 in a hundred.
func inMisses(l *Loop, m analyzer.MachineMatch) (low, high float64, known bool) {
	if _, _, known := l.outcomes(m); !known {
		return 0, 0, false
	}
	// A jump that is executed most often is executed once an iteration, or more seldom.
	var missed, most float64
	for _, in := range l.Instructions {
		if b, is := l.binary.branches[in.Address]; is && b.Judged > 0 {
			missed += float64(b.Missed) / float64(b.Judged) * float64(b.Seen)
			most = max(most, float64(b.Seen))
		}
	}
	missed /= max(most, 1)
	part := func(cycles, rate float64) float64 {
		return missed * cycles / (missed*cycles + float64(len(l.Instructions))/rate)
	}
	return part(cheapestMiss, fewestACycle), part(dearestMiss, mostACycle), true
}
