package whatif

import (
	"fmt"

	"whyhot/internal/finding"
	"whyhot/internal/trial"
	"whyhot/internal/trial/stat"
)

// The names of the variants of a trial.
const (
	VariantName = "what-if"
	PlaceboName = "placebo"
)

// Prediction says in words what a trial of the world and its placebo means for
// the source: a sentence for the world, and one for the placebo where that is
// not what it should be. Both are empty when the trial did not get so far.
func (p *Plan) Prediction(o *trial.Outcome) []string {
	world, placebo := arm(o, VariantName), arm(o, PlaceboName)
	if world == nil || placebo == nil {
		return nil
	}
	ratio, measured := o.SpeedUp(world)
	switch {
	case world.Verdict == trial.Different:
		return []string{"what-if: the program computes something else with the edits. Either what is written is also read as another type, or a value that the loop changes on purpose would sit in a local: this fix is not safe"}
	case !measured || world.Verdict == trial.Failed || world.Verdict == trial.NoEffect:
		return nil
	}
	return append([]string{p.sentence(world.Verdict, ratio)}, p.control(o, world, placebo)...)
}

func (p *Plan) sentence(v trial.Verdict, r finding.Interval) string {
	times := fmt.Sprintf("%s times as fast (%s to %s)", digits(r.Estimate), digits(r.Low), digits(r.High))
	one := len(p.Edits) == 1
	switch v { //nolint:exhaustive // the others have no number
	case trial.Faster:
		return "predicted before any line is edited: " + times + " with " + subject(one) + " fixed"
	case trial.Slower:
		return "predicted: fixing " + subject(one) + " does not pay here, " + times
	case trial.LayoutNoise:
		return "predicted: fixing " + subject(one) + " makes no more difference to this command than the code layout does"
	case trial.Same:
		return "predicted: fixing " + subject(one) + " makes no difference to this command"
	}
	return "no prediction: the numbers are not clear enough; " + times + " is what they allow"
}

func subject(one bool) string {
	if one {
		return "the finding"
	}
	return "these findings"
}

// control judges by the placebo how much of the world's ratio is the edit's.
func (p *Plan) control(o *trial.Outcome, world, placebo *trial.VariantArm) []string {
	alone, ok := o.SpeedUp(placebo)
	if !ok || placebo.Verdict == trial.Same || placebo.Verdict == trial.Unclear || placebo.Verdict == trial.LayoutNoise {
		return nil
	}
	why := "nothing is edited in it, so that much of any ratio here is code layout"
	if p.Late() {
		why = "compiling the units twice, as these edits need it, does that by itself"
	}
	text := fmt.Sprintf("the placebo differs from the baseline (%s): %s", digits(alone.Estimate), why)
	if net, ok := net(o, world, placebo); ok {
		text += fmt.Sprintf("; over the placebo the edits bring %s (%s to %s)", digits(net.Estimate), digits(net.Low), digits(net.High))
	}
	return []string{text}
}

// net is the ratio of the placebo to the world, by the rounds that both have.
func net(o *trial.Outcome, world, placebo *trial.VariantArm) (finding.Interval, bool) {
	w, p := world.Summary[o.Metric].Samples, placebo.Summary[o.Metric].Samples
	n := min(len(w), len(p))
	if n < stat.DefaultRules(1).FewestRounds() {
		return finding.Interval{}, false
	}
	base, other := p[:n], w[:n]
	if o.HigherIsBetter {
		base, other = other, base
	}
	i := stat.Pair(base, other).Interval(o.Level)
	return finding.Interval{Estimate: i.Estimate, Low: i.Low, High: i.High}, true
}

func arm(o *trial.Outcome, name string) *trial.VariantArm {
	for i := range o.Variants {
		if o.Variants[i].Name == name {
			return &o.Variants[i]
		}
	}
	return nil
}

func digits(r float64) string {
	const many = 10
	if r >= many {
		return fmt.Sprintf("%.1f", r)
	}
	return fmt.Sprintf("%.2f", r)
}
