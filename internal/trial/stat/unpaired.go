package stat

import (
	"math"
	"math/rand/v2"
	"slices"
)

// RatioOfUnpaired resamples two sides that were measured apart, each by itself.
func RatioOfUnpaired(base, variant []float64, rng *rand.Rand) Sample {
	s := Sample{estimate: Median(base) / Median(variant)}
	if len(base) < 2 || len(variant) < 2 {
		return s
	}
	b, v := newRanked(base), newRanked(variant)
	s.sorted = make([]float64, minResamples)
	for k := range s.sorted {
		s.sorted[k] = b.median(draw(len(base), rng)) / v.median(draw(len(variant), rng))
	}
	slices.Sort(s.sorted)
	return s
}

func draw(n int, rng *rand.Rand) []uint16 {
	counts := make([]uint16, n)
	for range n {
		counts[rng.IntN(n)]++
	}
	return counts
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

// Shift is how two sides that were measured apart differ: the median of all
// ratios between a value of one and a value of the other, with an interval that
// is exact for any distribution (J. L. Hodges and E. L. Lehmann, 1963; the
// interval inverts the test of H. B. Mann and D. R. Whitney, 1947). It holds if
// the two distributions differ by a factor only. ok is false with too few values
// for the level: four on each side for 95 %.
func Shift(base, variant []float64, level float64) (i Interval, ok bool) {
	ratios := make([]float64, 0, len(base)*len(variant))
	for _, b := range base {
		for _, v := range variant {
			ratios = append(ratios, b/v)
		}
	}
	if len(ratios) == 0 {
		return Interval{Estimate: math.NaN(), Low: 0, High: math.Inf(1)}, false
	}
	slices.Sort(ratios)
	i = Interval{Estimate: Median(ratios), Low: 0, High: math.Inf(1)}
	k := whitneyQuantile(len(base), len(variant), (1-level)/2)
	if k < 0 {
		return i, false
	}
	i.Low, i.High = ratios[k], ratios[len(ratios)-1-k]
	return i, true
}

// whitneyQuantile is the largest k for which the Mann–Whitney statistic of m and
// n equal values is at most k with a probability of at most tail; -1 when there
// is none.
func whitneyQuantile(m, n int, tail float64) int {
	const exactLimit = 40 // values on a side, above which the normal distribution is as good
	if m > exactLimit || n > exactLimit {
		mean := float64(m) * float64(n) / 2
		sd := math.Sqrt(float64(m) * float64(n) * float64(m+n+1) / 12)
		z := math.Sqrt2 * math.Erfinv(1-2*tail)
		return int(math.Floor(mean - z*sd - 0.5))
	}
	p, cumulative := whitney(m, n), 0.0
	for k, share := range p {
		if cumulative += share; cumulative > tail {
			return k - 1
		}
	}
	return -1
}

// whitney is the distribution of the Mann–Whitney statistic: how many of the
// pairs have the larger value on the first side. It follows from the recurrence
// over which side has the largest value of all.
func whitney(m, n int) []float64 {
	// row[j] is the distribution for i values on the first side and j on the other.
	row := make([][]float64, n+1)
	for j := range row {
		row[j] = []float64{1}
	}
	for i := 1; i <= m; i++ {
		next := make([][]float64, n+1)
		next[0] = []float64{1}
		for j := 1; j <= n; j++ {
			d := make([]float64, i*j+1)
			first := float64(i) / float64(i+j) // the largest is on the first side and beats all j
			for u, p := range row[j] {
				d[u+j] += first * p
			}
			for u, p := range next[j-1] {
				d[u] += (1 - first) * p
			}
			next[j] = d
		}
		row = next
	}
	return row[n]
}
