package catalog

import (
	"math"
	"slices"
)

// Expected is the part of what a fix can reach that it saves: Centre is likely, and it is
// within Low and High in 90 of 100 cases that were held out. All may be above 1, where a
// fix saves more than its samples show.
type Expected struct {
	Low, Centre, High float64
	// Workloads is how many of our own trials say so; 0 where it rests on the entry's
	// own range, and on how well the ranges of other entries held.
	Workloads int
}

// Range is the fraction of the CPU that the fix gives back, where it can reach a part of
// the CPU that is known to a margin. Both factors are uncertain, by sampling and by what
// other programs showed, and independent of each other: their errors add as squares.
// It is below 0 only where Low is.
func (x Expected) Range(reach, margin float64) (low, high float64) {
	low = reach*x.Centre - math.Hypot(reach*(x.Centre-x.Low), margin*x.Centre)
	high = reach*x.Centre + math.Hypot(reach*(x.High-x.Centre), margin*x.Centre)
	if x.Low >= 0 {
		low = math.Max(0, low)
	}
	return low, math.Max(0, math.Min(1, high))
}

// Held is how far what was measured lay from what was expected, over all entries with a
// trial: what makes 90 of 100 held-out cases lie within the range.
type Held struct {
	// Own: of an entry with trials, in multiples of its spread, to either side.
	Own float64
	// Low, Middle and High: of one without, where 0 and 1 are the ends of the entry's
	// own range.
	Low, Middle, High float64
}

// HeldOut is what `go run ./bench/calibration` found (bench/calibration.md).
var HeldOut = Held{Own: 4.21, Low: -0.14, Middle: 1.02, High: 3.02}

// The spread of a fix over workloads, before there is a trial of it, as if it had been
// seen in priorTrials of them: a fix that takes all away does so everywhere, one that
// takes half away depends on the data.
const (
	priorTrials = 3
	leastSpread = 0.04
	perRest     = 0.3
)

// Expected predicts what a fix of the entry saves of what it can reach, from the trials
// of the entry where there are any.
//
// Each workload of the trials gives the part that was saved of its reach; of several
// variants the best counts, since the advice is to try each. The spread between the
// workloads is that of a normal distribution with a conjugate prior, which keeps two
// that happen to agree from promising too much (Gelman et al., Bayesian Data Analysis,
// 3rd ed., 2.6). How many spreads the range has comes from no distribution but from how
// far held-out workloads lay off: conformal prediction (Vovk, Gammerman and Shafer,
// Algorithmic Learning in a Random World; Barber et al., Predictive inference with the
// jackknife+, 2021).
//
// Example. Two workloads lost 97% and 99% of what printing doubles had: the centre is
// 98%, the spread 4 points, the range 80% to 116%: of a share of half the CPU, 40 to 58 points.
func (e *Entry) Expected(h Held) Expected {
	saved, r := e.saved(), e.Reduction
	at := func(x float64) float64 { return r.Low + x*(r.High-r.Low) }
	x := Expected{Low: at(h.Low), Centre: at(h.Middle), High: at(h.High), Workloads: len(saved)}
	if len(saved) > 0 {
		centre, spread := Spread(saved)
		x.Low, x.Centre, x.High = centre-h.Own*spread, centre, centre+h.Own*spread
	}
	if r.Low >= 0 { // what may lose says so itself; of others, what loses is not kept
		x.Low = math.Max(0, x.Low)
	}
	return x
}

// Spread is the mean of the parts that workloads saved, and the standard deviation that
// is expected of the next one.
func Spread(saved []float64) (centre, spread float64) {
	n := float64(len(saved))
	for _, s := range saved {
		centre += s / n
	}
	prior := leastSpread + perRest*math.Abs(1-centre)
	squares := priorTrials * prior * prior
	for _, s := range saved {
		squares += (s - centre) * (s - centre)
	}
	return centre, math.Sqrt(squares / (priorTrials + n - 1) * (1 + 1/n))
}

// saved is the part of its reach that each workload saved under its best variant.
func (e *Entry) saved() []float64 {
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
