package trial

import "whyhot/internal/trial/stat"

// enough says whether and why to stop before the next round. look is the round
// at which the numbers are looked at next.
func (t *trial) enough(look *int) (Stop, bool) {
	if t.plan.Rounds > 0 {
		if t.rounds >= t.plan.Rounds {
			return StopRounds, true
		}
		return StopBudget, t.plan.HardBudget && t.overBudget()
	}
	if t.overBudget() && (t.plan.HardBudget && t.rounds >= t.plan.MinRounds || t.rounds >= max(t.plan.MinRounds, t.needed())) {
		return StopBudget, true
	}
	if t.rounds < *look {
		return "", false
	}
	*look = max(stat.NextLook(t.rounds), t.rules.FewestRounds())
	if t.rounds >= t.plan.MinRounds && t.settled() {
		return StopSettled, true
	}
	return "", false
}

// overBudget says that another round would end after the budget. At least one
// round is always made.
func (t *trial) overBudget() bool {
	return t.rounds > 0 && t.plan.Budget > 0 && t.elapsed()+t.perRound > t.plan.Budget
}

func (t *trial) settled() bool {
	for _, a := range t.running()[1:] {
		base, other := t.pairs(a, t.plan.Metric)
		if t.exact(base, other) {
			continue
		}
		s, n, ok := t.sample(a, t.plan.Metric)
		if !ok || !t.rules.Settled(s, stat.SwapTest(base, other), n) {
			return false
		}
	}
	return true
}

// exact says that a counted metric repeats itself, so that few runs are enough.
func (t *trial) exact(base, other []float64) bool {
	return t.plan.Metric.counted() && stat.Repeats(base) && stat.Repeats(other)
}

// sample resamples the rounds that baseline and variant both know a metric of.
func (t *trial) sample(a *arm, m Metric) (s stat.Sample, rounds int, ok bool) {
	base, other := t.pairs(a, m)
	if len(base) == 0 {
		return stat.Sample{}, 0, false
	}
	return stat.RatioOfMedians(base, other, t.boot), len(base), true
}

// fewestRounds is when the numbers are looked at first, needed how many rounds a
// verdict needs as far as is known now.
func (t *trial) fewestRounds() int {
	if t.plan.Metric.counted() {
		return min(stat.FewestRepeats, t.rules.FewestRounds())
	}
	return t.rules.FewestRounds()
}

func (t *trial) needed() int {
	if t.plan.Metric.counted() && (t.rounds < stat.FewestRepeats || t.settled()) {
		return stat.FewestRepeats
	}
	return t.rules.FewestRounds()
}

// pairs are a metric's values of the rounds in which both sides know it.
func (t *trial) pairs(a *arm, m Metric) (base, other []float64) {
	for i := range min(len(a.results), len(t.base().results)) {
		b, okB := m.value(t.base().results[i])
		v, okV := m.value(a.results[i])
		if okB && okV {
			base, other = append(base, b), append(other, v)
		}
	}
	if t.plan.higherIsBetter(m) {
		base, other = other, base // so that a ratio above 1 is better whatever the metric
	}
	return base, other
}
