package hunt

import (
	"context"
	"slices"
	"time"

	"whyhot/internal/finding"
)

// proveAtOnce proves what was won in the race together and first, where the budget has
// no room to prove each part, to find out what each adds, and to prove the whole: one
// proof is worth more than several halves. Its rounds are fresh, so that the error that
// it may make is that of the combination alone. It is made of what is clearly faster and
// is expected to be built in time, and ends early enough for a proof of the best part,
// which is built already: a build may take longer than expected.
func (h *hunt) proveAtOnce(ctx context.Context) error {
	s := &h.state
	if s.AtOnce {
		return nil
	}
	winners := h.winners()
	if len(winners) < 2 || h.wholeWay(winners) <= h.left() {
		return nil
	}
	budget := h.left() - h.oneProof()
	names := h.fitting(winners, budget)
	if len(names) < 2 || h.wholeWay(names) <= h.left() {
		return nil
	}
	whole, err := h.together(names)
	if err != nil {
		return err
	}
	a := ask{arms: []arm{whole}, level: 1 - combinationAlpha/2, check: true, keep: true}
	a.budget = budget
	a.end = h.ends(budget)
	a.until = a.end.Add(-h.roundsOf(len(a.arms)))
	h.stagef("proving %s together, since there is no time to prove each", listed(names))
	told, err := h.measure(ctx, a)
	if err != nil {
		return err
	}
	s.AtOnce = true
	m := told.arms[whole.name]
	if m.verdict != finding.Faster {
		s.notef("together, %s: %s: %s", listed(names), m.verdict, m.why)
		return h.save()
	}
	c := &Combined{Names: names, Ratio: m.ratio, Verdict: m.verdict, Why: m.why, Runs: m.runs}
	for _, name := range names {
		c.How = append(c.How, s.candidate(name).How)
	}
	s.Combined = c
	return h.save()
}

// winners are the finalists that are clearly faster in the race and can be used together,
// the best first.
func (h *hunt) winners() []string {
	var out []string
	for _, name := range h.state.Race.Finalists(mostTogether) {
		c := h.state.candidate(name)
		excluded := slices.ContainsFunc(out, func(in string) bool { return c.Excludes(h.state.candidate(in)) })
		if c.WhatIf == "" && !excluded && h.state.Race.Of(name).Clear() {
			out = append(out, name)
		}
	}
	return out
}

// wholeWay is what it takes to prove each, to add one after the other, and to prove
// the whole.
func (h *hunt) wholeWay(names []string) time.Duration {
	const ofThree, ofTwo = 3, 2
	k := len(names)
	runs := (fewestRounds + 1) * ((1 + k) + (k-1)*ofThree + ofTwo)
	sum := time.Duration(runs) * h.state.Run
	for _, name := range names[1:] {
		if c := h.state.candidate(name); c.Built() {
			sum += h.buildTime(name) // on top of the others
		}
	}
	return sum
}
