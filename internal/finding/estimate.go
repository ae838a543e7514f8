package finding

import (
	"fmt"
	"math"
)

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

// farther is a ratio beyond which an estimate's upper end says nothing: 5% of the time are left.
const farther = 20

// SpeedUps says how fast a program becomes that gives back between two fractions of its CPU
// time: "1.05× to 1.30×", "from 1.05×".
func SpeedUps(low, high float64) string {
	if most := SpeedUp(high); most <= farther {
		return fmt.Sprintf("%.2f× to %.2f×", SpeedUp(low), most)
	}
	return fmt.Sprintf("from %.2f×", SpeedUp(low))
}
