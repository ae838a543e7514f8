package stat

import (
	"math"
	"slices"
)

// Trend is a monotone change over the rounds.
type Trend struct {
	Change float64 // relative change from the first to the last round, by the Theil–Sen slope
	P      float64 // two-sided p value of the Mann–Kendall test
}

// Drift tests whether xs, in the order they were measured, goes up or down. It
// is the Mann–Kendall test with the normal approximation (H. B. Mann, 1945; fair
// from about eight values) and the Theil–Sen slope (P. K. Sen, 1968), neither of
// which heavy tails disturb. Fewer than eight values give P = 1.
func Drift(xs []float64) Trend {
	n := len(xs)
	if n < 8 {
		return Trend{P: 1}
	}
	score := 0
	slopes := make([]float64, 0, n*(n-1)/2)
	for i := range xs {
		for j := i + 1; j < n; j++ {
			switch {
			case xs[j] > xs[i]:
				score++
			case xs[j] < xs[i]:
				score--
			}
			slopes = append(slopes, (xs[j]-xs[i])/float64(j-i))
		}
	}
	f := float64(n)
	sd := math.Sqrt(f * (f - 1) * (2*f + 5) / 18)
	z := 0.0
	if score != 0 {
		z = (math.Abs(float64(score)) - 1) / sd
	}
	slices.Sort(slopes)
	slope := slopes[len(slopes)/2]
	return Trend{Change: slope * (f - 1) / Median(xs), P: math.Erfc(z / math.Sqrt2)}
}
