package trial

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"whyhot/internal/trial/run"
)

// checkEarlier finds out whether a plan goes on with an earlier trial: the same
// variants, measured by the same metric.
func (p *Plan) checkEarlier() error {
	e := p.Earlier
	if e == nil {
		return nil
	}
	names := func(o *Outcome) (out []string) {
		for i := range o.Variants {
			out = append(out, o.Variants[i].Name)
		}
		return out
	}
	var planned []string
	for i := range p.Variants {
		planned = append(planned, p.Variants[i].Name)
	}
	switch {
	case e.Metric != p.Metric:
		return fmt.Errorf("the earlier trial was decided by %s, not by %s", e.Metric, p.Metric)
	case !slices.Equal(names(e), planned):
		return fmt.Errorf("the earlier trial had the variants %q, not %q", names(e), planned)
	case e.Rounds == 0:
		return errors.New("the earlier trial measured nothing")
	case len(e.Baseline.Layouts) > 0:
		return errors.New("the earlier trial was decided by several layouts, to which no runs can be added")
	}
	return nil
}

// resume takes over the rounds of the earlier trial. The warm-up has shown by then
// that the baseline still writes the same, where that can be told.
func (t *trial) resume() error {
	e := t.plan.Earlier
	if e == nil {
		return nil
	}
	if err := t.sameOutputs(e); err != nil {
		return err
	}
	t.rounds = e.Rounds
	t.base().results = resultsOf(&e.Baseline)
	for i := range e.Variants {
		a := t.arms[1+i]
		a.results = resultsOf(&e.Variants[i].Arm)
		if v := &e.Variants[i]; len(a.results) < e.Rounds && a.out == "" {
			a.out, a.why = v.Verdict, v.Explanation
		}
	}
	for _, a := range t.arms {
		a.laid = make([]int, len(a.results))
	}
	// The end of the earlier trial has spent the error that all looks together may
	// make: what comes after it asks for much more (bench/trial.md).
	const part = 5
	t.rules.From = e.Rounds // what was continued is looked at first
	t.rules.Level = 1 - (1-t.rules.Level)/math.Pow(part, float64(e.Continued+1))
	return nil
}

// sameOutputs compares what the baseline writes with what it wrote then, unless
// that varied.
func (t *trial) sameOutputs(e *Outcome) error {
	if slices.ContainsFunc(e.Variants, func(v VariantArm) bool { return v.Compared == ComparedPart || v.Compared == NotCompared }) {
		return nil
	}
	if now := prints(t.base().first); !slices.Equal(e.Baseline.Outputs, now) {
		return errors.New("the baseline writes something else than in the earlier trial, so that no runs can be added to it")
	}
	return nil
}

// resultsOf are the runs of an arm as far as its samples tell.
func resultsOf(a *Arm) []*run.Result {
	out := make([]*run.Result, a.Runs)
	for i := range out {
		out[i] = &run.Result{}
		for m, s := range a.Summary {
			if len(s.Samples) != a.Runs {
				continue
			}
			v := s.Samples[i]
			switch m {
			case Wall:
				out[i].Wall = seconds(v)
			case CPU:
				out[i].User = seconds(v)
			case Memory:
				out[i].PeakRSS = int64(v)
			case Faults:
				out[i].MinorFaults = int64(v)
			case Instructions:
				out[i].Instructions = v
			case Number:
				out[i].Number = v
			}
		}
	}
	return out
}

func seconds(v float64) time.Duration { return time.Duration(math.Round(v * float64(time.Second))) }

// inherit keeps what the earlier trial found out about a variant's work and the
// new runs are too few for: an output that differed then is not the baseline's
// now.
func (t *trial) inherit(a *arm, v *VariantArm) {
	if t.plan.Earlier == nil || a.out != "" {
		return
	}
	at := slices.IndexFunc(t.plan.Earlier.Variants, func(x VariantArm) bool { return x.Name == v.Name })
	was := &t.plan.Earlier.Variants[at]
	switch {
	case was.Verdict == Different && v.Verdict != Different:
		v.Verdict, v.FirstDifference, v.inherited = Different, was.FirstDifference, was.Explanation
	case v.Compared == NotCompared && was.Compared == ComparedPart:
		v.Compared, v.ComparedWhy = was.Compared, "in the earlier trial, which had more runs, the output that varies was compared in part"
	}
}
