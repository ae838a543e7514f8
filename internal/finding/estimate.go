package finding

import "math"

// z95 is the two-sided 95 % quantile of the normal distribution.
const z95 = 1.959963984540054

// ShareError is the half-width of the 95 % Wilson score interval of a share
// seen in n samples. Samples that come in bursts are less independent than the
// formula takes them for, so the true error is at least this.
func ShareError(share float64, n int64) float64 {
	if n <= 0 {
		return 1
	}
	f := float64(n)
	share = math.Max(0, math.Min(1, share))
	return z95 / (1 + z95*z95/f) * math.Sqrt(share*(1-share)/f+z95*z95/(4*f*f))
}

// SpeedUp turns a fraction of CPU time given back into a whole-program
// speed-up ratio (Amdahl).
func SpeedUp(fraction float64) float64 {
	if fraction >= 1 {
		return math.Inf(1)
	}
	return 1 / (1 - fraction)
}
