package trial

import (
	"fmt"
	"math/rand/v2"

	"whyhot/internal/finding"
	"whyhot/internal/host/environ"
	"whyhot/internal/trial/run"
	"whyhot/internal/trial/stat"
	"whyhot/internal/trial/variant"
)

// LayoutOutcome is one layout of an arm.
type LayoutOutcome struct {
	Name   string  `json:"name"`
	Runs   int     `json:"runs"`
	Median float64 `json:"median,omitempty"` // of the metric that decides
}

// layouts of an arm, nil when it has one only.
func (t *trial) layouts(a *arm) []variant.Layout {
	if a.variant == nil {
		return t.plan.Layouts
	}
	return a.variant.Layouts
}

// deal draws the layout of an arm's next run: each comes once before any comes
// again, in random order or, where a round is all in one, in theirs.
func (t *trial) deal(a *arm, rng *rand.Rand) {
	n := len(t.layouts(a))
	if n == 0 {
		return
	}
	if t.plan.Together {
		a.layout = t.rounds % n
		return
	}
	if len(a.deck) == 0 {
		a.deck = rng.Perm(n)
	}
	a.layout, a.deck = a.deck[0], a.deck[1:]
}

// lay places a run in the arm's current layout, and its stack where the round
// says. The shift is the same for all arms of a round's draw only by chance:
// where the machine does not randomise addresses itself, this does.
func (t *trial) lay(a *arm, s *run.Spec) {
	const span = 1024 // bytes, in steps that keep the stack's alignment
	s.Shift = 16 * a.shift % span
	layouts := t.layouts(a)
	if len(layouts) == 0 {
		return
	}
	l := layouts[a.layout]
	if l.Dir != "" {
		s.Dir = l.Dir
	}
	s.Env = environ.Set(s.Env, l.Env...)
	if l.Command != nil {
		s.Args = l.Command
	}
}

// byLayout sorts an arm's values by the layout that gave them.
func (t *trial) byLayout(a *arm) [][]float64 {
	out := make([][]float64, len(t.layouts(a)))
	for i, r := range a.results {
		if v, ok := t.plan.Metric.value(r); ok {
			out[a.laid[i]] = append(out[a.laid[i]], v)
		}
	}
	return out
}

// acrossLayouts is the ratio with an interval that holds for other layouts too.
func (t *trial) acrossLayouts(a *arm) (i stat.Interval, ok bool) {
	if len(t.plan.Layouts) < stat.FewestLayouts || len(t.layouts(a)) < stat.FewestLayouts {
		return stat.Interval{}, false
	}
	base, other := t.byLayout(t.base()), t.byLayout(a)
	if t.plan.higherIsBetter(t.plan.Metric) {
		base, other = other, base
	}
	return stat.AcrossLayouts(base, other, t.rules.Each())
}

// judgeLayouts takes a difference back that the layouts of one side show among
// themselves too.
func (t *trial) judgeLayouts(a *arm, v *VariantArm, verdict stat.Verdict) Verdict {
	i, ok := t.acrossLayouts(a)
	if !ok {
		return verdict
	}
	v.AcrossLayouts = &finding.Interval{Estimate: i.Estimate, Low: i.Low, High: i.High}
	if (verdict == stat.Faster || verdict == stat.Slower) && (!i.Excludes(1) || i.Within(t.rules.Band)) {
		return LayoutNoise
	}
	return verdict
}

func (t *trial) layoutsOf(a *arm) []LayoutOutcome {
	layouts := t.layouts(a)
	if len(layouts) == 0 {
		return nil
	}
	out := make([]LayoutOutcome, len(layouts))
	for i, values := range t.byLayout(a) {
		out[i] = LayoutOutcome{Name: layouts[i].Name, Runs: len(values)}
		if len(values) > 0 {
			out[i].Median = stat.Median(values)
		}
	}
	return out
}

func (t *trial) explainLayouts(v *VariantArm) string {
	s := t.plan.scale()
	i, a := v.Ratios[t.plan.Metric], v.AcrossLayouts
	return fmt.Sprintf("%s with these layouts, but the same program in other layouts differs as much: over layouts, anything from %s to %s",
		s.change(i.Estimate), s.side(a.High), s.side(a.Low))
}
