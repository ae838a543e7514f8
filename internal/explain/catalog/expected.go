package catalog

import (
	"math"
	"slices"
)

// Expected is the part of what a fix can reach that it saves: Centre is likely, and it is
// within Low and High in 90 of 100 cases that were held out, unless there is a Why. All may be above 1, where a
// fix saves more than its samples show.
type Expected struct {
	Low, Centre, High float64
	// Workloads is how many of our own trials say so.
	Workloads int
	// Why there is no estimate: Low and High are then the entry's own, not calibrated.
	Why string
}

// Range is the fraction of the CPU that the fix gives back, where it can reach a part of
// the CPU that is known to a margin. Both factors are uncertain, by sampling and by what
// other programs showed, and independent of each other: their errors add as squares.
// It is below 0 only where Low is. More than all of the CPU is not likely, so that a
// Centre which says so counts as all of it.
func (x Expected) Range(reach, margin float64) (low, high float64) {
	likely := x.Likely(reach)
	low = likely - math.Hypot(reach*(x.Centre-x.Low), margin*x.Centre)
	high = likely + math.Hypot(reach*(x.High-x.Centre), margin*x.Centre)
	if x.Low >= 0 {
		low = math.Max(0, low)
	}
	return low, math.Max(0, math.Min(1, high))
}

// Likely is the fraction of the CPU that is likely given back.
func (x Expected) Likely(reach float64) float64 { return math.Min(1, reach*x.Centre) }

// Held is how far what was measured lay from what was expected, over the entries of
// which a range is predicted: what makes 90 of 100 held-out cases lie within it.
type Held struct {
	Removed, Replaced Like
	// Below and Above are the ends of a range, in spreads.
	Below, Above float64
}

// Like is what entries with the same kind of change have in common.
type Like struct {
	Centre         float64 // the part that is saved, by the middle workload
	Untried, Tried float64 // factors of the spread, of entries without and with trials
}

// HeldOut is what `go run ./bench/calibration` found (bench/calibration.md).
var HeldOut = Held{
	Removed:  Like{Centre: 1.05, Untried: 1.65, Tried: 0.79},
	Replaced: Like{Centre: 0.96, Tried: 0.69},
	Below:    2.04, Above: 2.93,
}

// The spread of a fix over workloads, before there is a trial of it, as if it had been
// seen in priorTrials of them: a fix that takes all away does so everywhere, one that
// takes half away depends on the data. What entries of a kind have in common counts as
// commonTrials trials.
const (
	priorTrials  = 3
	leastSpread  = 0.1
	perRest      = 0.3
	commonTrials = 0.5
)

// Where trials saved more than this many times what the finding could reach, its frames
// have a part of the cost only, and nobody knows which: the rest is inlined or is
// sampled elsewhere.
const aPart = 3

// A range that goes from almost nothing to almost all tells less than the share does.
const (
	almostNothing = 0.1
	almostAll     = 0.9
)

// Expected predicts what a fix of the entry saves of what it can reach.
//
// Where the work goes away (ChangeRemoved), or another implementation does it
// (ChangeReplaced) and was tried, there is a range. The trials of the entry and the
// middle of all entries of the kind make its centre; each workload counts once, with
// its best variant, since the advice is to try each. The spread between workloads is
// that of a normal distribution with a conjugate prior, which keeps two that happen to
// agree from promising too much (Gelman et al., Bayesian Data Analysis, 3rd ed., 2.6).
// How many spreads the range has comes from no distribution but from how far held-out
// workloads lay off: conformal prediction (Vovk, Gammerman and Shafer, Algorithmic
// Learning in a Random World; Barber et al., Predictive inference with the jackknife+,
// 2021).
//
// Example. Two workloads lost 97% and 99% of what compiling a pattern for each line
// had: the centre is 99%, the spread 9 points of what it had.
//
// For other changes the entry's own range is given, which is not calibrated, and Why is
// not empty. An entry that does not say its kind of change has its own range as it is.
func (e *Entry) Expected(h Held) Expected {
	saved, r := e.Parts(), e.Reduction
	x := Expected{Low: r.Low, Centre: (r.Low + r.High) / 2, High: r.High, Workloads: len(saved)}
	var like Like
	switch r.Change {
	case ChangeRemoved:
		like = h.Removed
	case ChangeReplaced:
		like = h.Replaced
	default:
		x.Why = unpredictable[r.Change]
		if len(saved) > 0 {
			x = x.around(mean(saved))
		}
		return x
	}
	factor := like.Untried
	if len(saved) > 0 {
		factor = like.Tried
	}
	centre, spread := Spread(saved, like.Centre)
	if r.Change == ChangeReplaced && len(saved) == 0 {
		x.Why = "no program was tried with another implementation yet, and implementations differ"
		return x.around(centre)
	}
	if centre > aPart {
		x.Why = "trials of ours saved several times the share, which is a part of what the fix takes away"
		return x.around(1)
	}
	low, high := centre-h.Below*factor*spread, centre+h.Above*factor*spread
	if low <= almostNothing && high >= almostAll {
		x.Why = "from almost nothing to all of it may go away, as trials of ours on other programs show"
		x.Low = math.Min(x.Low, math.Max(0, low))
		return x.around(centre)
	}
	x.Low, x.Centre, x.High = low, centre, high
	if r.Low >= 0 { // what may lose says so itself; of others, what loses is not kept
		x.Low = math.Max(0, x.Low)
	}
	return x
}

// unpredictable says why there is no estimate.
var unpredictable = map[string]string{
	ChangeData:     "how much of it goes away depends on the data: keys, sizes, patterns",
	ChangeIndirect: "what is saved lies elsewhere than what the samples show",
}

// around has the entry's own range hold what is likely.
func (x Expected) around(centre float64) Expected {
	x.Low, x.Centre, x.High = math.Min(x.Low, centre), centre, math.Max(x.High, centre)
	return x
}

// Spread is the part that is likely saved, from the parts that workloads saved and the
// middle of similar entries, and the standard deviation that is expected of the next one.
func Spread(saved []float64, common float64) (centre, spread float64) {
	n := float64(len(saved))
	centre = commonTrials * common
	for _, s := range saved {
		centre += s
	}
	centre /= n + commonTrials
	prior := leastSpread + perRest*math.Abs(1-centre)
	squares := priorTrials * prior * prior
	if n == 0 {
		return centre, prior * math.Sqrt2
	}
	own := mean(saved)
	for _, s := range saved {
		squares += (s - own) * (s - own)
	}
	return centre, math.Sqrt(squares / (priorTrials + n - 1) * (1 + 1/n))
}

func mean(v []float64) (m float64) {
	for _, x := range v {
		m += x / float64(len(v))
	}
	return m
}

// Parts is the part of its reach that each workload of our trials saved under its best variant.
func (e *Entry) Parts() []float64 {
	best := map[[2]string]float64{}
	for i := range e.Trials {
		t := &e.Trials[i]
		if t.Reach == nil || *t.Reach <= 0 {
			continue
		}
		key := [2]string{t.Workload, t.Baseline}
		part := math.Max(0, t.Saved()) / *t.Reach // what loses is not kept
		if old, seen := best[key]; !seen || part > old {
			best[key] = part
		}
	}
	out := make([]float64, 0, len(best))
	for _, part := range best {
		out = append(out, part)
	}
	slices.Sort(out) // sums do not depend on the order of a map
	return out
}

// Saved is the part of the CPU that the variant gave back.
func (t *Trial) Saved() float64 { return 1 - 1/t.Ratio }
