package hunt

import (
	"context"
	"fmt"
	"math"
	"time"

	"whyhot/internal/finding"
	"whyhot/internal/hunt/candidate"
	"whyhot/internal/trial/stat"
)

// prove tries the finalists on rounds of their own. Those of the race are not looked
// at again: they have chosen the finalists.
func (h *hunt) prove(ctx context.Context) error {
	if err := h.proveAtOnce(ctx); err != nil {
		return err
	}
	if h.state.Finalists == nil {
		h.state.Finalists = append([]string{}, h.state.Race.Finalists(h.affordable())...)
	}
	for {
		if err := h.proveAll(ctx); err != nil {
			return err
		}
		if !h.standIn() {
			return nil
		}
	}
}

// standIn puts the next best of a group in the place of a finalist that cannot be used
// whatever its speed: that its tests fail says nothing of the others. It takes over the
// error that the proof of the first one may make, which then proves nothing.
func (h *hunt) standIn() bool {
	changed := false
	for i, name := range h.state.Finalists {
		v, judged := h.state.Judged[name]
		if m := (measured{verdict: v.Verdict}); !judged || !m.broken() {
			continue
		}
		if h.proofLeft() < time.Duration(2*(fewestRounds+1))*h.state.Run {
			break
		}
		if next := h.state.Race.NextOf(name); next != "" {
			h.state.Finalists[i] = next
			changed = true
		}
	}
	return changed
}

func (h *hunt) proveAll(ctx context.Context) error {
	built, edits := h.finalists()
	trials := make([][]string, 0, 1+len(edits))
	if len(built) > 0 {
		trials = append(trials, built)
	}
	for _, e := range edits {
		trials = append(trials, []string{e})
	}
	for i, names := range trials {
		if h.judged(names) {
			continue
		}
		h.stagef("proving %s", listed(names))
		if err := h.proof(ctx, names, len(trials)-i); err != nil {
			return err
		}
		if err := h.save(); err != nil {
			return err
		}
	}
	return nil
}

// finalists are those that are tried together, and those that have a trial of their
// own.
func (h *hunt) finalists() (together, edits []string) {
	for _, name := range h.state.Finalists {
		if h.state.candidate(name).WhatIf != "" {
			edits = append(edits, name)
		} else {
			together = append(together, name)
		}
	}
	return together, edits
}

func (h *hunt) judged(names []string) bool {
	for _, n := range names {
		if _, ok := h.state.Judged[n]; !ok {
			return false
		}
	}
	return true
}

// affordable is how many finalists the time for proofs has room for.
func (h *hunt) affordable() int {
	const most = 8
	each := enoughRounds * h.state.Run
	if each <= 0 {
		return most
	}
	if n := int(h.leftUntil(proofUntil)/each) - 1; n > 0 {
		return min(most, n)
	}
	// One finalist has nothing to be combined with: it may take all that is left.
	if h.left() >= 2*(fewestRounds+1)*h.state.Run {
		return 1
	}
	return 0
}

// ends is when a trial of so much time has to be over.
func (h *hunt) ends(budget time.Duration) time.Time { return h.now().Add(min(budget, h.left())) }

// proofLeft is the time that is left for proofs.
func (h *hunt) proofLeft() time.Duration {
	if len(h.state.Finalists) == 1 {
		return h.left()
	}
	return h.leftUntil(proofUntil)
}

// proof is one trial of finalists. Its part of the error that all proofs may make is
// as large as its part of the finalists.
func (h *hunt) proof(ctx context.Context, names []string, trialsLeft int) error {
	a := h.askOf(names)
	a.level = 1 - proofAlpha*float64(len(names))/float64(len(h.state.Finalists))
	a.budget = max(time.Second, h.proofLeft()/time.Duration(trialsLeft))
	a.layouts = h.layouts(names, a.budget)
	if a.layouts > 0 {
		a.budget /= 2 // the layouts have a trial of their own
	}
	a.check, a.keep = true, true
	a.end = h.ends(a.budget)
	if a.layouts > 0 {
		a.end = h.ends(2 * a.budget)
	}
	a.until = a.end
	t, err := h.measure(ctx, a)
	if err != nil {
		return err
	}
	for _, n := range t.notes {
		h.state.notef("%s", n)
	}
	for _, name := range names {
		c := h.state.candidate(name)
		v := verdict(c)
		m, ok := t.arms[armName(c)]
		if !ok {
			v.Verdict, v.Why = finding.Unclear, "its trial says nothing of it"
			h.state.judge(v)
			continue
		}
		v.Verdict, v.Why, v.Ratio, v.Runs, v.Compared = m.verdict, m.why, m.ratio, m.runs, m.compared
		if m.broken() && m.unbuilt && t.late {
			v.Verdict, v.Why = finding.Unclear, outOfTime+": its build or its tests were ended with the budget"
		}
		if v.Verdict == finding.Faster {
			doubt(c, &v, &m, t, a.level)
		} else if v.Verdict == finding.Unclear {
			h.cut(&v)
		}
		h.state.judge(v)
	}
	return nil
}

// cut has a verdict that the proof had no time for rest on the race.
func (h *hunt) cut(v *Verdict) {
	s := h.state.Race.Of(v.Name)
	if v.Ratio != nil || s == nil || !s.Clear() {
		return
	}
	i := s.Interval(Level)
	v.Ratio, v.Runs, v.Promising = &i, len(s.Logs), true
	v.Why = "promising in the race; its proof was cut short: " + v.Why
}

// doubt takes the verdict back where the trial did not look at what may explain it.
func doubt(c *candidate.Candidate, v *Verdict, m *measured, t *told, level float64) {
	switch {
	case c.WhatIf != "":
		placebo, ok := t.arms["placebo"]
		if i, faster := compare(placebo.logs, m.logs, level); !ok || !faster {
			v.Verdict = finding.Unclear
			v.Why = "the placebo, in which nothing is edited, is not clearly slower"
			if ok {
				v.Why += fmt.Sprintf(": over it %.2f× (%.2f to %.2f)", i.Estimate, i.Low, i.High)
			}
		}
	case c.Built() && !m.laidOut && v.Ratio != nil && v.Ratio.Estimate-1 < smallGain:
		v.Promising = true
		v.Verdict, v.Why = finding.Unclear, "less than 5%, which the place of the code alone can make, and no time was left to try several layouts"
	}
}

// smallGain is the difference of a built variant that several layouts have to
// confirm (docs/decisions/0062-layouts.md).
const smallGain = 0.05

// In how many layouts that is tried, which part of the time for proofs their builds may
// take, and below which ratio in the race a gain may turn out to be small.
const (
	layoutsTried = 4
	layoutsShare = 2
	smallInRace  = 1.08
)

// compare is the ratio of one arm over another by the rounds that they share, and
// whether the second is faster, as a trial says it at its end.
func compare(base, other []float64, level float64) (i finding.Interval, faster bool) {
	n := min(len(base), len(other))
	rules := stat.DefaultRules(1).At(level)
	if n < rules.FewestRounds() {
		return finding.Interval{}, false
	}
	logs := make([]float64, n)
	for k := range logs {
		logs[k] = other[k] - base[k] // both over the baseline of the round
	}
	verdict, got := rules.Judge(stat.PairLogs(logs), level)
	return finding.Interval{Estimate: got.Estimate, Low: got.Low, High: got.High}, verdict == stat.Faster
}

// layouts is in how many layouts small differences of built finalists are tried:
// as many as usual, where there is time to build them.
func (h *hunt) layouts(names []string, budget time.Duration) int {
	n := 0
	for _, name := range names {
		if c := h.state.candidate(name); c.Built() && h.state.Race.Of(name) != nil && h.state.Race.Of(name).Estimate() < smallInRace {
			n += int(math.Ceil(c.Builds))
		}
	}
	if n == 0 {
		return layoutsTried // should a gain turn out smaller than in the race
	}
	if time.Duration((layoutsTried-1)*(1+n))*h.state.Build > budget/layoutsShare {
		return 0
	}
	return layoutsTried
}
