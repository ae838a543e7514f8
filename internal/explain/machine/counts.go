package machine

import (
	"strconv"
	"strings"

	"whyhot/internal/explain/analyzer"
	"whyhot/internal/finding"
	"whyhot/internal/profile"
)

// inVectors is what was sampled in the vector loop whose left over elements a loop
// handles.
func (l *Loop) inVectors(m analyzer.MachineMatch) (value int64) {
	low, err := strconv.ParseUint(m.Facts["vector_low"], 16, 64)
	high, err2 := strconv.ParseUint(m.Facts["vector_high"], 16, 64)
	if err != nil || err2 != nil || l.binary == nil {
		return 0
	}
	for a, h := range l.binary.at {
		if a >= low && a < high {
			value += h.value
		}
	}
	return value
}

// users is what waits for the instructions that use what a division gives: a load by it
// waits for the division, and for memory.
func users(l *Loop, m analyzer.MachineMatch) (value int64) {
	use := map[uint64]bool{}
	for text := range strings.SplitSeq(m.Facts["users"], ",") {
		if a, err := strconv.ParseUint(text, 16, 64); err == nil {
			use[a] = true
		}
	}
	for _, in := range l.Instructions {
		if use[in.For] {
			value += in.Self
		}
	}
	return value
}

// leftOver costs what the loop takes, where the vector loop before it takes less than a
// third of that. Of n elements a vector loop of width w makes n/w iterations, and leaves
// (w-1)/2 on average: a third means that n is about w*(w-1)/6, 40 where w is 16.
func leftOver(l *Loop, m analyzer.MachineMatch) (value, events int64) {
	const times = 3
	if v := l.inVectors(m); times*v > l.Self {
		return 0, 0
	}
	return l.Self, l.Count
}

// inLocalSum puts the local variable first, where a sum is stored.
func inLocalSum(_ *Loop, m analyzer.MachineMatch) []string {
	if m.Facts["store"] == "" {
		return nil
	}
	return []string{"add up in a local variable, and store it after the loop"}
}

// inX87 costs what the loop takes, where a tenth of that is on its x87 instructions or
// behind them: their names alone begin with an f. A loop that compares in several ways
// (sort's keys) has some that never run.
func inX87(l *Loop, _ analyzer.MachineMatch) (value, events int64) {
	const least = 0.1
	at, before := int64(0), false
	for _, in := range l.Instructions {
		is := strings.HasPrefix(in.Text, "f")
		if is || before {
			at += in.Self
		}
		before = is
	}
	if float64(at) < least*float64(l.Self) {
		return 0, 0
	}
	return l.Self, l.Count
}

// threads says where all samples are of one thread: then nobody else is waited for.
func threads(p *profile.Profile, _ *Loop, _ analyzer.MachineMatch) []finding.Evidence {
	seen := map[int64]bool{}
	samples := p.Samples()
	for i := range samples {
		id, ok := p.Label(samples[i].Labels, profile.LabelTID)
		if !ok {
			return nil
		}
		seen[id.Num] = true
	}
	if len(seen) != 1 {
		return nil
	}
	return []finding.Evidence{{Kind: evidenceKind, Text: "all samples are of one thread: nobody contends, the instruction itself is what costs"}}
}

// inWaits costs what the loop takes, where a third of that waits for the loads of the match:
// then they come from farther than the first cache.
func inWaits(l *Loop, m analyzer.MachineMatch) (value, events int64) {
	const least = 0.3
	if waits, _ := l.waits(m); float64(waits) < least*float64(l.Self) {
		return 0, 0
	}
	return l.Self, l.Count
}

func fixed(title string) func(*Loop, analyzer.MachineMatch) string {
	return func(*Loop, analyzer.MachineMatch) string { return title }
}
