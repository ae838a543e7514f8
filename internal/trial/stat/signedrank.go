package stat

import (
	"cmp"
	"math"
	"slices"
)

// SwapTest is the two-sided p value of the claim that base and variant are the
// same. If they are, then which of the two runs of a round is called the variant
// was decided by the order alone, which was drawn at random: swapping the two
// within any round changes nothing. The statistic is Wilcoxon's signed-rank sum
// of the logarithms of the rounds' ratios (F. Wilcoxon, 1945), its distribution
// that of all swaps. So the p value holds for noise of any shape and any
// dependence between rounds.
func SwapTest(base, variant []float64) float64 {
	var diffs []float64
	for i := range base {
		if d := math.Log(base[i] / variant[i]); d != 0 {
			diffs = append(diffs, d)
		}
	}
	if len(diffs) == 0 {
		return 1
	}
	ranks, positive := doubledRanks(diffs)
	const exactLimit = 60 // rounds; beyond it the normal distribution is as good
	if len(diffs) <= exactLimit {
		return exactP(ranks, positive)
	}
	return normalP(ranks, positive)
}

// doubledRanks ranks by size, ties sharing the middle of their ranks, and gives
// twice the rank of each and of the sum over the positive ones. Twice, since
// shared ranks may be halves.
func doubledRanks(diffs []float64) (ranks []int, positive int) {
	slices.SortFunc(diffs, func(a, b float64) int { return cmp.Compare(math.Abs(a), math.Abs(b)) })
	ranks = make([]int, len(diffs))
	for i := 0; i < len(diffs); {
		j := i + 1
		for j < len(diffs) && math.Abs(diffs[j]) == math.Abs(diffs[i]) {
			j++
		}
		for k := i; k < j; k++ {
			ranks[k] = i + 1 + j
			if diffs[k] > 0 {
				positive += ranks[k]
			}
		}
		i = j
	}
	return ranks, positive
}

// exactP counts, for every possible sum, the share of swaps that give it.
func exactP(ranks []int, positive int) float64 {
	total := 0
	for _, r := range ranks {
		total += r
	}
	share := make([]float64, total+1)
	share[0] = 1
	for _, r := range ranks {
		for s := total; s >= 0; s-- {
			share[s] /= 2
			if s >= r {
				share[s] += share[s-r] / 2
			}
		}
	}
	tail := 0.0
	for s := range min(positive, total-positive) + 1 {
		tail += share[s]
	}
	return min(1, 2*tail)
}

func normalP(ranks []int, positive int) float64 {
	mean, variance := 0.0, 0.0
	for _, r := range ranks {
		mean += float64(r) / 2
		variance += float64(r) * float64(r) / 4
	}
	return math.Erfc(math.Abs(float64(positive)-mean) / math.Sqrt(2*variance))
}
