package hunt

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"whyhot/internal/finding"
	"whyhot/internal/host/allocator"
	"whyhot/internal/hunt/candidate"
	"whyhot/internal/trial/variant"
)

// combine uses what is proved together. Gains do not add up: it begins with the
// largest and adds the next where both together are faster than without it, in
// trials of their own; the whole is then proved on fresh rounds. This is the greedy
// forward selection of search over compiler flags (Z. Pan and R. Eigenmann, "Fast and
// effective orchestration of compiler optimizations", CGO 2006).
func (h *hunt) combine(ctx context.Context) error {
	s := &h.state
	if s.Combined != nil {
		return nil // at once
	}
	if s.Together == nil {
		proved := h.proved()
		if len(proved) == 0 {
			return nil
		}
		s.Together = &together{In: proved[:1], Next: proved[1:]}
	}
	t := s.Together
	for len(t.Next) > 0 {
		next := t.Next[0]
		if err := h.extend(ctx, t, next); err != nil {
			return err
		}
		t.Next = t.Next[1:]
		if err := h.save(); err != nil {
			return err
		}
	}
	if s.Combined != nil {
		return nil
	}
	return h.conclude(ctx, t)
}

// proved are the names of what can be combined, the largest gain first. What is
// compiled as if it were edited cannot be.
func (h *hunt) proved() []string {
	var out []Verdict
	for _, name := range h.state.Finalists {
		if v := h.state.Judged[name]; v.Verdict == finding.Faster && v.Kind != candidate.WhatIf {
			out = append(out, v)
		}
	}
	slices.SortStableFunc(out, func(a, b Verdict) int { return -cmp.Compare(a.Ratio.Estimate, b.Ratio.Estimate) })
	names := make([]string, len(out))
	for i := range out {
		names[i] = out[i].Name
	}
	return names
}

// together is the variant of several candidates: its name in a trial, and what
// --variant takes.
func (h *hunt) together(names []string) (arm, error) {
	parts := make([]string, len(names))
	for i, name := range names {
		parts[i] = h.state.candidate(name).Variant
	}
	text := strings.Join(parts, "+")
	v, err := variant.Parse(text, allocator.NewFinder())
	return arm{v.Name, text}, err
}

// extend tries one more change with those that are in.
func (h *hunt) extend(ctx context.Context, t *together, next string) error {
	leave := func(why string, i *finding.Interval) {
		t.Left = append(t.Left, Leftover{Name: next, Ratio: i, Why: why})
	}
	for _, in := range t.In {
		if h.state.candidate(next).Excludes(h.state.candidate(in)) {
			leave("excludes "+in, nil)
			return nil
		}
	}
	without, err := h.together(t.In)
	if err != nil {
		return err
	}
	with, err := h.together(append(slices.Clone(t.In), next))
	if err != nil {
		return err
	}
	a := ask{arms: []arm{without, with}, level: Level, check: true, end: h.ends(h.left())}
	a.until = a.end
	if a.budget = h.share(2, t); a.budget < h.needs(a, append(slices.Clone(t.In), next)) { //nolint:mnd // the trial after it
		leave("no time was left to try it with the others", nil)
		return nil
	}
	h.stagef("trying %s on top of %s", next, listed(t.In))
	told, err := h.measure(ctx, a)
	if err != nil {
		return err
	}
	m := told.arms[with.name]
	if m.broken() {
		leave(fmt.Sprintf("%s together: %s", m.verdict, m.why), nil)
		return nil
	}
	i, faster := compare(told.arms[without.name].logs, m.logs, Level)
	switch {
	case faster:
		t.In = append(t.In, next)
	case i.Estimate == 0:
		leave("the trial of both together was too short", nil)
	default:
		leave("adds nothing that is clear", &i)
	}
	return nil
}

// share is the time of one of the trials that are still to come.
func (h *hunt) share(after int, t *together) time.Duration {
	return h.left() / time.Duration(len(t.Next)-1+after)
}

// needs is the least time of a trial in which these are built together.
func (h *hunt) needs(a ask, names []string) time.Duration {
	return h.roundsOf(len(a.arms)) + h.buildTogether(names)
}

// roundsOf is the time of the fewest rounds of a proof.
func (h *hunt) roundsOf(arms int) time.Duration {
	return time.Duration((fewestRounds+1)*(1+arms)) * h.state.Run
}

// conclude proves the combination, or says that it is one change alone.
func (h *hunt) conclude(ctx context.Context, t *together) error {
	c := &Combined{Names: t.In, Left: t.Left}
	for _, name := range t.In {
		c.How = append(c.How, h.state.candidate(name).How)
	}
	if len(t.In) == 1 {
		v := h.state.Judged[t.In[0]]
		c.Ratio, c.Verdict, c.Runs = v.Ratio, v.Verdict, v.Runs
		h.state.Combined = c
		return nil
	}
	whole, err := h.together(t.In)
	if err != nil {
		return err
	}
	h.stagef("proving %s together", listed(t.In))
	a := ask{arms: []arm{whole}, level: 1 - combinationAlpha/2, budget: max(time.Second, h.left()), keep: true, end: h.ends(h.left())}
	a.until = a.end
	told, err := h.measure(ctx, a)
	if err != nil {
		return err
	}
	m := told.arms[whole.name]
	c.Ratio, c.Verdict, c.Why, c.Runs = m.ratio, m.verdict, m.why, m.runs
	h.state.Combined = c
	return nil
}
