package check

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"whyhot/internal/finding"
	"whyhot/internal/finding/percent"
	"whyhot/internal/host/tool"
	"whyhot/internal/trial"
	"whyhot/internal/trial/run"
	"whyhot/internal/trial/stat"
	"whyhot/internal/trial/variant"
)

// calibrating is the calibration's part of the budget. What is left is the comparison's.
const calibrating = 0.15

// measure compares the sides by all commands.
func (c *checking) measure(ctx context.Context) error {
	begin := c.machine.clock.Now()
	for i := range c.commands {
		left := c.request.Budget - (c.machine.clock.Now().Sub(begin) - c.building)
		budget := max(time.Second, left/time.Duration(len(c.commands)-i))
		k, err := c.one(ctx, &c.commands[i], i, budget)
		if err != nil {
			return err
		}
		c.result.Commands = append(c.result.Commands, k)
	}
	c.sum()
	return nil
}

// one compares the sides by one command.
func (c *checking) one(ctx context.Context, k *task, index int, budget time.Duration) (Command, error) {
	out := Command{Name: k.Name, Command: k.Command.Command, Unit: c.request.Metric.Unit()}
	begin, building := c.machine.clock.Now(), c.building
	for side := range againSide {
		if err := c.setUp(ctx, side, k); err != nil {
			return out, err
		}
	}
	inner, release, err := c.machine.runner()
	if err != nil {
		return out, fmt.Errorf("preparing to run: %w", err)
	}
	defer release()
	c.trials = &run.Metered{Runner: c.stage.wrap(inner)}
	defer func() { c.runner.CPU += c.trials.CPU }()
	rules := c.rules
	if c.request.Metric != trial.Instructions { // which does not vary
		if err := c.calibrate(ctx, k, budget, &rules); err != nil {
			return out, err
		}
	}
	left := func() time.Duration {
		return max(time.Second, budget-(c.machine.clock.Now().Sub(begin)-(c.building-building)))
	}
	plan := c.plan(k, left(), headSide)
	plan.Seed += uint64(index)
	counted := c.request.Metric == trial.Instructions
	all := newEvidence(rules, counted)
	canLayOut := !counted && c.request.Build != ""
	plan.Enough = func(base, change []float64) bool { return all.look(base, change, canLayOut) }
	o, err := c.trial(ctx, plan, k)
	if err != nil {
		return out, err
	}
	all.keep(samples(o))
	if canLayOut && all.likely() {
		more, err := c.otherLayouts(ctx, k, &out, all, left)
		if err != nil {
			return out, err
		}
		if more != nil {
			o.Elapsed += more.Elapsed
		}
	}
	out.Rounds, out.Samples = len(all.base), &Samples{all.base, all.change}
	out.Before, out.After = stat.Median(all.base), stat.Median(all.change)
	if out.Rounds == 0 {
		out.Before, out.After = 0, 0
	}
	verdict, i := all.end()
	if all.layouts > 0 {
		out.Layouts = interval(all.over)
	}
	out.OutputDiffers = o.Variants[0].Differs
	out.fill(verdict, i, rules, o.Elapsed)
	c.noteRoom(o, rules)
	return out, nil
}

// fill puts a verdict and its interval into the result of a command.
func (k *Command) fill(v Verdict, i stat.Interval, r rules, elapsed float64) {
	k.Verdict = v
	if k.Rounds > 0 {
		k.Ratio = i.Estimate
	}
	if known := k.Rounds > 0 && i.Low > 0 && !math.IsInf(i.High, 0); known {
		k.Low, k.High = i.Low, i.High
		bound := max(0, i.High-1)
		k.Bound = &bound
	}
	switch v {
	case Slower:
		k.Says = fmt.Sprintf("it takes %s more (%s to %s), beyond the limit of %s", percent.Text(i.Estimate-1), percent.Text(i.Low-1), percent.Text(i.High-1), percent.Text(r.limit))
	case NotSlower:
		k.Says = notSlower(i, *k.Bound)
	case Undecided:
		k.undecided(i, r, elapsed)
	case Identical:
	}
}

func notSlower(i stat.Interval, bound float64) string {
	if i.High < 1 {
		return fmt.Sprintf("it takes %s of the base's time (%s to %s)", percent.Text(i.Estimate), percent.Text(i.Low), percent.Text(i.High))
	}
	return fmt.Sprintf("not slower by more than %s (%s to %s)", percent.Text(bound), change(i.Low), change(i.High))
}

// change is a ratio as a signed percentage.
func change(ratio float64) string {
	d := ratio - 1
	sign := "+"
	if d < 0 {
		sign, d = "−", -d
	}
	return sign + percent.Text(d)
}

func (k *Command) undecided(i stat.Interval, r rules, elapsed float64) {
	if k.Layouts != nil && i.Low > 1+r.limit {
		over := stat.Interval{Estimate: k.Layouts.Estimate, Low: k.Layouts.Low, High: k.Layouts.High}
		k.Says = fmt.Sprintf("it takes %s more in all runs (%s to %s); over layouts of the code it is %s (%s to %s), so it may be the layout", percent.Text(i.Estimate-1), percent.Text(i.Low-1), percent.Text(i.High-1), change(over.Estimate), change(over.Low), change(over.High))
		if more, ok := r.moreRounds(over, k.Rounds); ok && over.Estimate > 1+r.limit {
			k.MoreMinutes = minutesFor(more, elapsed, k.Rounds)
			k.Says += "; to tell needs about " + minutes(k.MoreMinutes) + " more"
		}
		return
	}
	more, ok := r.moreRounds(i, k.Rounds)
	if k.Rounds > 0 && ok {
		k.MoreMinutes = minutesFor(more, elapsed, k.Rounds)
	}
	switch {
	case k.Bound == nil:
		k.Says = fmt.Sprintf("too few rounds for a verdict (%d)", k.Rounds)
	default:
		k.Says = fmt.Sprintf("between %s and %s, with the limit of %s in between", change(i.Low), change(i.High), percent.Text(r.limit))
	}
	switch {
	case k.MoreMinutes > 0:
		k.Says += fmt.Sprintf("; needs about %s more", minutes(k.MoreMinutes))
	case k.Rounds > 0:
		k.Says += "; it is so close to the limit that more time hardly helps"
	}
}

// minutesFor is how long rounds take by what others took, in whole tenths of a minute.
func minutesFor(more int, elapsed float64, rounds int) float64 {
	return math.Ceil(float64(more)*elapsed/float64(rounds)/6) / 10 //nolint:mnd // see above
}

func minutes(m float64) string {
	const hour = 60
	switch {
	case m < 1:
		return fmt.Sprintf("%.0f seconds", m*60) //nolint:mnd // of a minute
	case m > 2*hour:
		return fmt.Sprintf("%.0f hours", m/hour)
	}
	return fmt.Sprintf("%.1f minutes", m)
}

// plan is a trial of a command with the base as the baseline and another side beside it.
func (c *checking) plan(k *task, budget time.Duration, side int) trial.Plan {
	return trial.Plan{
		Command: c.words(k), Dir: c.stage.at(baseSide, k.Dir), Env: c.environ(k), Stdin: c.stdin(k),
		Variants: []variant.Variant{{Name: "change", Dir: c.stage.at(side, k.Dir)}},
		Slices:   !c.request.OneAtATime,
		Metric:   c.request.Metric, Counter: c.counter, Seed: c.request.Seed, WarmUps: 1,
		Budget: budget, Timeout: k.Timeout, IgnoreFailure: k.IgnoreFailure,
	}
}

// trial measures, and makes of a program that fails an error.
func (c *checking) trial(ctx context.Context, plan trial.Plan, k *task) (*trial.Outcome, error) {
	o, err := trial.Run(ctx, plan, c.trials, c.machine.clock, c.listener.Measuring)
	if b, ok := errors.AsType[*trial.BaselineError](err); ok {
		return nil, failed(baseSide, k, b.Result)
	}
	if err != nil {
		return nil, c.cannotRun(err)
	}
	if o.Stopped == trial.StopInterrupted {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		return nil, context.Canceled
	}
	if v := &o.Variants[0]; v.Verdict == trial.Failed {
		return nil, &StepError{Says: k.Name + " fails after the change: " + v.Explanation}
	}
	return o, nil
}

// samples are the values of the rounds.
func samples(o *trial.Outcome) (base, change []float64) {
	base, change = o.Baseline.Summary[o.Metric].Samples, o.Variants[0].Summary[o.Metric].Samples
	n := min(len(base), len(change))
	return base[:n], change[:n]
}

// calibrate runs the base against a copy of it. Where that alone would be an alarm, the
// limit is raised.
func (c *checking) calibrate(ctx context.Context, k *task, budget time.Duration, r *rules) error {
	if c.sides == againSide {
		c.listener.Step("copying the base, to run it against itself")
		cp, err := tool.Find("cp")
		if err != nil {
			return err
		}
		from, to := c.stage.path(baseSide, ""), c.stage.side(againSide)
		res, err := c.runner.Run(ctx, run.Spec{Args: []string{cp, "-a", "--reflink=auto", from, to}, Env: c.request.Env, Dir: c.work})
		if err != nil {
			return err
		}
		if res.End.Failed() {
			return fmt.Errorf("copying the base: %s: %s", res.End, res.StderrTail)
		}
		c.sides++
	}
	part := time.Duration(calibrating * float64(budget))
	plan := c.plan(k, part, againSide)
	plan.Variants[0].Name = "the base again"
	first := r.looks.FirstLook()
	// A few rounds that alarm by chance would raise the limit by all that they do not
	// know: where they alarm, the rest of the time says whether it is so, and by how much.
	plan.Enough = func(base, again []float64) bool {
		return len(base) >= first && r.alarm(ratio(base, again, r.looks.Final(len(base)), false)) == 0
	}
	o, err := c.trial(ctx, plan, k)
	if unending := (*trial.UnendingError)(nil); errors.As(err, &unending) {
		c.notef("%s: a run takes so long that the budget of %s has no room for runs of the base against itself", k.Name, c.request.Budget)
		return nil
	}
	if err != nil {
		return err
	}
	base, again := samples(o)
	if len(base) == 0 {
		return nil
	}
	i := ratio(base, again, r.looks.Final(len(base)), false)
	a := &Calibration{Ratio: i.Estimate, Rounds: len(base), Noise: spreadOf(base, again)}
	if i.Low > 0 && !math.IsInf(i.High, 0) {
		a.Low, a.High = i.Low, i.High
	}
	perRound := o.Elapsed / float64(len(base)+1) // the warm-up is one too
	rounds := int((budget - part).Seconds() / perRound)
	if at := decides(a.Noise, rounds, len(c.commands)); !math.IsInf(at, 0) {
		a.Decides = at
	}
	if most := r.alarm(i); most > 0 {
		r.limit = most
		a.Raised = true
		a.Says = fmt.Sprintf("the base against itself differs by %s to %s, so the limit was raised to %s: this machine cannot decide below that in this budget", change(i.Low), change(i.High), percent.Text(r.limit))
		c.result.Limit = max(c.result.Limit, r.limit)
	} else if a.Decides > r.limit {
		a.Says = fmt.Sprintf("this machine cannot decide below %s in this budget: one round varies by %s", percent.Text(a.Decides), percent.Text(a.Noise))
	}
	if was := c.result.Calibration; was == nil || a.Raised && !was.Raised || a.Raised == was.Raised && a.Decides > was.Decides {
		c.result.Calibration = a
	}
	return nil
}

// noteRoom says that the budget had no room for a verdict at all.
func (c *checking) noteRoom(o *trial.Outcome, r rules) {
	if need := r.looks.FewestRounds(); o.Rounds < need && o.Stopped == trial.StopBudget {
		c.notef("the budget had room for %d rounds of a run of each side; a verdict needs at least %d: give it more with --budget, or a smaller input", o.Rounds, need)
	}
	for _, n := range o.Notes {
		c.notef("%s", n)
	}
}

// sum gives the verdict on all commands.
func (c *checking) sum() {
	r := &c.result
	decides := &r.Commands[0]
	worst := func(v Verdict) int {
		return map[Verdict]int{Slower: 3, Undecided: 2, NotSlower: 1}[v]
	}
	high := func(k *Command) float64 {
		if k.Bound == nil {
			return math.Inf(1)
		}
		return k.High
	}
	known, bound := true, 0.0
	for i := range r.Commands {
		k := &r.Commands[i]
		if k.Bound == nil {
			known = false
		} else {
			bound = max(bound, *k.Bound)
		}
		switch a, b := worst(k.Verdict), worst(decides.Verdict); {
		case a > b, a == b && k.Verdict == Slower && k.Ratio > decides.Ratio, a == b && k.Verdict != Slower && high(k) > high(decides):
			decides = k
		}
		r.MoreMinutes += k.MoreMinutes
	}
	// A verdict shows that the machine could decide.
	if a := r.Calibration; a != nil && !a.Raised && decides.Verdict != Undecided {
		a.Says = ""
	}
	r.Verdict, r.Ratio, r.Low, r.High, r.Says = decides.Verdict, decides.Ratio, decides.Low, decides.High, decides.Says
	if len(r.Commands) > 1 {
		r.Says = decides.Name + ": " + r.Says
	}
	if known {
		r.Bound = &bound
	}
}

// interval is one of package stat as results have it.
func interval(i stat.Interval) *finding.Interval {
	return &finding.Interval{Estimate: i.Estimate, Low: i.Low, High: i.High}
}
