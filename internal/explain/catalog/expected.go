package catalog

import (
	"math"
	"slices"
)

// Expected is what a fix is expected to give back of the CPU: Likely, and between Low and
// High in 90 of 100 cases that were held out, unless there is a Why.
type Expected struct {
	Low, Likely, High float64
	// Part is the part of what the fix can reach that it is likely to save. It is above 1
	// where a fix saves more than its samples show.
	Part float64
	// Workloads is how many of our own trials say so.
	Workloads int
	// Why there is no estimate: Low and High are then the entry's own, not calibrated, or
	// say next to nothing.
	Why string
}

// Held is how far what was measured lay from what was expected, over the entries of
// which a range is predicted: what makes 90 of 100 held-out cases lie within it.
type Held struct {
	Removed, Replaced float64 // the part that the middle workload of such changes saves
	Untried, Tried    float64 // factors of the spread, of entries without and with trials
	Below, Above      float64 // the ends of a range, in spreads
	// Least is the part of its reach that 95 of 100 changes which take work away saved at
	// least: the low end where nothing of the entry's own was tried.
	Least float64
}

// HeldOut is what `go run ./bench/calibration` found (bench/calibration.md).
var HeldOut = Held{Removed: 1.01, Replaced: 0.91, Untried: 1.62, Tried: 0.58, Below: 3.36, Above: 2.29, Least: 0.42}

// The spread of what is saved, before the factors of Held: a tenth of the CPU, less where
// little can be reached, and all that the fix leaves of what it reaches.
const (
	leastSpread  = 0.1
	littleReach  = 0.3
	commonTrials = 0.5 // what entries of a kind have in common counts as so many trials
)

// Where trials saved more than this many times what the finding could reach, its frames
// have a part of the cost only, and nobody knows which: the rest is inlined or is
// sampled elsewhere.
const aPart = 3

// A range that begins at almost nothing of what can be reached tells less than the share
// does: that the fix may save nothing is true of every fix.
const almostNothing = 0.1

// Expected predicts what a fix of the entry saves where it can reach a part of the CPU
// that is known to a margin.
//
// Where the work goes away (ChangeRemoved), or another implementation does it
// (ChangeReplaced) and was tried, there is a range. The trials of the entry and the
// middle of all entries of the kind make its centre; each workload counts once, with
// its best variant, since the advice is to try each. How wide it is, in points of the
// CPU, comes from no distribution but from how far held-out workloads lay off, in
// spreads: conformal prediction (Vovk, Gammerman and Shafer, Algorithmic Learning in a
// Random World; Barber et al., Predictive inference with the jackknife+, 2021).
// Sampling, what differs between programs and what the fix leaves are independent, so
// that their errors add as squares.
//
// Example. Compiling a pattern for each line has 80% of the CPU, and two workloads lost
// 97% and 99% of what it had: 79% is likely, and the spread is 10 points.
//
// Of work that goes away and was tried nowhere yet, the share is what is likely saved, and
// the low end is the part of it that such changes saved at least (Held.Least): a call that is
// not made leaves a remainder, such as the look-up in a cache.
//
// For other changes the entry's own range is given, which is not calibrated, and Why is
// not empty. An entry that does not say its kind of change has its own range as it is.
func (e *Entry) Expected(h Held, reach, margin float64) Expected {
	saved, r := e.Parts(), e.Reduction
	// own is the entry's own range, which is not calibrated, around what is likely.
	own := func(part float64, why string) Expected {
		x := e.around(part, reach, margin, reach*math.Max(0, part-r.Low), reach*math.Max(0, r.High-part))
		x.Workloads, x.Why = len(saved), why
		return x
	}
	common := 0.0
	switch r.Change {
	case ChangeRemoved:
		common = h.Removed
	case ChangeReplaced:
		common = h.Replaced
	default:
		part := (r.Low + r.High) / 2
		if len(saved) > 0 && r.Change != "" {
			part = mean(saved)
		}
		return own(part, unpredictable[r.Change])
	}
	factor, part := h.Untried, Part(saved, common)
	if len(saved) > 0 {
		factor = h.Tried
	}
	if r.Change == ChangeReplaced && len(saved) == 0 {
		return own(part, "no program was tried with another implementation yet, and implementations differ")
	}
	if part > aPart {
		return own(1, "our trials saved several times the share, which is a part of what the fix takes away")
	}
	spread := factor * Spread(part, reach)
	below := h.Below * spread
	if len(saved) == 0 { // what is not called costs nothing: it is the share, but for a remainder
		below = reach * math.Max(0, part-h.Least)
	}
	x := e.around(part, reach, margin, below, h.Above*spread)
	x.Workloads = len(saved)
	if x.Low <= almostNothing*reach {
		x.Why = "almost nothing or much of it may go away, as our trials on other programs show"
	}
	return x
}

// Removed predicts what is given back where a change takes work away that is told by how a
// program behaves, and not by an entry: the share, less a remainder.
func Removed(share, margin float64) Expected {
	e := Entry{Reduction: Reduction{Change: ChangeRemoved, High: 1}}
	return e.Expected(HeldOut, share, margin)
}

// unpredictable says why there is no estimate.
var unpredictable = map[string]string{
	ChangeData:     "how much of it goes away depends on the data: keys, sizes, patterns",
	ChangeIndirect: "the change acts indirectly, so the matched share does not predict the saving",
}

// around is a range of so much of the CPU below and above what is likely, to which the
// error of sampling adds. It is below 0 only where the entry says that it may lose; of
// others, what loses is not kept.
func (e *Entry) around(part, reach, margin, below, above float64) Expected {
	x := Expected{Likely: math.Min(1, reach*part), Part: part}
	x.Low = x.Likely - math.Hypot(below, margin*part)
	x.High = math.Max(0, math.Min(1, x.Likely+math.Hypot(above, margin*part)))
	if e.Reduction.Low >= 0 {
		x.Low = math.Max(0, x.Low)
	}
	return x
}

// Part is the part that is likely saved, from the parts that workloads saved and the
// middle of similar entries.
func Part(saved []float64, common float64) float64 {
	part := commonTrials * common
	for _, s := range saved {
		part += s
	}
	return part / (float64(len(saved)) + commonTrials)
}

// Spread is how far what is saved lies from what is likely, in parts of the CPU and
// before the factors of Held: programs differ, and what a fix leaves depends on the data.
func Spread(part, reach float64) float64 {
	return math.Hypot(leastSpread*math.Min(1, reach/littleReach), reach*math.Abs(1-part))
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
