package main

import (
	"context"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"whyhot/internal/finding/percent"
	"whyhot/internal/trial"
	"whyhot/internal/trial/rebuild"
	"whyhot/internal/trial/run"
	"whyhot/internal/trial/stat"
	"whyhot/internal/trial/variant"
)

// smallGain is the difference up to which a built variant is tried in several
// layouts. Where code lies alone was seen to move run times by some per cent
// (docs/decisions/0062-layouts.md).
const smallGain = 0.05

// layoutFlags are flags that move code and change nothing else. gcc and clang
// know both options, rustc takes LLVM's (as powers of two).
var layoutFlags = []variant.Build{
	{CFlags: "-falign-functions=64", RustFlags: "-Cllvm-args=-align-all-functions=6"},
	{CFlags: "-falign-functions=32 -falign-loops=32", RustFlags: "-Cllvm-args=-align-all-functions=5 -Cllvm-args=-align-all-nofallthru-blocks=5"},
	{CFlags: "-falign-functions=128", RustFlags: "-Cllvm-args=-align-all-functions=7"},
	{CFlags: "-falign-functions=16 -falign-loops=64", RustFlags: "-Cllvm-args=-align-all-functions=4 -Cllvm-args=-align-all-nofallthru-blocks=6"},
}

func (f *tryFlags) registerLayouts(cmd *cobra.Command) {
	const usual = 4
	cmd.Flags().IntVar(&f.layouts, "layouts", usual, fmt.Sprintf("with --build: how many layouts of both sides decide on a variant that differs by less than %s; 0 for none", percent.Text(smallGain)))
}

func (f *tryFlags) checkLayouts() error {
	if f.layouts < 0 || f.layouts == 1 || f.layouts > len(layoutFlags)+1 {
		return fmt.Errorf("--layouts: from %d to %d layouts, or 0 for none", stat.FewestLayouts, len(layoutFlags)+1)
	}
	return nil
}

// layOut tries those built variants once more, in several layouts of both sides,
// whose gain or loss is so small that the layout may be all there is to it. plan
// is the plan as it was before anything was built. What it finds out replaces
// what the outcome says of them.
func (f *tryFlags) layOut(ctx context.Context, plan trial.Plan, o *trial.Outcome, runner run.Runner, errOut io.Writer) error {
	small := f.smallGains(plan.Variants, o)
	if f.layouts == 0 || len(small) == 0 || o.Metric == trial.Instructions || o.Stopped == trial.StopInterrupted {
		return nil
	}
	names := make([]string, len(small))
	for i, v := range small {
		names[i] = v.Name
	}
	_, _ = fmt.Fprintf(errOut, "%s: less than %s, which the place of the code alone can make: building %d layouts of both sides\n", strings.Join(names, ", "), percent.Text(smallGain), f.layouts)
	g := *f
	g.plan = plan
	g.plan.Variants = withLayouts(small, f.layouts)
	workshop, err := g.prepare(ctx, errOut)
	if err != nil {
		return err
	}
	defer closeWorkshop(workshop, f.build.o.Keep, errOut)
	g.plan.Layouts = layoutsAt(workshop, nil, f.layouts)
	if len(g.plan.Layouts) < stat.FewestLayouts {
		o.Notes = append(o.Notes, "the build takes no alignment flags, so that there is only one layout to try")
		return nil
	}
	g.plan.Variants = g.plan.Variants[:len(small)]
	for i := range g.plan.Variants {
		v := &g.plan.Variants[i]
		v.Layouts = layoutsAt(workshop, v.Build, f.layouts)
	}
	again, err := measureTry(ctx, &g, runner, errOut)
	if again == nil {
		return err
	}
	adopt(o, again)
	return err
}

// smallGains are the built variants with a small difference.
func (f *tryFlags) smallGains(variants []variant.Variant, o *trial.Outcome) []variant.Variant {
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

// withLayouts appends to the variants what else has to be built: the other
// layouts of the baseline and of each of them.
func withLayouts(small []variant.Variant, n int) []variant.Variant {
	out := slices.Clone(small)
	for _, l := range layoutFlags[:n-1] {
		for _, b := range append([]*variant.Build{nil}, builds(small)...) {
			laid := laidOut(b, l)
			out = append(out, variant.Variant{Name: "layout " + laid.Name(), Build: laid})
		}
	}
	return out
}

func builds(variants []variant.Variant) []*variant.Build {
	out := make([]*variant.Build, len(variants))
	for i := range variants {
		out[i] = variants[i].Build
	}
	return out
}

// laidOut is a build, nil for the baseline's, with the flags of a layout behind
// its own.
func laidOut(b *variant.Build, layout variant.Build) *variant.Build {
	if b == nil {
		return &layout
	}
	out := *b
	out.CFlags = strings.TrimSpace(out.CFlags + " " + layout.CFlags)
	out.RustFlags = strings.TrimSpace(out.RustFlags + " " + layout.RustFlags)
	if out.Label != "" {
		out.Label += " " + layout.CFlags
	}
	return &out
}

// layoutsAt are the places of a build's layouts, the build itself first. Those
// that could not be built, or are the same program again, are left out.
func layoutsAt(w *rebuild.Workshop, b *variant.Build, n int) []variant.Layout {
	out := []variant.Layout{{Name: "as it is"}}
	for _, l := range layoutFlags[:n-1] {
		built := w.Built(laidOut(b, l))
		if built == nil || built.Failed != "" || built.Same != "" {
			continue
		}
		out = append(out, variant.Layout{Name: l.CFlags, Dir: built.Dir, Env: built.Env})
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
