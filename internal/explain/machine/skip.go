package machine

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"whyhot/internal/explain/analyzer"
	"whyhot/internal/finding"
	"whyhot/internal/finding/percent"
	"whyhot/internal/profile"
)

const (
	skipRule = "machine-skip"
	// leastSkipped is the part of the elements that are skipped, from which on a list of the
	// others is short; of so many executions.
	leastSkipped = 0.95
	fewestTested = 300
	// mostOfLoop is the part of the loop's samples on iterations that skip.
	mostOfLoop = 0.6
)

// inSkips costs what the iterations take that skip an element, where the recording has counted
// that nearly all do.
func (l *Loop) inSkips(m analyzer.MachineMatch) (value, events int64) {
	if part, _ := l.skipped(m); part < leastSkipped || l.breaks(walkRule) {
		return 0, 0
	}
	for _, in := range l.Instructions {
		if inCycle(m.Facts["cycle"], in.Address) {
			value += in.Self
			events += in.Count
		}
	}
	if float64(value) < mostOfLoop*float64(l.Self) {
		return 0, 0
	}
	return value, events
}

// skipped is the part of the executions of a match's jump that skip, and how many there were;
// 0 where too few are known.
func (l *Loop) skipped(m analyzer.MachineMatch) (part float64, of uint64) {
	if l.binary == nil || len(m.At) == 0 {
		return 0, 0
	}
	b := l.binary.outcomes[m.At[0]]
	if b.Seen < fewestTested {
		return 0, 0
	}
	part = float64(b.Taken) / float64(b.Seen)
	if m.Facts["by"] != "taken" {
		part = 1 - part
	}
	return part, b.Seen
}

// inCycle says whether an address is in one of several ranges: 1f0-200,210-21c.
func inCycle(ranges string, address uint64) bool {
	return slices.ContainsFunc(strings.Split(ranges, ","), func(text string) bool {
		from, to, _ := strings.Cut(text, "-")
		low, err := strconv.ParseUint(from, 16, 64)
		high, err2 := strconv.ParseUint(to, 16, 64)
		return err == nil && err2 == nil && address >= low && address < high
	})
}

func skips(_ *profile.Profile, l *Loop, m analyzer.MachineMatch) []finding.Evidence {
	part, of := l.skipped(m)
	return []finding.Evidence{{Kind: evidenceKind, Text: fmt.Sprintf("of %d executions of the jump at %x that were followed %s skip the element", of, m.At[0], percent.Column(part))}}
}
