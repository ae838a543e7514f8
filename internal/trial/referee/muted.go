package referee

import (
	"whyhot/internal/trial"
	"whyhot/internal/trial/experiment"
	"whyhot/internal/trial/rebuild"
)

// muted tells a listener how far a trial is, and nothing that a sentence could give
// away of its workload.
type muted struct{ to experiment.Listener }

func (muted) Building(rebuild.Step)      {}
func (muted) Benchmark(string, int, int) {}
func (muted) Remark(string)              {}

func (m muted) Measuring(p trial.Progress) {
	if m.to == nil || p.Phase == trial.PhaseRemark {
		return
	}
	p.Standings = nil
	m.to.Measuring(p)
}
