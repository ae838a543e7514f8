package experiment

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"whyhot/internal/trial"
	"whyhot/internal/trial/variant"
)

// smallGain is the difference up to which a built variant is tried in several
// layouts. Where code lies alone was seen to move run times by some per cent
// (docs/decisions/0062-layouts.md).
const smallGain = 0.05

// tryLayouts tries those built variants once more, in several layouts of baseline
// and variant, whose gain or loss is so small that the layout may be all there is
// to it. What it finds out replaces what the outcome says of them. Where it
// cannot, the outcome stands, with a note.
func (e *experiment) tryLayouts(ctx context.Context, o *trial.Outcome) {
	n := e.request.Layouts
	small := smallGains(e.plan.Variants, o)
	if n == 0 || len(small) == 0 || o.Metric == trial.Instructions || o.Stopped == trial.StopInterrupted {
		return
	}
	names := make([]string, len(small))
	for i, v := range small {
		names[i] = v.Name
	}
	e.listener.Remark(fmt.Sprintf("%s: less than %.0f%%, which the place of the code alone can make: building %d layouts of baseline and variant", strings.Join(names, ", "), 100*smallGain, n))
	if err := e.measureLayouts(ctx, small, o); err != nil {
		o.Notes = append(o.Notes, fmt.Sprintf("the layouts could not be tried, so that small differences hold for one layout only: %v", err))
	}
}

func (e *experiment) measureLayouts(ctx context.Context, small []variant.Variant, o *trial.Outcome) error {
	w, n := e.workshop, e.request.Layouts
	failures, notes := len(w.Failures), len(w.Notes)
	err := w.Add(ctx, layoutsToBuild(small, n))
	remarkFailures(w, failures, e.listener)
	if err != nil {
		return err
	}
	o.Notes = addNew(o.Notes, w.Notes[notes:])
	plan := e.plan
	plan.Earlier = nil
	if plan.Layouts = w.Layouts(nil, n); len(plan.Layouts) < FewestLayouts {
		o.Notes = append(o.Notes, "the build takes no alignment flags, so that there is only one layout to try")
		return nil
	}
	plan.Variants = slices.Clone(small)
	for i := range plan.Variants {
		v := &plan.Variants[i]
		v.Layouts = w.Layouts(v.Build, n)
	}
	again, disturbed, err := e.measure(ctx, plan)
	if again == nil {
		return err
	}
	adopt(o, again)
	for _, d := range disturbed {
		if !slices.Contains(o.Notes, d) {
			o.Notes = append(o.Notes, "in the second trial, "+d)
		}
	}
	return err
}

// smallGains are the built variants with a small difference.
func smallGains(variants []variant.Variant, o *trial.Outcome) []variant.Variant {
	var out []variant.Variant
	for i := range o.Variants {
		v := &o.Variants[i]
		r, ok := o.SpeedUp(v)
		at := slices.IndexFunc(variants, func(x variant.Variant) bool { return x.Name == v.Name })
		if ok && at >= 0 && variants[at].Build != nil && (v.Verdict == trial.Faster || v.Verdict == trial.Slower) && math.Abs(r.Estimate-1) < smallGain {
			out = append(out, variants[at])
		}
	}
	return out
}

// layoutsToBuild are the other layouts of the baseline and of each variant, one
// alignment after the other.
func layoutsToBuild(small []variant.Variant, n int) []*variant.Build {
	all := make([][]variant.LaidOut, 0, 1+len(small))
	all = append(all, variant.Alignments(nil, n-1))
	for _, v := range small {
		all = append(all, variant.Alignments(v.Build, n-1))
	}
	out := make([]*variant.Build, 0, len(all)*(n-1))
	for i := range n - 1 {
		for _, layouts := range all {
			out = append(out, layouts[i].Build)
		}
	}
	return out
}

// adopt puts what a trial of several layouts says in place of what the first
// said.
func adopt(o, again *trial.Outcome) {
	o.Baseline.Layouts = again.Baseline.Layouts
	for i := range again.Variants {
		from := &again.Variants[i]
		at := slices.IndexFunc(o.Variants, func(v trial.VariantArm) bool { return v.Name == from.Name })
		if at < 0 || from.AcrossLayouts == nil {
			continue
		}
		to := &o.Variants[at]
		to.Verdict, to.Explanation, to.Ratios = from.Verdict, from.Explanation, from.Ratios
		to.AcrossLayouts, to.Layouts = from.AcrossLayouts, from.Layouts
		o.Notes = append(o.Notes, fmt.Sprintf("%s: decided by a second trial of %d runs, shared among %d layouts of the baseline and %d of the variant",
			from.Name, again.Rounds, len(o.Baseline.Layouts), len(to.Layouts)))
	}
	o.Elapsed += again.Elapsed
}
