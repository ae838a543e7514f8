package hunt

import (
	"math"
	"time"

	"whyhot/internal/finding"
	"whyhot/internal/hunt/race"
)

// enoughRounds are those that a proof is expected to take.
const enoughRounds = 12

// reserveOf is the time that the race leaves to proofs and the combination of so many
// candidates, and a little more.
func (h *hunt) reserveOf(budget time.Duration, arms int) time.Duration {
	const least, most = 0.15, 0.45
	need := float64(2*enoughRounds*(1+arms)) * float64(h.state.Run) // the proof, and about as much for the combination
	return time.Duration(max(least*float64(budget), min(most*float64(budget), need)))
}

// oneProof is the time that is kept for the proof of the best change alone while changes
// are tried together: whatever becomes of that, the hunt ends with a proof.
func (h *hunt) oneProof() time.Duration {
	const start, slack = 2 * time.Second, 1.25 // copies of the tree are made, and no run takes as long as another
	return start + time.Duration(slack*2*enoughRounds*float64(h.state.Run))
}

// buildTime is how long a candidate takes to build: as measured, or else in builds of the
// program as it is.
func (h *hunt) buildTime(name string) time.Duration {
	if took, ok := h.state.Took[name]; ok {
		return took
	}
	return time.Duration(h.state.candidate(name).Builds * float64(h.state.Build))
}

// buildTogether is how long candidates take in one build: a plain one, and what each needs
// beyond that. One alone was built in the race.
func (h *hunt) buildTogether(names []string) time.Duration {
	built, most, sum := 0, time.Duration(0), h.state.Build
	for _, name := range names {
		if !h.state.candidate(name).Built() {
			continue
		}
		took := h.buildTime(name)
		built, most, sum = built+1, max(most, took), sum+max(0, took-h.state.Build)
	}
	if built <= 1 {
		return 0
	}
	return max(most, sum)
}

// timeBuilds keeps how long the candidates of a trial took to build. They are built at
// once: what was waited for is the one that takes most builds, and the others took their
// part of that.
func (h *hunt) timeBuilds(a ask, took time.Duration) {
	most := 0.0
	for _, v := range a.arms {
		if c := h.state.candidate(v.name); c != nil {
			most = max(most, c.Builds)
		}
	}
	if took <= 0 || most <= 0 {
		return
	}
	if h.state.Took == nil {
		h.state.Took = map[string]time.Duration{}
	}
	for _, v := range a.arms {
		if c := h.state.candidate(v.name); c != nil && c.Built() {
			h.state.Took[v.name] = max(h.state.Took[v.name], time.Duration(c.Builds/most*float64(took)))
		}
	}
}

// fitting are those of the changes, the best first, whose build together and the rounds
// after it are expected to end in time.
func (h *hunt) fitting(names []string, left time.Duration) []string {
	var in []string
	for _, name := range names {
		if with := append(in[:len(in):len(in)], name); h.needs(ask{arms: make([]arm, 1)}, with) <= left {
			in = with
		}
	}
	return in
}

// enough is a budget in which all that was not tried for lack of time is expected to be
// raced, and the best of what is promising to be proved; 0 where more time is not what is
// missing.
func (h *hunt) enough(r *Result) time.Duration {
	if !r.Finished {
		return 0
	}
	took, arms, short := h.state.Raced, 0, false
	for i := range r.Untried {
		if needs := r.Untried[i].Needs; needs > 0 {
			took += time.Duration(needs * float64(time.Second))
			arms++
			short = true
		}
	}
	for i := range h.state.Race.Standings {
		if h.state.Race.Standings[i].State == race.Finalist {
			arms++
		}
	}
	layouts := 0.0
	for i := range r.Open { // the largest first
		v := &r.Open[i]
		if !v.Promising {
			continue
		}
		short = true
		if v.Ratio.Estimate >= smallInRace {
			break // it needs no layouts, whatever the others do
		}
		if c := h.state.candidate(v.Name); c.Built() {
			layouts += math.Ceil(c.Builds)
		}
	}
	if !short {
		return 0
	}
	proof := time.Duration(enoughRounds*(1+arms)) * h.state.Run
	if layouts > 0 {
		// Half of the time for proofs is for runs, and no more than half for layouts.
		builds := layoutsShare * time.Duration((layoutsTried-1)*(1+layouts)*float64(h.state.Build))
		proof = max(2*proof, builds) //nolint:mnd // half
	}
	const more, most = 1.25, 60 * 24 * 7
	budget := minutesUp(time.Duration(more * float64(h.request.Budget)))
	for range most { // minutes, a week of them
		if took <= budget-h.reserveOf(budget, arms) && time.Duration(proofUntil*float64(budget))-took >= proof {
			return budget
		}
		budget += time.Minute
	}
	return 0
}

func minutesUp(d time.Duration) time.Duration {
	return (d + time.Minute - 1).Truncate(time.Minute)
}

// Best is the most promising change where nothing was proved in the time, else nil.
func (r *Result) Best() *Verdict {
	if len(r.Proved) > 0 || !r.Finished || r.Combined != nil && r.Combined.Verdict == finding.Faster {
		return nil
	}
	for i := range r.Open { // the largest first
		if r.Open[i].Promising {
			return &r.Open[i]
		}
	}
	return nil
}
