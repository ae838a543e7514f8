package trial

import (
	"slices"

	"whyhot/internal/finding"
	"whyhot/internal/finding/percent"
	"whyhot/internal/trial/stat"
)

// outcome turns the state at the end into the result.
func (t *trial) outcome(stopped Stop) *Outcome {
	o := &Outcome{
		Version: OutcomeVersion, Command: t.plan.Command, Directory: t.plan.Dir,
		Metric: t.plan.Metric, Unit: t.plan.unit(t.plan.Metric), HigherIsBetter: t.plan.higherIsBetter(t.plan.Metric),
		Started: t.start, Elapsed: t.elapsed().Seconds(), Stopped: stopped, Seed: t.plan.Seed, Rounds: t.rounds,
		Level: t.rules.Level, EachLevel: t.rules.Each(), Band: t.rules.Band,
		Machine: Machine{Pinned: t.plan.Pin},
	}
	if e := t.plan.Earlier; e != nil {
		o.Continued, o.Started = e.Continued+1, e.Started
		o.Elapsed += e.Elapsed
		t.notef("%d of the %d rounds are those of the earlier trial; the joint confidence of all intervals is %.4g%% now, because earlier numbers are used again", e.Rounds, t.rounds, 100*t.rules.Level)
	}
	level := t.rules.Final(t.rounds)
	if stopped == StopSettled {
		level = t.rules.Interim(t.rounds)
	}
	o.Baseline = t.armOf(t.base())
	for _, a := range t.arms[1:] {
		o.Variants = append(o.Variants, t.variantOf(a, level))
	}
	t.noteOutputs(o)
	t.noteLoad()
	t.noteDrift()
	t.noteWarmUp()
	t.noteTree()
	t.notePeak()
	o.Notes = t.notes
	return o
}

func (t *trial) armOf(a *arm) Arm {
	out := Arm{Name: a.name(), Runs: len(a.results), Summary: map[Metric]Summary{}, Layouts: t.layoutsOf(a)}
	if a.variant != nil {
		out.Changes = a.variant.Changes()
		out.Command, out.Directory = a.variant.Command, a.variant.Dir
		out.Build = buildOf(a.variant)
	}
	if a.first != nil {
		out.Outputs = prints(a.first)
		out.ExitCode = a.first.End.Status()
	}
	for _, m := range Metrics() {
		vs := t.values(a, m)
		if len(vs) > 0 && len(vs) == len(a.results) {
			out.Summary[m] = Summary{Median: stat.Median(vs), Min: slices.Min(vs), Max: slices.Max(vs), Samples: vs}
		}
	}
	// Small programs: getrusage cannot tell, but the watched run could.
	if _, known := out.Summary[Memory]; !known && a.first != nil && a.first.PeakRSS > 0 && len(a.results) > 0 {
		peak := float64(a.first.PeakRSS)
		out.Summary[Memory] = Summary{Median: peak, Min: peak, Max: peak, Samples: []float64{peak}}
	}
	return out
}

// variantOf is what the trial says of an arm; a verdict asks for the level of its end.
func (t *trial) variantOf(a *arm, level float64) VariantArm {
	v := VariantArm{Arm: t.armOf(a), Ratios: map[Metric]finding.Interval{}}
	if a.variant.Preload != nil {
		v.Library = a.variant.Preload.Path
		if a.first != nil {
			if l := loadingOf(a.first); l.known {
				v.Loaded = &l.loaded
			}
		}
	}
	verdict := stat.Unclear
	for _, m := range Metrics() {
		base, other := t.pairs(a, m)
		if m == t.plan.Metric && len(base) > 0 && a.out == "" {
			v.Estimate = stat.Pair(base, other).Estimate()
		}
		if len(base) == 0 || len(base) < t.rounds {
			continue
		}
		var i stat.Interval
		var judged stat.Verdict
		switch {
		case m == t.plan.Metric && t.exact(base, other):
			i = stat.Range(base, other)
			judged = t.rules.JudgeRange(i)
		case len(base) < t.rules.FewestRounds():
			continue
		case m == t.plan.Metric:
			judged, i = t.rules.Judge(stat.Pair(base, other), level)
		default:
			i = stat.Pair(base, other).Interval(t.rules.Each())
		}
		v.Ratios[m] = finding.Interval{Estimate: i.Estimate, Low: i.Low, High: i.High}
		if m == t.plan.Metric {
			verdict = judged
		}
	}
	v.Verdict = t.judgeLayouts(a, &v, verdict)
	if (v.Verdict == Faster || v.Verdict == Slower) && t.contradicted(a, verdict) {
		v.Verdict, v.disturbed = Unclear, true
	}
	if a.out != "" {
		v.Verdict = a.out
		v.Ratios = nil
	} else {
		t.judgeWork(a, &v)
		t.inherit(a, &v)
	}
	v.Explanation = t.explain(a, &v)
	return v
}

// judgeWork takes the verdict back from a variant that does not do the baseline's
// work, or may not.
func (t *trial) judgeWork(a *arm, v *VariantArm) {
	c := t.compareOutputs(a)
	v.Compared, v.ComparedWhy = c.how, c.why
	switch {
	case c.difference != nil:
		v.Verdict, v.FirstDifference, v.ComparedWhy = Different, c.difference, ""
		v.Differs = t.difference(a, c.difference)
	case c.doubt && v.Verdict != Same && v.Verdict != Unclear:
		v.Verdict, v.doubt = Unclear, c.why
	}
}

// noteWarmUp says that the first measured runs were still warming up: each arm's
// took longer than all its later ones, by more than chance gives.
func (t *trial) noteWarmUp() {
	const clearly = 1.05
	if t.rounds < t.rules.FewestRounds() || t.plan.Metric == Number {
		return
	}
	for _, a := range t.running() {
		vs := t.values(a, t.plan.Metric)
		if len(vs) < 2 || vs[0] < clearly*slices.Max(vs[1:]) {
			return
		}
	}
	t.notef("the first measured run of each took longer than all later ones: the warm-up was too short; whyhot try has --warm-up %d for that", t.plan.WarmUps+1)
}

// noteDrift says that the machine changed under the trial.
func (t *trial) noteDrift() {
	const certain, worthSaying = 0.01, 0.03
	d := stat.Drift(t.values(t.base(), t.plan.Metric))
	if d.P > certain || d.Change < worthSaying && d.Change > -worthSaying {
		return
	}
	word := "up"
	if d.Change < 0 {
		word = "down"
	}
	t.notef("the baseline's %s went %s by %s during the trial (heat, load or caches); ratios compare runs of one round, which are affected alike",
		t.plan.noun(t.plan.Metric), word, percent.Text(max(d.Change, -d.Change)))
}

func (t *trial) noteTree() {
	for _, a := range t.arms {
		left := 0
		if a.first != nil {
			left = a.first.LeftRunning
		}
		for _, r := range a.results {
			left = max(left, r.LeftRunning)
		}
		if left > 0 {
			t.notef("%s: the command left %d process(es) running, which were terminated after each run", a.name(), left)
		}
	}
}

func (t *trial) notePeak() {
	if t.base().first == nil {
		return
	}
	pids := map[int]bool{}
	for _, p := range t.base().first.Processes {
		pids[p.PID] = true
	}
	if len(pids) > 1 {
		t.notef("peak memory is that of the largest single process (the command starts others)")
	}
}
