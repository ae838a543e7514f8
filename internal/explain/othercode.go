package explain

import (
	"fmt"
	"math"
	"regexp"

	"whyhot/internal/explain/judge"
	"whyhot/internal/explain/ownline"
	"whyhot/internal/finding/percent"
	"whyhot/internal/profile"
)

// runsOn is the part of other code's time that stays at least, whatever a fix takes away elsewhere:
// with caches to itself it may run faster.
const runsOn = 0.7

// served are functions of allocators, collectors and the kernel's memory: what they do below other
// code may still be for what a fix takes away.
var served = regexp.MustCompile(`(?i)malloc|calloc|realloc|\bfree|_free|alloc|dealloc|delete|drop|destr|~|dispose|gc|collect|sweep|mark|scaveng|evacuat|page_fault|memclr|memset|mmap|munmap|madvise|\bbrk|clear_page|jit|compile`)

// leaveOthers lowers the upper end of estimates that promise more than a finding's own samples to
// what other code of the program leaves: lines of other functions, with what they call but for the
// runtime's services.
//
// Example. A list search has 60% of the CPU and trials of such fixes saved up to 1.6 times their
// part: 97%. Other functions of the script have 38%: 73% at most.
func leaveOthers(p *profile.Profile, found []judge.Found) {
	var lines *ownline.Lines
	for i := range found {
		f := &found[i]
		g := f.Estimate()
		if g == nil || len(f.Samples) == 0 || g.High <= f.Share.Main() {
			continue
		}
		if lines == nil {
			lines = ownline.Of(p)
		}
		kept := runsOn * others(p, lines, f)
		most := 1 - kept
		if g.High <= most {
			continue
		}
		lower := *g
		lower.High = math.Max(most, f.Share.Main())
		lower.Likely, lower.Low = math.Min(g.Likely, lower.High), math.Min(g.Low, lower.High)
		lower.Basis += fmt.Sprintf("; other functions of the program keep %s of the CPU at least", percent.Text(kept))
		f.Gain = &lower
	}
}

// others is the part of the profile that functions have which no sample of a finding is in.
func others(p *profile.Profile, lines *ownline.Lines, f *judge.Found) float64 {
	its, in := map[profile.FunctionID]bool{}, make([]bool, len(p.Samples()))
	for _, row := range f.Samples {
		in[row] = true
		if line, _, ok := lines.Innermost(p.Samples()[row].Stack); ok {
			its[line.Function] = true
		}
	}
	known := make([]uint8, p.NumStacks()) // 0 not asked, 1 no, 2 other code
	sum := int64(0)
	for row := range p.Samples() {
		s := &p.Samples()[row]
		if in[row] {
			continue
		}
		if known[s.Stack] == 0 {
			known[s.Stack] = 1
			if line, depth, ok := lines.Innermost(s.Stack); ok && !its[line.Function] && !isServed(p, s.Stack, depth) {
				known[s.Stack] = 2
			}
		}
		if known[s.Stack] == 2 {
			sum += s.Value
		}
	}
	return float64(sum) / float64(max(1, p.Total()))
}

// isServed says whether a service of the runtime runs below a line.
func isServed(p *profile.Profile, id profile.StackID, depth int) bool {
	for _, loc := range p.Stack(id)[:depth] {
		for _, l := range p.Lines(loc) {
			if served.MatchString(p.Function(l.Function).Name) {
				return true
			}
		}
	}
	return false
}
