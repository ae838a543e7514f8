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
//
// A trial looks at its numbers several times, and each look may err. So each has its
// own part of the error that the trial may make (alpha spending, K. K. G. Lan and
// D. L. DeMets, 1983): the k-th look a part of 1/(3k(k+1)), which is a third for all
// looks however many there are, the end what is left. The parts add up to the whole,
// so that a false difference is as rare as Level says whatever the noise: P is exact
// (see Paired), and neither the looks nor the end depend on which run of a round is
// the variant's (docs/decisions/0265-trials-that-end.md).
type Rules struct {
	Level    float64 // joint confidence of all verdicts together
	Band     float64 // ratios within [1/(1+Band), 1+Band] are no difference
	Variants int     // how many variants share the level
	From     int     // rounds that were there before the first look
	Once     bool    // the number of rounds is fixed: the only look is the end
}

// DefaultRules are the rules for a number of variants. The band is what
// alignment, the size of the environment and link order alone are known to move
// on programs that are otherwise equal; a smaller difference may be real and
// still not be the variant's doing.
func DefaultRules(variants int) Rules {
	return Rules{Level: 0.95, Band: 0.015, Variants: max(1, variants)}
}

// At are the rules at another joint level.
func (r Rules) At(level float64) Rules {
	r.Level = level
	return r
}

// Each is the level of one verdict, so that all of them hold together at Level
// (Bonferroni).
func (r Rules) Each() float64 { return 1 - r.alpha() }

// alpha is the error that the verdicts on one variant may make.
func (r Rules) alpha() float64 { return (1 - r.Level) / float64(r.Variants) }

// part is that of the k-th look, from 1.
func (r Rules) part(k int) float64 {
	const share = 3
	return r.alpha() / float64(share*k*(k+1))
}

// agreeing is the fewest rounds that prove a difference where all of them agree:
// chance makes n rounds agree with a probability of 2^(1-n).
func agreeing(alpha float64) int { return int(math.Ceil(1 - math.Log2(alpha))) }

// FewestRounds is the number of rounds below which no verdict can be given.
func (r Rules) FewestRounds() int { return agreeing(r.alpha()) }

// FirstLook is the round after which a trial may first end by what is known.
func (r Rules) FirstLook() int { return max(agreeing(r.part(1)), r.From) }

// NextLook is the round at which to look after looking at round n. Looks thin out:
// each has fewer errors to spend than the one before.
func NextLook(n int) int { return n + max(1, n/4) }

// spent is what looks before round n have spent; here is the part of a look at n, 0
// where there is none.
func (r Rules) spent(n int) (before, here float64) {
	if r.Once {
		return 0, 0
	}
	k := 1
	for look := r.FirstLook(); look <= n; look = NextLook(look) {
		if look == n {
			return before, r.part(k)
		}
		before += r.part(k)
		k++
	}
	return before, 0
}

// Interim is the level of a look after n rounds at which a trial may end; 1 where
// there is no look.
func (r Rules) Interim(n int) float64 {
	_, here := r.spent(n)
	return 1 - here
}

// Final is the level of the end after n rounds, which comes for another reason than
// what the numbers say.
func (r Rules) Final(n int) float64 {
	before, _ := r.spent(n)
	return 1 - (r.alpha() - before)
}

// Judge gives a verdict at the level of a look or of the end, and the interval that
// says so. Its interval of Each decides whether there is no difference: that claim
// has no part in the error that Level speaks of.
func (r Rules) Judge(p Paired, level float64) (Verdict, Interval) {
	if i := p.Interval(r.Each()); i.Within(r.Band) {
		return Same, i
	}
	i := p.Interval(level)
	switch {
	case i.Low > 1:
		return Faster, i
	case i.High < 1:
		return Slower, i
	}
	return Unclear, i
}

// Settled says that more rounds would not change the verdict on a variant and
// hardly the ratio: it is the same within the band, or different at the level of
// this look and known to the wished precision.
func (r Rules) Settled(p Paired) bool {
	level := r.Interim(p.Rounds())
	if level == 1 {
		return false
	}
	switch verdict, i := r.Judge(p, level); verdict {
	case Same:
		return true
	case Faster, Slower:
		return i.HalfWidth() <= r.Wished(i.Estimate)
	}
	return false
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
