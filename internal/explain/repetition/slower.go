package repetition

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"whyhot/internal/explain/catalog"
	"whyhot/internal/explain/judge"
	"whyhot/internal/explain/ownline"
	"whyhot/internal/finding"
	"whyhot/internal/finding/percent"
	"whyhot/internal/profile"
	"whyhot/internal/profile/origin"
)

// RuleSlower is the rule about functions each of whose calls takes longer than the one before.
const RuleSlower = "slower-per-call"

// What a function must show to be told.
const (
	slowerShare = 0.08
	slowerSure  = 0.06
	slowerCalls = 128
	slowerSteps = 4   // doublings of the number of calls, over which the time of a call grows
	slowerStep  = 1.2 // times in each of these, at least
	steepStep   = 4   // and at most: a jump is one call that has more to do
	slowerAll   = 5   // times in all of them
	sameCalls   = 3   // times as many calls as another function: each call of it makes one
	halfOf      = 2
	mostChain   = 6 // calls outwards that are named
	fewCalls    = 3 // of these, that a step names
)

// perCall are the mean times of calls: of those from 2^k on, up to those from 2^(k+1) on, as
// long as there are enough of them to have a mean.
func perCall(c *profile.FunctionCalls) []float64 {
	var out []float64
	for k, sum := range c.Times {
		n := min(uint64(1)<<k, c.Count-min(c.Count, uint64(1)<<k-1))
		if k > 0 && n < uint64(1)<<(k-1) { // the last ones, of which some are missing
			break
		}
		out = append(out, float64(sum)/float64(n))
	}
	return out
}

// grows says whether the time of a call grows with the number of calls before it, over the
// last doublings, by what power and over how many doublings; 0 for none.
//
// Example. 0.1 ms for calls 1,000 to 2,000, 0.2 for the next 2,000, 0.39, 0.8: times 8 over
// eight times as many calls, by the power of 1.
func grows(c *profile.FunctionCalls) (power float64, steps int) {
	mean := perCall(c)
	if c.Count < slowerCalls || len(mean) <= slowerSteps {
		return 0, 0
	}
	last := mean[len(mean)-1-slowerSteps:]
	times, steady := last[slowerSteps]/last[0], true
	for i, t := range last[1:] {
		steady = steady && t >= slowerStep*last[i] && t <= steepStep*last[i]
	}
	if steady && last[0] > 0 && times >= slowerAll {
		return math.Log2(times) / slowerSteps, slowerSteps
	}
	if power, ok := rises(mean); ok {
		return power, risingSteps
	}
	return 0, 0
}

// What a function must show whose calls are timed unevenly, as by a JVM that collects and compiles
// meanwhile.
const (
	risingSteps = 6    // doublings
	risingPower = 0.55 // at least: caches alone make calls a little slower
	risingPair  = 1.1  // times over each two doublings, at least
	risingAll   = 6    // times in all of them
)

// rises fits a line to the logarithms of the last means.
func rises(mean []float64) (power float64, ok bool) {
	if len(mean) <= risingSteps {
		return 0, false
	}
	last := mean[len(mean)-1-risingSteps:]
	if last[0] <= 0 || last[risingSteps] < risingAll*last[0] {
		return 0, false
	}
	var sum float64
	for i, t := range last {
		if i > 1 && (t < risingPair*last[i-2] || t > steepStep*steepStep*last[i-2]) || i > 0 && t > steepStep*last[i-1] {
			return 0, false
		}
		sum += (float64(i) - risingSteps/2.0) * math.Log2(t)
	}
	const squares = 28 // of -3, -2, … 3
	power = sum / squares
	return power, power >= risingPower
}

// slowing are the functions whose calls take longer each time: of several that call each
// other once, the innermost, which does the work. growing are all of them.
func slowing(p *profile.Profile, all []*hot) (out, growing []*hot) {
	for _, h := range all {
		if _, steps := grows(h.counted); steps > 0 && h.events >= leastEvents && sure(p, h.value, slowerShare, slowerSure) {
			growing = append(growing, h)
		}
	}
	out = slices.DeleteFunc(slices.Clone(growing), func(h *hot) bool {
		return slices.ContainsFunc(growing, func(in *hot) bool {
			return in != h && halfOf*in.value >= h.value && (in.value < h.value || in.value == h.value && in.deeper(p, h)) && encloses(h, in) && in.counted.Count <= sameCalls*h.counted.Count
		})
	})
	slices.SortFunc(out, dearest)
	return out, growing
}

// deeper says whether a function is below another one that has the same samples.
func (h *hot) deeper(p *profile.Profile, other *hot) bool {
	for _, loc := range p.Stack(p.Samples()[h.samples[0]].Stack) {
		for _, line := range p.Lines(loc) {
			switch line.Function {
			case h.function:
				return true
			case other.function:
				return false
			}
		}
	}
	return false
}

func (h *hot) slower(s judge.Subject, growing []*hot) judge.Found {
	p, c := s.Profile, h.counted
	fn := p.Function(h.function)
	line, _ := h.heaviest(p)
	place := ownline.Place(p, line)
	share := h.share(p)
	margin := finding.ShareError(share, p.Count())
	power, over := grows(c)
	mean := perCall(c)
	last := len(mean) - 1
	first := last - over
	var sum uint64
	for _, t := range c.Times {
		sum += t
	}
	gone := share * max(0, 1-mean[first]*float64(c.Count)/float64(max(sum, 1)))
	x := catalog.Removed(gone, margin)
	steps := []string{"Find what grows, and is gone through or copied whole in each call; do only the new part"}
	chain := places(p, h.chain(p))
	if len(chain) > 0 {
		steps = append(steps, "Or a caller asks for too much: "+strings.Join(chain[:min(len(chain), fewCalls)], " ← "))
	}
	if others := h.alike(p, growing); len(others) > 0 {
		steps = slices.Insert(steps, 1, "Called as often, and slower each time too: "+strings.Join(others, ", "))
	}
	f := finding.Finding{
		ID: finding.ID(RuleSlower, place, fn.Name), Rule: RuleSlower, Certainty: finding.Confirmed, Place: place,
		Title: fmt.Sprintf("Each call of %s takes longer than the one before", short(fn.Name)),
		Share: finding.Share{Inclusive: &share, Error: &margin},
		Gain: &finding.Gain{Low: x.Low, Likely: x.Likely, High: x.High, Reach: share,
			Basis: percent.Text(gone) + " of the CPU, where all calls take as long as the early ones"},
		Fix: finding.Fix{Kind: "code", Steps: steps, Caveats: []string{"Where the later calls are given more to do, the time is theirs"}},
		Evidence: []finding.Evidence{{Kind: "counted", Share: &share, Text: fmt.Sprintf("counted: %s calls; one takes %s after %s calls and %s after %s; twice as many calls take %.0f times as long",
			judge.CallsOf(c), lasts(mean[first]), judge.Times(uint64(1)<<first), lasts(mean[last]), judge.Times(uint64(1)<<last), math.Exp2(power+1))}},
	}
	if len(chain) > 0 {
		f.Evidence = append(f.Evidence, finding.Evidence{Kind: "callers", Text: "called in " + strings.Join(chain, " ← ")})
	}
	f.Next = s.Versus(f.ID)
	return judge.Found{Finding: f, Samples: h.samples, Removes: true}
}

// alike are the functions that are called as often as this one or more, and take longer each time
// too, of those with few samples: a compiler has inlined them, and they may have the work.
func (h *hot) alike(p *profile.Profile, growing []*hot) (names []string) {
	const most = 3
	for i := range p.Meta.Functions {
		c := &p.Meta.Functions[i]
		if _, steps := grows(c); steps > 0 && c.Count >= h.counted.Count && len(names) < most && !slices.ContainsFunc(growing, func(o *hot) bool { return o.counted == c }) {
			names = append(names, short(c.Name))
		}
	}
	return names
}

// lasts writes the time of a call with two digits.
func lasts(ns float64) string {
	d := time.Duration(ns)
	unit := time.Duration(math.Pow10(max(0, len(fmt.Sprint(int64(d)))-2))) //nolint:mnd // two digits
	return d.Round(unit).String()
}

// chain are the lines that call the function by which most of its CPU goes, outwards, as long
// as that is half of it.
func (h *hot) chain(p *profile.Profile) (lines []profile.Line) {
	ways := make([]ownline.Path, len(h.samples))
	for i, row := range h.samples {
		s := &p.Samples()[row]
		ways[i] = ownline.Path{Lines: h.above(p, p.Stack(s.Stack)), Value: s.Value}
	}
	for _, step := range ownline.Common(ways, h.value, mostChain) {
		lines = append(lines, step.Line)
	}
	return lines
}

// isStart says whether a function of machine code is not the program's, as those that call main.
func isStart(p *profile.Profile, id profile.FunctionID) bool {
	kind := p.Function(id).Kind
	return (kind == profile.KindNative || kind == profile.KindGo) && ownline.Origin(p, id) != origin.Own
}

// places names lines.
func places(p *profile.Profile, lines []profile.Line) []string {
	out := make([]string, len(lines))
	for i, l := range lines {
		out[i] = judge.Where(ownline.Place(p, l))
	}
	return out
}

// above are the lines with a number that call the function, innermost first, of each function
// the innermost.
func (h *hot) above(p *profile.Profile, stack []profile.LocationID) (lines []profile.Line) {
	seen, found := map[profile.FunctionID]bool{h.function: true}, false
	for _, loc := range stack {
		for _, l := range p.Lines(loc) {
			if l.Function == h.function {
				found = true
			} else if found && !seen[l.Function] && l.Line > 0 && !isGlue(p, l.Function) && !isStart(p, l.Function) && len(lines) < mostChain {
				seen[l.Function] = true
				lines = append(lines, l)
			}
		}
	}
	return lines
}
