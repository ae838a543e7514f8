package trial

import (
	"time"

	"whyhot/internal/trial/stat"
)

// Phase is what a trial is doing.
type Phase string

// The phases.
const (
	PhaseWarmUp   Phase = "warm-up"
	PhaseAnnounce Phase = "announce" // the warm-up is over and the plan is known
	PhaseRound    Phase = "round"
	PhaseRemark   Phase = "remark" // something to be read now
)

// Progress is sent before every run.
type Progress struct {
	Phase    Phase
	Running  string // the arm that runs now
	Round    int    // the round under way, from 1
	Elapsed  time.Duration
	Fraction float64 // of the expected time
	// Standings are what is known until now, which is no result.
	Standings []Standing
	// Expected is the longest the trial should take, one round RoundTime.
	Expected, RoundTime time.Duration
	PerRound            int // runs of a round
	// Remark is what PhaseRemark says.
	Remark string
}

// Standing is the ratio of medians of one variant until now. Low and High are the interval
// of the rounds at the last look, at 95% as if it were the only look; 0 before there is one.
type Standing struct {
	Name             string
	Ratio, Low, High float64
}

// report sends progress, of short rounds only as often as a person can read, so
// that reporting does not disturb what is measured.
func (t *trial) report(p Progress) {
	const pause = 100 * time.Millisecond
	now := t.clock.Now()
	if p.Phase == PhaseRound && now.Sub(t.reported) < pause {
		return
	}
	t.reported = now
	p.Elapsed = t.elapsed()
	p.Round = t.rounds + 1
	p.RoundTime, p.PerRound = t.perRound, len(t.running())
	p.Expected = t.expected()
	if p.Phase == PhaseRound && p.Expected > 0 {
		p.Fraction = min(1, float64(p.Elapsed)/float64(p.Expected))
		p.Standings = t.standings()
	}
	t.progress(p)
}

func (t *trial) announce() { t.report(Progress{Phase: PhaseAnnounce}) }

// expected is when the trial ends at the latest, as far as one can tell.
func (t *trial) expected() time.Duration {
	now := t.elapsed()
	if t.plan.Rounds > 0 {
		left := time.Duration(t.plan.Rounds-t.rounds) * t.perRound
		if t.limited() {
			return min(now+left, max(t.plan.Budget, now))
		}
		return now + left
	}
	least := now + time.Duration(max(0, t.plan.MinRounds-t.rounds))*t.perRound
	return max(t.plan.Budget, least)
}

// standings looks at the intervals after 6, 7, 8, 10, 12 … rounds: they take longer with
// each, and a reader wants to see them narrow.
func (t *trial) standings() []Standing {
	const fewest = 6 // rounds that a 95% interval of signed ranks needs
	due := t.rounds >= max(fewest, t.standing.next)
	if due {
		t.standing.next, t.standing.bounds = stat.NextLook(t.rounds), map[*arm]stat.Interval{}
	}
	var out []Standing
	for _, a := range t.arms[1:] {
		if a.out != "" {
			continue
		}
		b, v := t.values(t.base(), t.plan.Metric), t.values(a, t.plan.Metric)
		if len(b) > 0 && len(v) > 0 {
			if t.plan.higherIsBetter(t.plan.Metric) {
				b, v = v, b
			}
			if n := min(len(b), len(v)); due && n >= fewest {
				const level = 0.95
				t.standing.bounds[a] = stat.Pair(b[:n], v[:n]).Interval(level)
			}
			i := t.standing.bounds[a]
			out = append(out, Standing{a.name(), stat.Median(b) / stat.Median(v), i.Low, i.High})
		}
	}
	return out
}

func (t *trial) values(a *arm, m Metric) []float64 {
	var out []float64
	for _, r := range a.results {
		if v, ok := m.value(r); ok {
			out = append(out, v)
		}
	}
	return out
}
