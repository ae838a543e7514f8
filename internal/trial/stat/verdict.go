package stat

import (
	"math"

	"whyhot/internal/finding"
)

// Verdict is what the numbers say of a variant.
type Verdict = finding.Verdict

// The verdicts that numbers lead to.
const (
	Faster  = finding.Faster
	Slower  = finding.Slower
	Same    = finding.Same
	Unclear = finding.Unclear
)

// Rules are the thresholds of a trial. The zero value is not useful: start from
// DefaultRules.
type Rules struct {
	Level     float64 // joint confidence of all intervals together
	Interim   float64 // joint confidence that stops a trial early
	Band      float64 // ratios within [1/(1+Band), 1+Band] are no difference
	Precision float64 // half-width at which more runs teach nothing
	Variants  int     // how many variants share the level
}

// DefaultRules are the rules for a number of variants. The band is what
// alignment, the size of the environment and link order alone are known to move
// on programs that are otherwise equal; a smaller difference may be real and
// still not be the variant's doing.
func DefaultRules(variants int) Rules {
	return Rules{Level: 0.95, Interim: 0.999, Band: 0.015, Precision: 0.005, Variants: max(1, variants)}
}

// At are the rules at another joint level; what stops a trial early is as much
// stricter than the end as it was.
func (r Rules) At(level float64) Rules {
	r.Interim = 1 - (1-r.Interim)*(1-level)/(1-r.Level)
	r.Level = level
	return r
}

// Each is the level of one interval, so that all of them hold together at Level
// (Bonferroni).
func (r Rules) Each() float64 { return 1 - (1-r.Level)/float64(r.Variants) }

func (r Rules) interimEach() float64 { return 1 - (1-r.Interim)/float64(r.Variants) }

// FewestRounds is the number of rounds below which no verdict is given. With n
// rounds that all point one way, chance alone does so with probability 2^(1-n),
// which has to be less than the level allows; and below nine rounds the
// percentile interval of a median was seen to be too short on machines whose
// noise has two humps (docs/decisions/0040-trial-statistics.md).
func (r Rules) FewestRounds() int {
	const least = 9
	return max(least, int(math.Ceil(1-math.Log2((1-r.Level)/float64(r.Variants)))))
}

// Judge gives the verdict of a finished trial. swap is the p value of SwapTest:
// a difference has to convince both, the interval and the test that is exact
// whatever the noise.
func (r Rules) Judge(i Interval, swap float64, rounds int) Verdict {
	switch {
	case rounds < r.FewestRounds():
		return Unclear
	case i.Within(r.Band):
		return Same
	case swap > 1-r.Each():
		return Unclear
	case i.Low > 1:
		return Faster
	case i.High < 1:
		return Slower
	}
	return Unclear
}

// Settled says that more rounds would not change the verdict on a variant and
// hardly the ratio: it is the same within the band, or clearly different and
// known to the wished precision, or narrower than Precision. Clearly asks for the
// interim levels of interval and test, because a trial that stopped whenever a
// 95 % interval left 1 would find differences between a program and itself (the
// rule of Haybittle and Peto, docs/decisions/0040-trial-statistics.md). swap is
// the p value of SwapTest.
func (r Rules) Settled(s Sample, swap float64, rounds int) bool {
	if rounds < r.FewestRounds() {
		return false
	}
	i := s.Interval(r.Each())
	if i.Within(r.Band) || i.HalfWidth() <= r.Precision {
		return true
	}
	return swap <= r.interimSwap() && s.Interval(r.interimEach()).Excludes(1) && i.HalfWidth() <= r.Wished(i.Estimate)
}

// interimSwap is the p value that the exact test has to reach for a trial to stop
// early: a tenth of what it has to reach at the end.
func (r Rules) interimSwap() float64 {
	const part = 10
	return (1 - r.Each()) / part
}

// Wished is the half-width to which a ratio is worth knowing: twice the band, or
// a third of a difference that is larger.
func (r Rules) Wished(estimate float64) float64 {
	return max(2*r.Band, math.Abs(math.Log(estimate))/3) //nolint:mnd // see above
}

// RoundsFor is how many rounds should make an interval as narrow as wished, or
// lead it away from 1: its width falls with the square root of the rounds.
func (r Rules) RoundsFor(i Interval, rounds int) int {
	half := i.HalfWidth()
	if math.IsInf(half, 0) || half <= 0 {
		return rounds
	}
	narrow := half / r.Wished(i.Estimate)
	if away := math.Abs(math.Log(i.Estimate)); away > r.Band && !i.Excludes(1) {
		narrow = max(narrow, half/away)
	}
	return max(r.FewestRounds(), int(math.Ceil(float64(rounds)*narrow*narrow)))
}

// NextLook is the round at which to look after looking at round n. Looks thin
// out, so that the chance of stopping by luck stays bounded however long the
// trial runs.
func NextLook(n int) int { return n + max(1, n/4) }
