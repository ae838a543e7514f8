package trials

import (
	"fmt"
	"slices"

	"whyhot/internal/report/term"
	"whyhot/internal/trial"
	"whyhot/internal/trial/archive"
)

// PrintBest says how to have the best of the variants that pay, where there is
// one.
func PrintBest(p *term.Printer, o *trial.Outcome) {
	best := o.Best()
	switch {
	case best == nil:
	case best.Build == nil:
		p.Hint("run it so", commandOf(best, o)...)
	case best.Build.Label == "": // a labelled build only stands for a change of the source
		p.Line()
		p.Line("how " + term.Clean(best.Name) + " was built:")
		for _, s := range best.Build.Steps {
			p.Line("  " + term.Clean(s))
		}
		for _, kv := range best.Changes {
			p.Line("  run with " + term.Clean(kv))
		}
	}
}

// commandOf is the command line of a variant that is not built.
func commandOf(v *trial.VariantArm, o *trial.Outcome) []string {
	words := o.Command
	if v.Command != nil {
		words = v.Command
	}
	if len(v.Changes) == 0 {
		return words
	}
	return slices.Concat([]string{"env"}, v.Changes, words)
}

// Repetition says, a line each, what has changed since the trial that now
// repeats, and whether its results hold.
func Repetition(was, now *archive.Record) []string {
	changes, results := archive.Changes(was, now), archive.Compare(was, now)
	out := make([]string, 0, len(changes)+len(results))
	for _, c := range changes {
		out = append(out, "changed since: "+c)
	}
	when := was.Time.Local().Format("2006-01-02 15:04") //nolint:gosmopolitan // people read their own clock
	for _, rep := range results {
		out = append(out, fmt.Sprintf("%s: the result of %s %s: %s then, %s now", rep.Variant, when, rep.Answer, resultText(rep.Was), resultText(rep.Now)))
	}
	return out
}

func resultText(r *archive.Result) string {
	switch {
	case r == nil:
		return "not tried"
	case r.Ratio == nil:
		return string(r.Verdict)
	}
	caveat := ""
	if r.Caveat != "" {
		caveat = ", " + r.Caveat
	}
	return fmt.Sprintf("%s (%.3f×, %.3f to %.3f)%s", r.Verdict, r.Ratio.Estimate, r.Ratio.Low, r.Ratio.High, caveat)
}
