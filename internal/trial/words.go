package trial

import (
	"fmt"
	"math"
	"strings"
	"time"

	"whyhot/internal/finding"
	"whyhot/internal/finding/percent"
)

// explain says the verdict in a sentence without its subject.
func (t *trial) explain(a *arm, v *VariantArm) string {
	switch v.Verdict {
	case Failed, NoEffect:
		return a.why
	case Different:
		if v.inherited != "" {
			return v.inherited
		}
		return "computes something else: " + v.Differs
	case LayoutNoise:
		return t.explainLayouts(v)
	case Faster, Slower, Same, Unclear:
	}
	if a.out == Unclear {
		return a.why
	}
	if v.doubt != "" {
		return "it cannot be told whether it computes the same: " + v.doubt
	}
	if v.disturbed {
		return t.explainDisturbed(v)
	}
	i, ok := v.Ratios[t.plan.Metric]
	if !ok {
		return t.explainTooFew(a)
	}
	switch v.Verdict { //nolint:exhaustive // the others are answered above
	case Same:
		return "within " + percent.Text(t.rules.Band) + " of the baseline"
	case Faster, Slower:
		s := t.plan.scale()
		low, high := s.side(i.High), s.side(i.Low)
		if low == high {
			return s.change(i.Estimate)
		}
		return fmt.Sprintf("%s (%s to %s)", s.change(i.Estimate), low, high)
	default:
		s := t.plan.scale()
		return fmt.Sprintf("could be anything from %s to %s%s", s.side(i.High), s.side(i.Low), t.advice(i))
	}
}

// difference is how a variant's output differs, in words.
func (t *trial) difference(a *arm, d *Difference) string {
	if d.Output == exitStatus {
		return fmt.Sprintf("exit status %d, the baseline's is %d", a.exitDiffer, t.base().first.End.Status())
	}
	return d.text()
}

func (t *trial) explainTooFew(a *arm) string {
	need := t.needed()
	if len(a.results) >= need {
		return t.plan.noun(t.plan.Metric) + " could not be measured in every run"
	}
	text := fmt.Sprintf("too few runs for a verdict: %d of %d", len(a.results), need)
	switch {
	case t.plan.Rounds > 0 && t.plan.Rounds < need:
		text += fmt.Sprintf("; --runs %d makes them", need)
	case t.perRound > 0:
		text += "; --budget " + t.budgetFor(need) + " should do"
	}
	return text
}

// advice is the budget that should bring a verdict, where one can be told: the
// width of an interval falls with the square root of the rounds.
func (t *trial) advice(i finding.Interval) string {
	half := (i.High/i.Low - 1) / 2
	distance := max(t.rules.Band, math.Abs(math.Log(i.Estimate)))
	factor := 1.3 * (half / distance) * (half / distance)
	const hopeless = 100
	if factor > hopeless || t.perRound <= 0 {
		return "; too noisy to tell"
	}
	rounds := int(math.Ceil(float64(t.rounds) * max(1.5, factor)))
	if t.plan.Rounds > 0 {
		return fmt.Sprintf("; --runs %d should tell", rounds)
	}
	return "; --budget " + t.budgetFor(rounds) + " should tell"
}

// budgetFor is the time in which so many rounds should be made, judged by all of
// this trial: the last round alone may have been a fast one. It is never a
// budget that has just not been enough.
func (t *trial) budgetFor(rounds int) string {
	each := max(t.perRound, t.elapsed()/time.Duration(t.rounds+1)) // the warm-up is a round too
	more := max(rounds-t.rounds, 0) + 1
	return roundUp(max(t.elapsed(), t.plan.Budget) + time.Duration(more)*each)
}

// roundUp gives a duration as a person would type it.
func roundUp(d time.Duration) string {
	const step = 10 * time.Second
	if d <= time.Minute-step {
		return fmt.Sprintf("%.0fs", (d + step - 1).Truncate(step).Seconds())
	}
	return fmt.Sprintf("%dm", int((d+time.Minute-1)/time.Minute))
}

// scale says what a ratio means for what is measured.
type scale struct {
	noun   string
	fewer  bool // the noun is counted: fewer, not less
	higher bool // more of it is better
}

func (p *Plan) scale() scale {
	return scale{
		noun: p.noun(p.Metric), fewer: p.Metric == Faults || p.Metric == Instructions,
		higher: p.higherIsBetter(p.Metric),
	}
}

// noun is what a metric counts, in a sentence.
func (p *Plan) noun(m Metric) string {
	if m == Number && p.Number != nil && p.Number.Unit != "" {
		return p.Number.Unit
	}
	return metricNoun(m)
}

// spent is the change in what is measured that a ratio stands for: -0.2 is 20 %
// less.
func (s scale) spent(ratio float64) float64 {
	if s.higher {
		return ratio - 1
	}
	return 1/ratio - 1
}

// change puts a ratio into words.
func (s scale) change(ratio float64) string {
	d := s.spent(ratio)
	word := "more"
	switch {
	case d < 0 && s.fewer:
		word = "fewer"
	case d < 0:
		word = "less"
	}
	return fmt.Sprintf("%s %s %s", percent.Text(math.Abs(d)), word, s.noun)
}

// side is one end of an interval as the change in what is measured.
func (s scale) side(ratio float64) string {
	d := s.spent(ratio)
	sign := "+"
	if d < 0 {
		sign = "−"
	}
	return sign + percent.Text(math.Abs(d))
}

func metricNoun(m Metric) string {
	switch m {
	case Wall:
		return "time"
	case CPU:
		return "CPU time"
	case Memory:
		return "memory"
	case Faults:
		return "page faults"
	case Instructions:
		return "instructions"
	case Number:
		return "of the printed number"
	}
	return string(m)
}

func lastLine(s string) string {
	s = strings.TrimSpace(s)
	return strings.TrimSpace(s[strings.LastIndexByte(s, '\n')+1:])
}
