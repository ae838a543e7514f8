package stat

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"

	gonum "gonum.org/v1/gonum/stat"
)

// An interval is made of maxResamples bootstrap resamples. The widest interval
// asked for (three variants at an interim look) leaves 1.7 of them beyond each
// end. Thousands of rounds give a smooth distribution, for which fewer do: the
// work is bounded instead.
const (
	maxResamples = 10000
	minResamples = 2000
	maxDraws     = 20_000_000
)

// FewestResampled is the number of rounds below which the bootstrap interval of a
// ratio of medians was seen to be too short (docs/decisions/0040-trial-statistics.md).
const FewestResampled = 9

// Interval is an estimate with its confidence interval.
type Interval struct {
	Estimate, Low, High float64
}

// HalfWidth is the larger relative distance from the estimate to an end.
func (i Interval) HalfWidth() float64 {
	if i.Estimate <= 0 {
		return math.Inf(1)
	}
	return max(i.High/i.Estimate-1, 1-i.Low/i.Estimate)
}

// Excludes says that the interval lies wholly on one side of x.
func (i Interval) Excludes(x float64) bool { return i.Low > x || i.High < x }

// Within says that the interval lies wholly inside [1/(1+band), 1+band].
func (i Interval) Within(band float64) bool {
	return i.Low >= 1/(1+band) && i.High <= 1+band
}

// Sample is the resampled ratio of two medians. One bootstrap serves intervals
// of every level.
type Sample struct {
	estimate float64
	sorted   []float64
}

// RatioOfMedians resamples rounds with replacement and keeps the two runs of a
// round together, so that what slows a whole round down (drift, a busy
// neighbour) moves both medians and cancels in the ratio. base and variant hold
// one number per round and must be equally long; numbers must be positive.
func RatioOfMedians(base, variant []float64, rng *rand.Rand) Sample {
	n := len(base)
	s := Sample{estimate: Median(base) / Median(variant)}
	if n < 2 {
		return s
	}
	b, v := newRanked(base), newRanked(variant)
	counts := make([]uint16, n)
	s.sorted = make([]float64, max(minResamples, min(maxResamples, maxDraws/n)))
	for k := range s.sorted {
		clear(counts)
		for range n {
			counts[rng.IntN(n)]++
		}
		s.sorted[k] = b.median(counts) / v.median(counts)
	}
	slices.Sort(s.sorted)
	return s
}

// Interval is the percentile interval of a level such as 0.95. With fewer than
// two rounds nothing is known: the interval is (0, ∞).
func (s Sample) Interval(level float64) Interval {
	if len(s.sorted) == 0 {
		return Interval{Estimate: s.estimate, Low: 0, High: math.Inf(1)}
	}
	tail := (1 - level) / 2
	return Interval{
		Estimate: s.estimate,
		Low:      gonum.Quantile(tail, gonum.Empirical, s.sorted, nil),
		High:     gonum.Quantile(1-tail, gonum.Empirical, s.sorted, nil),
	}
}

// GeoMean is the distribution of the geometric mean of independent ratios: in
// every resample of it, each ratio has one of its own resamples.
func GeoMean(samples []Sample, rng *rand.Rand) Sample {
	logs := 0.0
	for _, s := range samples {
		logs += math.Log(s.estimate)
	}
	n := float64(len(samples))
	out := Sample{estimate: math.Exp(logs / n), sorted: make([]float64, maxResamples)}
	for k := range out.sorted {
		sum := 0.0
		for _, s := range samples {
			v := s.estimate
			if len(s.sorted) > 0 {
				v = s.sorted[rng.IntN(len(s.sorted))]
			}
			sum += math.Log(v)
		}
		out.sorted[k] = math.Exp(sum / n)
	}
	slices.Sort(out.sorted)
	return out
}

// Median of xs; NaN when there are none. xs stays as it is.
func Median(xs []float64) float64 {
	n := len(xs)
	if n == 0 {
		return math.NaN()
	}
	s := slices.Clone(xs)
	slices.Sort(s)
	if n%2 == 1 {
		return s[n/2]
	}
	return (s[n/2-1] + s[n/2]) / 2
}

// ranked finds the median of a resample by walking the sorted values and the
// count of each, which is linear in the rounds and allocates nothing.
type ranked struct {
	order  []int
	values []float64
}

func newRanked(xs []float64) ranked {
	r := ranked{order: make([]int, len(xs)), values: make([]float64, len(xs))}
	for i := range xs {
		r.order[i] = i
	}
	slices.SortFunc(r.order, func(i, j int) int { return cmp.Compare(xs[i], xs[j]) })
	for k, i := range r.order {
		r.values[k] = xs[i]
	}
	return r
}

func (r ranked) median(counts []uint16) float64 {
	n := len(r.values)
	lower, upper := (n+1)/2, n/2+1 // 1-based ranks of the two middle values
	seen := 0
	var low float64
	haveLow := false
	for k, i := range r.order {
		seen += int(counts[i])
		if !haveLow && seen >= lower {
			low, haveLow = r.values[k], true
		}
		if seen >= upper {
			return (low + r.values[k]) / 2
		}
	}
	return low
}
