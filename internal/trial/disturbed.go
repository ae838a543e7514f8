package trial

import (
	"fmt"

	"whyhot/internal/trial/stat"
)

// busyShare is how many CPUs others have to keep busy for the wall time alone not
// to be believed.
const busyShare = 0.3

// contradicted says that the verdict is by wall time, that other processes kept
// the machine busy, and that the CPU time does not agree. Which run of a round
// has to wait for a CPU is chance that the order of the runs evens out only in
// the long run; the CPU time does not wait. A change that really shortens waiting
// only cannot be told from that on a busy machine.
func (t *trial) contradicted(a *arm, verdict stat.Verdict) bool {
	if t.plan.Metric != Wall || t.plan.Busy == nil || t.plan.Busy() < busyShare {
		return false
	}
	base, other := t.pairs(a, CPU)
	if len(base) < t.rounds {
		return false
	}
	i := stat.Pair(base, other).Interval(t.rules.Each())
	if verdict == stat.Faster {
		return i.Low <= 1
	}
	return i.High >= 1
}

func (t *trial) explainDisturbed(v *VariantArm) string {
	s := t.plan.scale()
	i := v.Ratios[Wall]
	return fmt.Sprintf("%s (%s to %s) by wall time, but not by CPU time, and other processes kept %.1f CPUs busy: repeat it on a quiet machine, or use --metric cpu",
		s.change(i.Estimate), s.side(i.High), s.side(i.Low), t.plan.Busy())
}
