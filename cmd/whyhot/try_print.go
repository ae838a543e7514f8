package main

import (
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	"whyhot/internal/finding"
	"whyhot/internal/finding/ledger"
	"whyhot/internal/report/term"
	"whyhot/internal/report/trials"
	"whyhot/internal/trial"
)

func (f *tryFlags) print(cmd *cobra.Command, o *trial.Outcome) error {
	if f.json {
		return writeJSON(cmd.OutOrStdout(), o)
	}
	p := term.New(cmd.OutOrStdout(), os.Environ())
	trials.Print(p, o)
	if f.whatIf.asked() {
		return p.Err() // the source is to be edited, not this build to be used
	}
	if best := bestVariant(o); best != nil && best.Build != nil {
		printBuild(p, best)
	} else if best != nil {
		p.Hint("run it so", append(append([]string{"env"}, best.Changes...), o.Command...)...)
	}
	return p.Err()
}

// printBuild says how the best variant was built.
func printBuild(p *term.Printer, v *trial.VariantArm) {
	p.Line()
	p.Line("how " + term.Clean(v.Name) + " was built:")
	for _, s := range v.Build.Steps {
		p.Line("  " + term.Clean(s))
	}
	for _, kv := range v.Changes {
		p.Line("  run with " + term.Clean(kv))
	}
}

// bestVariant is the fastest of those that pay, nil when none does.
func bestVariant(o *trial.Outcome) *trial.VariantArm {
	var best *trial.VariantArm
	ratio := 1.0
	for i := range o.Variants {
		v := &o.Variants[i]
		if r, ok := o.SpeedUp(v); ok && v.Verdict == trial.Faster && r.Estimate > ratio {
			best, ratio = v, r.Estimate
		}
	}
	return best
}

// attach keeps the outcome beside the profile and says what became of the
// finding.
func (f *tryFlags) attach(o *trial.Outcome, errOut io.Writer) error {
	id, ts := f.whatIf.judged(f.profile, f.finding, o.Trials())
	if id == "" {
		return nil
	}
	if len(ts) == 0 {
		_, _ = fmt.Fprintf(errOut, "finding %s: nothing kept, since no variant was measured often enough\n", id)
		return nil
	}
	if err := ledger.Append(f.profile, id, ts); err != nil {
		return err
	}
	all, err := ledger.Load(f.profile)
	if err != nil {
		return err
	}
	text := "neither proved nor refuted yet"
	if c := ledger.Certainty(all[id]); c == finding.Proved || c == finding.Refuted {
		text = string(c)
	}
	_, _ = fmt.Fprintf(errOut, "finding %s: %s; kept in %s\n", id, text, ledger.Path(f.profile))
	return nil
}
