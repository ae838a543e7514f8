package explain

import (
	"fmt"
	"math"
	"regexp"
	"slices"

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
var served = regexp.MustCompile(`(?i)alloc|\bfree|_free|delete|drop|destr|~|dispose|gc|collect|sweep|mark|scaveng|evacuat|page_fault|memclr|memset|mmap|munmap|madvise|\bbrk|clear_page|jit|compile`)

// leaveOthers lowers the upper end of estimates that promise more than a finding's own samples to
// what other code of the program leaves: lines of other functions, with what they call but for the
// runtime's services.
//
// Example. A list search has 60% of the CPU and trials of such fixes saved up to 1.6 times their
// part: 97%. Other functions of the script have 38%: 73% at most.
func leaveOthers(p *profile.Profile, found []judge.Found) {
	var runs *running
	for i := range found {
		f := &found[i]
		g := f.Estimate()
		if g == nil || len(f.Samples) == 0 || g.High <= f.Share.Main() {
			continue
		}
		if runs == nil {
			runs = runningIn(p)
		}
		kept := runsOn * runs.others(f)
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

// running is, by stack, the innermost of the program's own functions.
type running struct {
	p      *profile.Profile
	known  []bool
	of     []profile.FunctionID
	serves []bool // a service of the runtime runs below it
}

func runningIn(p *profile.Profile) *running {
	n := p.NumStacks()
	r := &running{p: p, known: make([]bool, n), of: make([]profile.FunctionID, n), serves: make([]bool, n)}
	services := make([]bool, p.NumFunctions())
	for i := range services {
		services[i] = served.MatchString(p.Function(profile.FunctionID(i)).Name) //nolint:gosec // functions are numbered so
	}
	lines := ownline.Of(p)
	for i := range r.of {
		id := profile.StackID(i) //nolint:gosec // stacks are numbered so
		line, depth, ok := lines.Innermost(id)
		r.known[i], r.of[i] = ok, line.Function
		r.serves[i] = ok && slices.ContainsFunc(p.Stack(id)[:depth], func(loc profile.LocationID) bool {
			return slices.ContainsFunc(p.Lines(loc), func(l profile.Line) bool { return services[l.Function] })
		})
	}
	return r
}

// others is the part of the profile that functions have which no sample of a finding is in.
func (r *running) others(f *judge.Found) float64 {
	samples := r.p.Samples()
	its, in := map[profile.FunctionID]bool{}, make([]bool, len(samples))
	for _, row := range f.Samples {
		in[row] = true
		if id := samples[row].Stack; r.known[id] {
			its[r.of[id]] = true
		}
	}
	sum := int64(0)
	for row := range samples {
		if id := samples[row].Stack; !in[row] && r.known[id] && !r.serves[id] && !its[r.of[id]] {
			sum += samples[row].Value
		}
	}
	return float64(sum) / float64(max(1, r.p.Total()))
}
