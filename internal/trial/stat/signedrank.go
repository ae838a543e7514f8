package stat

import (
	"math"
	"slices"
	"sync"
)

// Paired are the rounds of a trial: the logarithm of base over variant of each.
//
// If the two are equally fast, then which of the two runs of a round is called the
// variant was decided by the order alone, which was drawn at random: swapping the
// two within any round changes nothing. Wilcoxon's signed-rank sum (F. Wilcoxon,
// 1945) has the same distribution over all swaps whatever the noise and however
// rounds depend on each other. P counts with that distribution, and Interval holds
// the ratios that P would not reject (J. L. Hodges and E. L. Lehmann, 1963), so the
// two never contradict each other.
type Paired struct{ sorted []float64 }

// Pair takes one number per round of each; they must be positive and equally many.
func Pair(base, variant []float64) Paired {
	logs := make([]float64, len(base))
	for i := range base {
		logs[i] = math.Log(base[i] / variant[i])
	}
	return PairLogs(logs)
}

// PairLogs takes the logarithms of the ratios of rounds.
func PairLogs(logs []float64) Paired {
	p := Paired{sorted: slices.Clone(logs)}
	slices.Sort(p.sorted)
	return p
}

// Rounds is how many there are.
func (p Paired) Rounds() int { return len(p.sorted) }

// Estimate is the median of the means of all pairs of rounds, as a ratio; NaN where
// there are no rounds.
func (p Paired) Estimate() float64 {
	n := len(p.sorted) * (len(p.sorted) + 1) / 2
	if n == 0 {
		return math.NaN()
	}
	w := newWalsh(p.sorted)
	return ratioOf((w.smallest((n+1)/2) + w.smallest(n/2+1)) / 2) //nolint:mnd // the two in the middle
}

// Interval is that of a level such as 0.95, (0, ∞) where there are too few rounds
// for it. It is exact where the variant takes a fixed part of the base's time.
func (p Paired) Interval(level float64) Interval {
	i := Interval{Estimate: p.Estimate(), Low: 0, High: math.Inf(1)}
	n := len(p.sorted)
	k := rankQuantile(n, (1-level)/2) //nolint:mnd // two sides
	if k < 0 {
		return i
	}
	w, all := newWalsh(p.sorted), n*(n+1)/2 //nolint:mnd // pairs
	i.Low, i.High = ratioOf(w.smallest(k+1)), ratioOf(w.smallest(all-k))
	return i
}

// ratioOf is the ratio with a logarithm, without the last digits, which the logarithm has
// lost: eight times as fast is 8 and not 7.999999999999998.
func ratioOf(log float64) float64 {
	const digits = 1e12
	return math.Round(math.Exp(log)*digits) / digits
}

// P is the two-sided p value of the claim that base and variant are the same. Rounds
// that are equal, or equally far apart, count against a difference.
func (p Paired) P() float64 {
	n := len(p.sorted)
	if n == 0 {
		return 1
	}
	all := n * (n + 1) / 2 //nolint:mnd // pairs
	// The mean of no pair is below 0 by chance of rounding: x and -x add up to 0.
	notAbove := count(p.sorted, func(sum float64) bool { return sum <= 0 })
	notBelow := all - count(p.sorted, func(sum float64) bool { return sum < 0 })
	return min(1, 2*rankTail(n, min(notAbove, notBelow))) //nolint:mnd // two sides
}

// count is how many pairs of sorted numbers, each with itself too, have a sum that is
// small, where smaller sums are small as well.
func count(sorted []float64, small func(sum float64) bool) int {
	n, j := 0, len(sorted)-1
	for i := range sorted {
		for j >= i && !small(sorted[i]+sorted[j]) {
			j--
		}
		if j < i {
			break
		}
		n += j - i + 1
	}
	return n
}

// walsh are the means of all pairs of rounds.
type walsh struct {
	rounds []float64
	means  []float64 // sorted; nil where there are too many to list
}

func newWalsh(sorted []float64) walsh {
	const most = 300 // rounds, which have 45 000 pairs
	w := walsh{rounds: sorted}
	if len(sorted) > most {
		return w
	}
	for i, x := range sorted {
		for _, y := range sorted[i:] {
			w.means = append(w.means, (x+y)/2) //nolint:mnd // a mean
		}
	}
	slices.Sort(w.means)
	return w
}

// smallest is the k-th smallest mean, from 1.
func (w walsh) smallest(k int) float64 {
	if w.means != nil {
		return w.means[k-1]
	}
	const steps = 80 // each halves what is left, so the rest is rounding
	low, high := w.rounds[0], w.rounds[len(w.rounds)-1]
	if count(w.rounds, func(sum float64) bool { return sum <= 2*low }) >= k {
		return low
	}
	for range steps {
		middle := low + (high-low)/2 //nolint:mnd // a half
		if count(w.rounds, func(sum float64) bool { return sum <= 2*middle }) >= k {
			high = middle
		} else {
			low = middle
		}
	}
	return high
}

// exactRanks is the number of rounds beyond which the normal distribution is as good:
// its tails are longer than those of ranks.
const exactRanks = 100

// rankTail is the chance of a signed-rank sum of at most w in n rounds.
func rankTail(n, w int) float64 {
	if n <= exactRanks {
		return rankSums(n)[w]
	}
	mean, sd := rankMoments(n)
	return math.Erfc((mean-float64(w)-0.5)/(sd*math.Sqrt2)) / 2 //nolint:mnd // the middle between two sums
}

// rankQuantile is the largest sum that is reached from below with a chance of tail at
// most; -1 where there is none.
func rankQuantile(n int, tail float64) int {
	if n > exactRanks {
		mean, sd := rankMoments(n)
		return int(math.Floor(mean - math.Sqrt2*math.Erfinv(1-2*tail)*sd - 0.5)) //nolint:mnd // the middle between two sums
	}
	sums := rankSums(n)
	return slices.IndexFunc(sums, func(p float64) bool { return p > tail }) - 1
}

func rankMoments(n int) (mean, sd float64) {
	f := float64(n)
	return f * (f + 1) / 4, math.Sqrt(f * (f + 1) * (2*f + 1) / 24)
}

var (
	rankMutex sync.Mutex
	rankKnown [exactRanks + 1][]float64
)

// rankSums is the distribution function of the signed-rank sum of n rounds: each rank
// is in the sum or not, with equal chance.
func rankSums(n int) []float64 {
	rankMutex.Lock()
	defer rankMutex.Unlock()
	if rankKnown[n] != nil {
		return rankKnown[n]
	}
	share := make([]float64, n*(n+1)/2+1)
	share[0] = 1
	for r := 1; r <= n; r++ {
		for s := r * (r + 1) / 2; s >= 0; s-- {
			share[s] /= 2
			if s >= r {
				share[s] += share[s-r] / 2
			}
		}
	}
	for s := 1; s < len(share); s++ {
		share[s] += share[s-1]
	}
	rankKnown[n] = share
	return share
}
