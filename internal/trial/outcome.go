package trial

import (
	"time"

	"whyhot/internal/finding"
	"whyhot/internal/trial/run"
)

// OutcomeVersion is the version of the JSON form.
const OutcomeVersion = 1

// Verdict is what a trial says of a variant.
type Verdict = finding.Verdict

// The verdicts.
const (
	Faster      = finding.Faster
	Slower      = finding.Slower
	Same        = finding.Same
	Unclear     = finding.Unclear
	Different   = finding.Different
	Failed      = finding.Failed
	NoEffect    = finding.NoEffect
	LayoutNoise = finding.LayoutNoise
)

// Stop is why a trial ended.
type Stop string

// The reasons.
const (
	StopSettled     Stop = "settled"     // more runs would teach nothing
	StopBudget      Stop = "budget"      // the time was spent
	StopRounds      Stop = "runs"        // the number of runs asked for was reached
	StopInterrupted Stop = "interrupted" // by the user
	StopFailed      Stop = "failed"      // the baseline, or every variant, could no longer be run
)

// Outcome is the whole result of a trial.
type Outcome struct {
	Version   int      `json:"version"`
	Command   []string `json:"command"`
	Directory string   `json:"directory,omitempty"`
	Metric    Metric   `json:"metric"`
	Unit      string   `json:"unit"`
	// HigherIsBetter is for numbers that the command prints. Ratios are above 1
	// for what is better either way.
	HigherIsBetter bool      `json:"higher_is_better,omitempty"`
	Started        time.Time `json:"started"`
	Elapsed        float64   `json:"elapsed_seconds"`
	Stopped        Stop      `json:"stopped"`
	Seed           uint64    `json:"seed"`
	Rounds         int       `json:"rounds"`
	// Continued is how often more rounds were added to the trial.
	Continued int `json:"continued,omitempty"`
	// Level holds for all verdicts together, EachLevel for one of them; they differ
	// when there is more than one variant. The interval of a difference holds at
	// least at EachLevel, however often the numbers were looked at.
	Level     float64      `json:"level"`
	EachLevel float64      `json:"each_level"`
	Band      float64      `json:"band"` // ratios this close to 1 are no difference
	Machine   Machine      `json:"machine"`
	Baseline  Arm          `json:"baseline"`
	Variants  []VariantArm `json:"variants"`
	Notes     []string     `json:"notes,omitempty"`
	// Failing is the condition of --fail-if, nil where none was given.
	Failing *FailIf `json:"fail_if,omitempty"`
}

// Machine is where the trial ran.
type Machine struct {
	CPUs   int    `json:"cpus"`
	Model  string `json:"model,omitempty"`
	Kernel string `json:"kernel,omitempty"`
	Pinned []int  `json:"pinned,omitempty"`
}

// Arm is one of the things compared.
type Arm struct {
	Name    string   `json:"name"`
	Changes []string `json:"changes,omitempty"` // K=V to repeat it by hand
	Command []string `json:"command,omitempty"` // where it is not the trial's
	// Directory is where it ran, where that is not the trial's.
	Directory string             `json:"directory,omitempty"`
	Build     *Build             `json:"build,omitempty"`
	Runs      int                `json:"runs"`
	Summary   map[Metric]Summary `json:"summary,omitempty"` // metrics that are known
	Outputs   []Print            `json:"outputs,omitempty"` // of the first run
	// Layouts are the ways in which the program was placed in memory, where there
	// are several.
	Layouts []LayoutOutcome `json:"layouts,omitempty"`
	// ExitCode is that of the first run.
	ExitCode int `json:"exit_code"`
}

// Summary is one metric of one arm, in the metric's unit; Samples are in the
// order of the rounds.
type Summary struct {
	Median  float64   `json:"median"`
	Min     float64   `json:"min"`
	Max     float64   `json:"max"`
	Samples []float64 `json:"samples"`
}

// Print is the fingerprint of an output.
type Print struct {
	Name    string `json:"name"`
	Length  int64  `json:"length"`
	SHA256  string `json:"sha256,omitempty"`
	Written bool   `json:"written"`
}

// VariantArm is a variant and what the trial says of it.
type VariantArm struct {
	Arm

	// Estimate is the ratio of the metric that decides, as Ratios has it, also where
	// there are too few runs for an interval.
	Estimate float64 `json:"estimate,omitempty"`
	// Ratios are baseline over variant for every metric known for both, each the
	// median of what pairs of rounds say: above 1 the variant takes less.
	Ratios      map[Metric]finding.Interval `json:"ratios,omitempty"`
	Verdict     Verdict                     `json:"verdict"`
	Explanation string                      `json:"explanation"` // the verdict in a sentence
	// AcrossLayouts is the ratio that decides with an interval that holds for other
	// layouts of both sides too, where there are several.
	AcrossLayouts *finding.Interval `json:"across_layouts,omitempty"`
	inherited     string            // explanation of the verdict that an earlier trial gave
	doubt         string            // why it cannot be told whether outputs are the same
	disturbed     bool              // the wall time says something that the CPU time does not
	// Compared says how far the variant's outputs were compared with the baseline's,
	// ComparedWhy why no further.
	Compared    Compared `json:"compared,omitempty"`
	ComparedWhy string   `json:"compared_why,omitempty"`
	// FirstDifference is where an output differs from the baseline's.
	FirstDifference *Difference `json:"first_difference,omitempty"`
	// Differs is that difference in words; the explanation has it in a sentence.
	Differs string `json:"-"`
	// Library is the preloaded file, Loaded whether it was seen in the program.
	Library string `json:"library,omitempty"`
	Loaded  *bool  `json:"loaded,omitempty"`
}

// SpeedUp is the ratio of the metric that decides; ok is false when there is
// none.
func (o *Outcome) SpeedUp(v *VariantArm) (i finding.Interval, ok bool) {
	i, ok = v.Ratios[o.Metric]
	return i, ok
}

// Trials are the variants as findings carry them. Variants without a ratio said
// nothing and are left out.
func (o *Outcome) Trials() []finding.Trial {
	var out []finding.Trial
	for i := range o.Variants {
		v := &o.Variants[i]
		ratio, ok := o.SpeedUp(v)
		if !ok {
			continue
		}
		out = append(out, finding.Trial{
			Variant: v.Name, Command: o.Command, Runs: v.Runs, SpeedUp: ratio, Verdict: v.Verdict,
		})
	}
	return out
}

func prints(r *run.Result) []Print {
	out := make([]Print, 0, 1+len(r.Outputs))
	out = append(out, toPrint(r.Stdout))
	for _, o := range r.Outputs {
		out = append(out, toPrint(o))
	}
	return out
}

func toPrint(o run.Output) Print {
	return Print{Name: o.Name, Length: o.Length, SHA256: o.SHA256, Written: o.Written}
}

// Best is the best of the variants that pay, nil when none does.
func (o *Outcome) Best() *VariantArm {
	var best *VariantArm
	ratio := 1.0
	for i := range o.Variants {
		v := &o.Variants[i]
		if r, ok := o.SpeedUp(v); ok && v.Verdict == Faster && r.Estimate > ratio {
			best, ratio = v, r.Estimate
		}
	}
	return best
}
