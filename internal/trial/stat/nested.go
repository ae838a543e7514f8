package stat

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"
)

// Nested are rounds of a trial in several layouts of the code: the logarithm of the ratio of
// each round, by layout. A layout adds the same to all of its rounds, by chance.
//
// What holds for any layout is the mean of that distribution. Rounds tell how far each
// layout is known, layouts tell how far they lie apart, and the spread between layouts is
// itself known badly from a few. So it is integrated over: its prior is the upper half of a
// Cauchy distribution (A. Gelman, 2006), the mean has none. Many rounds in one layout and
// few in others then count as what they are, while a comparison of the layouts' medians
// takes the scatter of four runs for the scatter of layouts.
type Nested struct {
	middles []float64 // of layouts
	errors  []float64 // standard errors of these
}

// layoutSpread is the scale of the prior: half of all programs have layouts that differ by
// less, as a standard deviation, and one in eight by more than five times as much. Layouts
// of small loops were seen to differ by 15%.
const layoutSpread = 0.02

// Nest takes the rounds of each layout; those without rounds are left out. ok is false where
// the rounds are too few to tell their own spread. One layout alone says what the prior has
// layouts make of it.
func Nest(layouts [][]float64) (n Nested, ok bool) {
	const fewest = 4 // rounds beyond one for each layout
	var rests, counts []float64
	for _, logs := range layouts {
		if len(logs) == 0 {
			continue
		}
		middle := math.Log(PairLogs(logs).Estimate())
		n.middles, counts = append(n.middles, middle), append(counts, float64(len(logs)))
		for _, x := range logs {
			rests = append(rests, math.Abs(x-middle))
		}
	}
	free := float64(len(rests) - len(counts))
	if free < fewest {
		return n, false
	}
	// A standard deviation by the median of the distances, which outliers do not move; each
	// layout's middle was taken from its own rounds. The signed-rank middle needs π/3 times
	// the rounds of a mean.
	const normal = 1.4826
	spread := normal * Median(rests) * math.Sqrt(float64(len(rests))/free)
	for _, c := range counts {
		n.errors = append(n.errors, spread*math.Sqrt(math.Pi/3/c))
	}
	return n, true
}

// part is what one spread of layouts says: how plausible it is, and the mean with it.
type part struct{ weight, mean, error float64 }

func (n Nested) parts() []part {
	const steps, least, ratio = 64, 0.0002, 1.13 // to a half
	out := make([]part, steps)
	logs := make([]float64, steps)
	between := least
	for k := range out {
		var sum, weighted, log float64
		for i, m := range n.middles {
			v := between*between + n.errors[i]*n.errors[i]
			sum, weighted, log = sum+1/v, weighted+m/v, log-math.Log(v)/2 //nolint:mnd // of a root
		}
		mean := weighted / sum
		log -= math.Log(sum) / 2 //nolint:mnd // of a root
		for i, m := range n.middles {
			v := between*between + n.errors[i]*n.errors[i]
			log -= (m - mean) * (m - mean) / v / 2 //nolint:mnd // a normal density
		}
		// The prior, and the width of the step.
		log += math.Log(between) - math.Log1p(between*between/layoutSpread/layoutSpread)
		out[k], logs[k] = part{mean: mean, error: math.Sqrt(1 / sum)}, log
		between *= ratio
	}
	top, all := slices.Max(logs), 0.0
	for k := range out {
		out[k].weight = math.Exp(logs[k] - top)
		all += out[k].weight
	}
	for k := range out {
		out[k].weight /= all
	}
	return out
}

// below is the probability that the mean is below x.
func below(parts []part, x float64) float64 {
	p := 0.0
	for _, q := range parts {
		p += q.weight * distuv.UnitNormal.CDF((x-q.mean)/q.error)
	}
	return p
}

// Interval is that of a level such as 0.95, as a ratio.
func (n Nested) Interval(level float64) Interval {
	parts := n.parts()
	mean, widest := 0.0, 0.0
	for _, q := range parts {
		mean, widest = mean+q.weight*q.mean, max(widest, q.error)
	}
	quantile := func(p float64) float64 {
		const steps, far = 60, 40
		low, high := mean-far*widest, mean+far*widest
		for range steps {
			if middle := (low + high) / 2; below(parts, middle) < p { //nolint:mnd // a half
				low = middle
			} else {
				high = middle
			}
		}
		return high
	}
	tail := (1 - level) / 2 //nolint:mnd // two sides
	return Interval{math.Exp(mean), math.Exp(quantile(tail)), math.Exp(quantile(1 - tail))}
}
