package referee

import (
	"fmt"
	"strings"

	"whyhot/internal/finding"
	"whyhot/internal/trial"
)

// Verdict is what the referee says of a change.
type Verdict string

// The verdicts.
const (
	Proved        Verdict = "proved"         // faster, the same work, on a workload that its author does not know too
	Faster        Verdict = "faster"         // measured, but a condition of proof is missing
	OnlyHere      Verdict = "only here"      // faster on the known workload, and not on the other one
	Slower        Verdict = "slower"         //
	Same          Verdict = "no difference"  //
	Unclear       Verdict = "unclear"        // more runs are needed
	OutputDiffers Verdict = "output differs" //
	LessWork      Verdict = "does less work" // it keeps results of earlier runs
	FailsTests    Verdict = "fails tests"    //
	Fails         Verdict = "fails"          // it does not build or run
	Nothing       Verdict = "nothing to try" // nothing that counts was changed
)

// Ruling is what became of a trial.
type Ruling struct {
	Verdict Verdict `json:"verdict"`
	// Ratio is the baseline's time over the variant's on the known workload, Heldout the
	// worst of the others; nil where there is none.
	Ratio   *finding.Interval `json:"ratio,omitempty"`
	Heldout *finding.Interval `json:"heldout,omitempty"`
	Says    string            `json:"says"`
	// Missing are the conditions that keep a faster change from being proved.
	Missing []string `json:"missing,omitempty"`
	// Changed are the files that the change consists of, Measures those that measure
	// and were changed: the baseline's were used.
	Changed  []string `json:"changed,omitempty"`
	Measures []string `json:"changed_measures,omitempty"`
	Baseline string   `json:"baseline"` // hashes of the trees
	Tree     string   `json:"tree"`
	Notes    []string `json:"notes,omitempty"`

	// Known and Unknown are the outcomes on the known workload, nil without one, and on
	// the others, which nobody but the record may see.
	Known   *trial.Outcome   `json:"-"`
	Unknown []*trial.Outcome `json:"-"`
}

// known judges by the workload that the author knows. It says whether the others have
// to be asked.
func (r *Ruling) known(o *trial.Outcome) (more bool) {
	r.Known = o
	v := &o.Variants[0]
	r.Notes = append(r.Notes, o.Notes...)
	r.Says = v.Explanation
	if i, ok := o.SpeedUp(v); ok {
		r.Ratio = &i
	}
	r.Verdict = verdictOf(v)
	if v.Verdict != trial.Faster {
		return false
	}
	if v.Compared != trial.ComparedWhole {
		r.miss("the outputs were not compared whole: %s", v.ComparedWhy)
	}
	if o.Stopped == trial.StopInterrupted {
		r.miss("the trial was interrupted")
	}
	return true
}

// unknown judges by a workload that the author does not know. What it says names
// neither the command nor what it writes.
func (r *Ruling) unknown(o *trial.Outcome) {
	r.Unknown = append(r.Unknown, o)
	v := &o.Variants[0]
	if i, ok := o.SpeedUp(v); ok && (r.Heldout == nil || i.Low < r.Heldout.Low) {
		r.Heldout = &i
	}
	verdict := verdictOf(v)
	switch {
	case verdict == Faster && v.Compared != trial.ComparedWhole:
		r.miss("the outputs of the held-out workload were not compared whole")
	case verdict == Faster:
	case verdict == Same || verdict == Slower:
		r.Verdict = OnlyHere
		r.Says = fmt.Sprintf("faster on the known workload, %s on the held-out one: the gain is not general", verdict)
	case verdict == Unclear:
		r.miss("the held-out workload gave no clear answer; a larger budget may")
	default:
		r.Verdict = verdict
		r.Says = "on the held-out workload: " + string(verdict)
	}
}

func verdictOf(v *trial.VariantArm) Verdict {
	switch v.Verdict {
	case trial.Faster:
		return Faster
	case trial.Slower:
		return Slower
	case trial.Same, trial.NoEffect, trial.LayoutNoise:
		return Same
	case trial.Different:
		return OutputDiffers
	case trial.Failed:
		switch {
		case strings.Contains(v.Explanation, stateMark):
			return LessWork
		case strings.Contains(v.Explanation, "fails the tests") || strings.Contains(v.Explanation, "tests of"):
			return FailsTests
		}
		return Fails
	case trial.Unclear:
	}
	return Unclear
}

func (r *Ruling) miss(format string, args ...any) {
	r.Missing = append(r.Missing, fmt.Sprintf(format, args...))
}
