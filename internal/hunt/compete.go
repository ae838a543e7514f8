package hunt

import (
	"context"
	"fmt"
	"slices"
	"time"

	"whyhot/internal/hunt/candidate"
	"whyhot/internal/hunt/race"
	"whyhot/internal/trial/rebuild/wrapper"
)

// proofUntil is the share of the budget at whose end the proofs have to be over.
const proofUntil = 0.85

// raceLeft is the time that the race may still take: all but what proofs and the
// combination of those that are still in it would need, and a little more.
func (h *hunt) raceLeft() time.Duration {
	arms := 0
	for i := range h.state.Race.Standings {
		if s := &h.state.Race.Standings[i]; s.State == race.Finalist || s.State == race.Running {
			arms++
		}
	}
	return h.left() - h.reserveOf(h.request.Budget, arms)
}

// mostTogether is how many candidates run in one stage: a round of more takes so
// long that the machine changes within it.
const mostTogether = 6

// race finds out which candidates are worth a proof. The state is kept after every
// stage.
func (h *hunt) race(ctx context.Context) error {
	for {
		h.makeRoom()
		names, rounds := h.state.Race.Next(h.fits)
		if len(names) == 0 {
			break
		}
		h.stagef("racing %s, %d rounds", listed(names), rounds)
		if err := h.heat(ctx, names, rounds); err != nil {
			return err
		}
		h.state.Race.Look()
		if err := h.save(); err != nil {
			return err
		}
	}
	h.state.Race.Stop(outOfTime)
	h.state.Raced = h.spent()
	return nil
}

const outOfTime = "no time was left for it in the budget"

// heat measures one stage of the race.
func (h *hunt) heat(ctx context.Context, names []string, rounds int) error {
	a := h.askOf(names)
	a.rounds, a.until = rounds, time.Now().Add(max(time.Second, h.raceLeft()))
	a.end = h.ends(h.left())
	t, err := h.measure(ctx, a)
	if err != nil {
		return err
	}
	for _, name := range names {
		m, ok := t.arms[armName(h.state.candidate(name))]
		switch {
		case !ok:
			h.state.Race.Unmake(name, false, "its trial says nothing of it")
		case m.unbuilt && t.late:
			h.state.Race.Unmake(name, true, outOfTime+": its build took too long")
		case m.unbuilt:
			h.fallBack(h.state.candidate(name))
			h.state.Race.Unmake(name, false, "it could not be built: "+m.why)
		case m.broken():
			h.state.Race.Break(name, m.verdict, m.why)
		default:
			h.state.Race.Add(name, m.calm)
		}
	}
	return nil
}

// fallBack has PGO learn from samples where no training run fits: the instrumented
// program could not be built, or ended without writing what it counted.
func (h *hunt) fallBack(c *candidate.Candidate) {
	other := candidate.BySamples()
	if c.Variant != "pgo" || !slices.Contains(h.state.Compilers, wrapper.Clang) || h.state.candidate(other.Name) != nil {
		return
	}
	other.Group, other.Findings = c.Group, c.Findings
	h.state.Candidates = append(h.state.Candidates, other)
	h.state.Race.Enter(other.Name, other.Group)
}

// measure makes a trial, and learns from it how long things take. What fails in the
// trial itself and not in the command is told of the candidates, not of the hunt.
func (h *hunt) measure(ctx context.Context, a ask) (*told, error) {
	t, err := h.bench.measure(ctx, a)
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if err != nil && a.whatIf != "" {
		// Another compiler, or an edit that cannot be made: it is about this one.
		h.state.notef("%s: %v", candidate.WhatIfName(a.whatIf), err)
		return &told{arms: map[string]measured{}}, nil
	}
	if err != nil {
		return nil, err
	}
	if t.run > 0 {
		h.state.Run = t.run
	}
	// The first is as long as the plain build: variants take longer, not less.
	h.state.Build = max(h.state.Build, t.build)
	h.timeBuilds(a, t.built)
	return t, nil
}

// askOf is a trial of candidates.
func (h *hunt) askOf(names []string) ask {
	var a ask
	for _, name := range names {
		c := h.state.candidate(name)
		if c.WhatIf != "" {
			a.whatIf = c.WhatIf
			continue
		}
		a.arms = append(a.arms, arm{c.Name, c.Variant})
	}
	return a
}

// armName is what a candidate is called in its trial.
func armName(c *candidate.Candidate) string {
	if c.WhatIf != "" {
		return "what-if"
	}
	return c.Name
}

// fits says whether one more candidate may join a stage.
func (h *hunt) fits(chosen []string, next string) bool {
	c := h.state.candidate(next)
	if len(chosen) == 0 {
		return true // makeRoom has seen to that
	}
	if len(chosen) >= mostTogether || c.WhatIf != "" || h.state.candidate(chosen[0]).WhatIf != "" {
		return false
	}
	if len(h.state.Race.Of(next).Logs) > 0 {
		return h.takes(append(slices.Clip(chosen), next)) <= h.raceLeft()
	}
	// At first what needs no build and what is built run apart, and of what is built
	// as many as are built at once: so something is known early, also of how long
	// builds take.
	const atOnce = 2
	return c.Built() == h.state.candidate(chosen[0]).Built() && (!c.Built() || len(chosen) < atOnce) &&
		h.takes(append(slices.Clip(chosen), next)) <= h.raceLeft()
}

// takes is how long a stage of the race is expected to take.
func (h *hunt) takes(names []string) time.Duration {
	sum := h.heatOf(1 + len(names))
	for _, name := range names {
		if c := h.state.candidate(name); len(h.state.Race.Of(name).Logs) == 0 {
			sum += time.Duration(c.Builds * float64(h.state.Build))
		}
	}
	return sum
}

// heatOf is the time of so many arms in the first rounds of the race.
func (h *hunt) heatOf(arms int) time.Duration {
	const rounds, warmUp = 4, 1
	return time.Duration((rounds+warmUp)*arms) * h.state.Run
}

// makeRoom takes those out of the race for which no time is left.
func (h *hunt) makeRoom() {
	left := h.raceLeft()
	for i := range h.state.Race.Standings {
		s := &h.state.Race.Standings[i]
		if s.Open() && h.takes([]string{s.Name}) > left {
			if len(s.Logs) > 0 {
				h.state.Race.Decide(s.Name)
				continue
			}
			why := outOfTime
			if left > 0 {
				why += fmt.Sprintf(": about %s", h.takes([]string{s.Name}).Round(time.Second))
			}
			h.state.Race.Unmake(s.Name, true, why)
		}
	}
}
