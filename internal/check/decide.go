package check

import (
	"math"
	"slices"

	"whyhot/internal/trial/stat"
)

// FalseAlarms is how often at most a check says "slower" of a change that is not slower by
// more than the limit, over all commands and looks; and, as often at most, "not slower" of
// one that is.
const FalseAlarms = 0.01

// rules decide on one command of several.
//
// A round is a run of each side in random order, and gives the logarithm of the change's
// time over the base's. If the change takes LIMIT more than the base, then which side of
// LIMIT a round falls on was decided by that order: the signed-rank sum of the rounds has
// a known distribution whatever the noise (see stat.Paired). Each look at the numbers has
// its own part of the error, and the end has the rest (alpha spending, K. K. G. Lan and
// D. L. DeMets, 1983; the parts are those of stat.Rules), and the commands share it
// (Bonferroni). So FalseAlarms holds over all of them.
type rules struct {
	looks stat.Rules
	limit float64
}

// newRules are those of each of so many commands.
func newRules(commands int, limit float64) rules {
	const sides = 2
	return rules{stat.DefaultRules(commands).At(1 - sides*FalseAlarms), limit}
}

// level is the confidence of the intervals of all commands together.
func (r rules) level() float64 { return r.looks.Level }

// ratio compares two lists of values, one of each round. Counted values that repeat
// themselves need no distribution.
func ratio(base, change []float64, level float64, counted bool) stat.Interval {
	if counted && stat.Repeats(base) && stat.Repeats(change) {
		return stat.Range(change, base)
	}
	return stat.Pair(change, base).Interval(level)
}

// judge gives the verdict that an interval of the ratio leads to.
func (r rules) judge(i stat.Interval) Verdict {
	switch {
	case i.Low > 1+r.limit:
		return Slower
	case i.High <= 1+r.limit:
		return NotSlower
	}
	return Undecided
}

// enough says whether a look after these rounds knows the verdict.
func (r rules) enough(base, change []float64, counted bool) bool {
	if counted && len(base) >= stat.FewestRepeats && stat.Repeats(base) && stat.Repeats(change) {
		return true
	}
	level := r.looks.Interim(len(base))
	return level < 1 && r.judge(ratio(base, change, level, counted)) != Undecided
}

// suspects says whether these rounds make a slow-down so likely that the next should be in
// other layouts of the code: at one look in forty of equal programs. It decides nothing.
func (r rules) suspects(base, change []float64) bool {
	const likely = 0.95 // of the interval's two sides
	return r.looks.Interim(len(base)) < 1 && ratio(base, change, likely, false).Low > 1+r.limit
}

// conclude gives the interval at the end: that of the look that settled it, or that of the
// end of the budget.
func (r rules) conclude(base, change []float64, settled, counted bool) (Verdict, stat.Interval) {
	level := r.looks.Final(len(base))
	if settled {
		level = r.looks.Interim(len(base))
	}
	i := ratio(base, change, level, counted)
	return r.judge(i), i
}

// logsOf are the logarithms of the ratios of rounds.
func logsOf(base, change []float64) []float64 {
	logs := make([]float64, len(base))
	for i := range base {
		logs[i] = math.Log(change[i] / base[i])
	}
	return logs
}

// stands says whether a slow-down is one of the programs, whatever their layout: whether
// the interval over layouts is above the limit. The first layout is the one that was built
// first, with all of its rounds. end says that it is the last look.
//
// The exact test of those rounds came before, so this can only take alarms away.
func (r rules) stands(layouts [][]float64, end bool) (bool, stat.Interval) {
	n, ok := stat.Nest(layouts)
	if !ok {
		return false, stat.Interval{Low: 0, High: math.Inf(1)}
	}
	i := n.Interval(r.layoutLevel(end))
	return i.Low > 1+r.limit, i
}

// layoutLevel is the confidence of the intervals over layouts. The end has half of what
// FalseAlarms leaves each command, since layouts are few, and looks before it have a tenth:
// there are few of these, as each waits for twice the rounds of the one before.
func (r rules) layoutLevel(end bool) float64 {
	const atEnd, before = 2, 10
	if end {
		return 1 - (1-r.looks.Each())/atEnd
	}
	return 1 - (1-r.looks.Each())/before
}

// looksAtLayouts says whether to look after so many rounds in so many layouts: when each
// had as many as the others, and 2, 4, 8 … of them.
func (r rules) looksAtLayouts(rounds, layouts int) bool {
	each := rounds / layouts
	return rounds%layouts == 0 && each > 1 && each&(each-1) == 0
}

// alarm says how much two equal programs may differ at most, where they differ by more than
// the limit; 0 where they do not.
func (r rules) alarm(i stat.Interval) float64 {
	if i.Low <= 0 || math.IsInf(i.High, 0) || max(i.Low, 1/i.High)-1 <= r.limit {
		return 0
	}
	return max(i.High, 1/i.Low) - 1
}

// moreRounds is about how many more rounds make the interval leave the limit; ok is false
// where the ratio is so close to it that nobody can tell.
func (r rules) moreRounds(i stat.Interval, rounds int) (more int, ok bool) {
	if rounds == 0 || i.Low <= 0 || math.IsInf(i.High, 0) {
		return r.looks.FirstLook() - rounds, rounds < r.looks.FirstLook()
	}
	const hopeless = 50                // times the rounds until now
	half := math.Log(i.High/i.Low) / 2 //nolint:mnd // half of it
	away := math.Abs(math.Log(i.Estimate) - math.Log1p(r.limit))
	if half >= away*math.Sqrt(hopeless) {
		return 0, false
	}
	return max(1, int(math.Ceil(float64(rounds)*(half*half/(away*away)-1)))), true
}

// spreadOf is the spread of one round's ratio: a standard deviation, by the median of the
// distances to the median, which outliers do not move.
func spreadOf(base, change []float64) float64 {
	if len(base) < 2 { //nolint:mnd // one value has no spread
		return 0
	}
	logs := logsOf(base, change)
	middle := stat.Median(logs)
	for i := range logs {
		logs[i] = math.Abs(logs[i] - middle)
	}
	const normal = 1.4826 // of a normal distribution
	slices.Sort(logs)
	return normal * stat.Median(logs)
}

// decides is the smallest slow-down above the limit, or the smallest limit of a change that
// is no slower, that so many rounds of this noise decide on.
func decides(spread float64, rounds, commands int) float64 {
	if rounds < 1 {
		return math.Inf(1)
	}
	// Normal quantile of what the end may err, and half of the cases decided: the
	// signed-rank test needs 3/π rounds of a mean's (its efficiency).
	alpha := FalseAlarms * 2 / 3 / float64(max(1, commands))             //nolint:mnd // the end's part
	z := math.Sqrt2 * math.Erfinv(1-2*alpha)                             //nolint:mnd // one side
	return math.Expm1(z * spread * math.Sqrt(math.Pi/3/float64(rounds))) //nolint:mnd // see above
}
