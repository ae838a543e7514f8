package trial

import (
	"fmt"
	"time"

	"whyhot/internal/finding/percent"
	"whyhot/internal/trial/stat"
)

// enough says whether and why to stop before the next round. When it is the budget
// depends on what whole rounds took, never on which run of them was the variant's
// (stat.Rules).
func (t *trial) enough() (Stop, bool) {
	switch {
	case t.plan.Rounds > 0 && t.rounds >= t.plan.Rounds:
		return StopRounds, true
	case t.limited() && t.elapsed()+t.perRound > t.plan.Budget:
		return StopBudget, true
	case t.plan.Rounds > 0:
		return "", false
	}
	if t.plan.Enough != nil {
		base, other := t.pairs(t.arms[1], t.plan.Metric)
		if t.rounds >= t.plan.MinRounds && t.plan.Enough(base, other) {
			return StopSettled, true
		}
		return "", false
	}
	if t.rounds == 1 {
		t.foresee()
	}
	early := t.plan.Metric.counted() && t.rounds == stat.FewestRepeats
	if t.rules.Interim(t.rounds) == 1 && !early {
		return "", false
	}
	if t.rounds >= t.plan.MinRounds && t.settled() {
		return StopSettled, true
	}
	t.foresee()
	return "", false
}

// limited says that the budget holds: the rounds that were asked for are made.
func (t *trial) limited() bool { return t.plan.Budget > 0 && t.rounds >= t.plan.MinRounds }

// grace is how far behind the budget a run may end that was expected to end within.
func (t *trial) grace() time.Duration {
	const least, part = 5 * time.Second, 10
	return max(least, t.plan.Budget/part)
}

// cut is the time that is left for a run, grace included; ok is false where nothing
// limits it.
func (t *trial) cut() (left time.Duration, ok bool) {
	if !t.limited() {
		return 0, false
	}
	return max(time.Millisecond, t.plan.Budget+t.grace()-t.elapsed()), true
}

// tooLate says that a run would end after the budget and its grace. All arms are
// expected to take as long as the slowest of the last round.
func (t *trial) tooLate() bool {
	left, ok := t.cut()
	return ok && t.slowest > left
}

func (t *trial) settled() bool {
	for _, a := range t.running()[1:] {
		base, other := t.pairs(a, t.plan.Metric)
		if t.exact(base, other) {
			continue
		}
		if len(base) == t.rounds && t.rules.Settled(stat.Pair(base, other)) {
			continue
		}
		if len(base) < t.rules.FewestRounds() || t.compareOutputs(a).difference == nil {
			return false // how fast something else is computed is worth no more time
		}
	}
	return true
}

// exact says that a counted metric repeats itself, so that few runs are enough.
func (t *trial) exact(base, other []float64) bool {
	return t.plan.Metric.counted() && stat.Repeats(base) && stat.Repeats(other)
}

// needed is how many rounds a verdict needs as far as is known now.
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

// foreseeRounds says, before anything is measured, that the rounds that were asked for are
// too few for a verdict.
func (t *trial) foreseeRounds() {
	if n, need := t.plan.Rounds, t.needed(); n > 0 && n < need && !t.plan.Unjudged {
		t.remarkf("--runs %d is too few for a verdict, which needs %d runs of each: --runs %d", n, need, need)
	}
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
	case t.rounds == 1 && room < fewest:
		t.remarkf("the budget of %s has room for %d %s of %s, a verdict needs %d: --budget %s", spoken(t.plan.Budget), room, roundsWord(room), spoken(t.perRound), fewest, t.budgetFor(fewest))
	case t.rounds >= t.rules.FewestRounds():
		t.foreseePrecision(room)
	}
}

// foreseePrecision looks at the variant that needs most rounds.
func (t *trial) foreseePrecision(room int) {
	worst, most, interval := "", room, stat.Interval{}
	for _, a := range t.running()[1:] {
		base, other := t.pairs(a, t.plan.Metric)
		if len(base) == 0 {
			continue
		}
		i := stat.Pair(base, other).Interval(t.rules.Each())
		if need := t.rules.RoundsFor(i, len(base)); !i.Within(t.rules.Band) && need > most {
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
