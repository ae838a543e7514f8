package trial

import (
	"fmt"
	"time"

	"whyhot/internal/finding/percent"
	"whyhot/internal/trial/stat"
)

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
	if t.rounds == 1 {
		t.foresee()
	}
	if t.rounds < *look {
		return "", false
	}
	*look = max(stat.NextLook(t.rounds), t.rules.FewestRounds())
	if t.rounds >= t.plan.MinRounds && t.settled() {
		return StopSettled, true
	}
	t.foresee()
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
		if ok && t.rules.Settled(s, stat.SwapTest(base, other), n) {
			continue
		}
		if n < t.rules.FewestRounds() || t.compareOutputs(a).difference == nil {
			return false // how fast something else is computed is worth no more time
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

// foresee says, once each, that the budget will be too short: for a verdict, as
// soon as one round is known, and for the wished precision, as soon as the noise
// is.
func (t *trial) foresee() {
	if t.plan.Rounds > 0 || t.plan.Budget <= 0 || t.perRound <= 0 {
		return
	}
	room := t.rounds + int(max(0, t.plan.Budget-t.elapsed())/t.perRound)
	fewest := max(t.needed(), t.plan.MinRounds)
	switch {
	case t.rounds == 1 && room < fewest && t.plan.HardBudget:
		t.remarkf("the budget of %s has room for %d %s of %s, a verdict needs %d: --budget %s", spoken(t.plan.Budget), room, roundsWord(room), spoken(t.perRound), fewest, t.budgetFor(fewest))
	case t.rounds == 1 && room < fewest:
		t.remarkf("%d rounds of %s, the fewest for a verdict, take longer than %s: about %s", fewest, spoken(t.perRound), spoken(t.plan.Budget), t.budgetFor(fewest))
	case t.rounds >= t.rules.FewestRounds():
		t.foreseePrecision(room)
	}
}

// foreseePrecision looks at the variant that needs most rounds.
func (t *trial) foreseePrecision(room int) {
	worst, most, interval := "", room, stat.Interval{}
	for _, a := range t.running()[1:] {
		s, n, ok := t.sample(a, t.plan.Metric)
		if !ok {
			continue
		}
		i := s.Interval(t.rules.Each())
		if need := t.rules.RoundsFor(i, n); !i.Within(t.rules.Band) && need > most {
			worst, most, interval = a.name(), need, i
		}
	}
	const clearly = 1.5 // the estimate itself is rough
	if worst != "" && float64(most) > clearly*float64(room) {
		t.remarkf("%s is known to ±%s after %d rounds; ±%s takes about %d, and the budget of %s has room for %d: --budget %s", worst,
			percent.Text(interval.HalfWidth()), t.rounds, percent.Text(t.rules.Wished(interval.Estimate)), most, spoken(t.plan.Budget), room, t.budgetFor(most))
	}
}

// remark tells something now, each kind of it once.
func (t *trial) remarkf(format string, args ...any) {
	if t.remarked[format] {
		return
	}
	t.remarked[format] = true
	t.progress(Progress{Phase: PhaseRemark, Remark: fmt.Sprintf(format, args...)})
}

func spoken(d time.Duration) string {
	if d >= 10*time.Second {
		return d.Round(time.Second).String()
	}
	return d.Round(time.Millisecond).String()
}

func roundsWord(n int) string {
	if n == 1 {
		return "round"
	}
	return "rounds"
}
