package check

import (
	"time"

	"whyhot/internal/finding"
	"whyhot/internal/trial"
)

// ResultVersion is the version of the JSON form (docs/check.schema.json).
const ResultVersion = 1

// Verdict is what a check says of a change.
type Verdict string

// The verdicts.
const (
	Slower    Verdict = "slower"     // by more than the limit
	NotSlower Verdict = "not slower" // by more than Bound, which is at most the limit
	Undecided Verdict = "undecided"  // more runs are needed
	Identical Verdict = "identical"  // the change alters nothing that runs
)

// Result is what a check comes to. Ratios are those of the change over the base: 1.05 takes
// 5% more.
type Result struct {
	Version int     `json:"version"`
	Verdict Verdict `json:"verdict"` // of all commands: the worst of theirs
	Says    string  `json:"says"`    // the verdict in a sentence
	Base    string  `json:"base"`    // the revision as it was given
	// BaseCommit is the commit that the change was compared with: where the change left BASE.
	BaseCommit string `json:"base_commit,omitempty"`
	// Ratio, Low and High are those of the command that decides: the slowest where one is
	// slower, else the one whose bound is highest. 0 where nothing was measured.
	Ratio float64 `json:"ratio,omitempty"`
	Low   float64 `json:"low,omitempty"`
	High  float64 `json:"high,omitempty"`
	Limit float64 `json:"limit"` // a share: 0.02 is 2% more; as it was raised by the calibration
	// Bound is what was shown of all commands: none is slower by more than this share. Nil
	// where nothing is known.
	Bound *float64 `json:"bound,omitempty"`
	// Level is the joint confidence of all intervals and verdicts, over all commands and
	// however often the numbers were looked at.
	Level    float64   `json:"level,omitempty"`
	Metric   string    `json:"metric,omitempty"`
	Commands []Command `json:"commands,omitempty"`
	// Functions are those that take more than before, the most costly first; Moved are
	// those that do only because another one gave its work to them.
	Functions []Function `json:"functions,omitempty"`
	Moved     []Function `json:"moved,omitempty"`
	Findings  []Finding  `json:"findings,omitempty"`
	// Changed are the files that differ between the revisions.
	Changed     []string      `json:"changed,omitempty"`
	Bump        *Bump         `json:"dependencies,omitempty"`
	Calibration *Calibration  `json:"calibration,omitempty"`
	Proof       *Proof        `json:"proof,omitempty"`
	CPUSeconds  float64       `json:"cpu_seconds"` // builds, runs and recordings
	Elapsed     float64       `json:"elapsed_seconds"`
	MoreMinutes float64       `json:"more_minutes,omitempty"` // what a verdict needs beyond the budget, about
	Repeat      []string      `json:"repeat"`                 // the command line that makes the check again
	Machine     trial.Machine `json:"machine"`
	Notes       []string      `json:"notes,omitempty"`
	Time        time.Time     `json:"time"`
}

// Command is one of the measured commands.
type Command struct {
	Name    string   `json:"name"`
	Command []string `json:"command"`
	Verdict Verdict  `json:"verdict"`
	Says    string   `json:"says"`
	Ratio   float64  `json:"ratio,omitempty"`
	Low     float64  `json:"low,omitempty"`
	High    float64  `json:"high,omitempty"`
	Bound   *float64 `json:"bound,omitempty"`
	Rounds  int      `json:"rounds"`
	// Before and After are what a run takes, medians in Unit.
	Before float64 `json:"before,omitempty"`
	After  float64 `json:"after,omitempty"`
	Unit   string  `json:"unit,omitempty"`
	// OutputDiffers says how what the change writes differs from what the base wrote: then the
	// two may not do the same work.
	OutputDiffers string `json:"output_differs,omitempty"`
	// Layouts is the ratio over several layouts of the code of both sides, where the
	// difference was so small that a layout can make it.
	Layouts *finding.Interval `json:"across_layouts,omitempty"`
	// Samples are the values of each round, in their order.
	Samples     *Samples `json:"samples,omitempty"`
	MoreMinutes float64  `json:"more_minutes,omitempty"`
	Notes       []string `json:"notes,omitempty"`
}

// Different is how the output differs of the first command whose output does, empty where
// all write the same.
func (r *Result) Different() string {
	for i := range r.Commands {
		if k := &r.Commands[i]; k.OutputDiffers != "" {
			return k.Name + ": " + k.OutputDiffers
		}
	}
	return ""
}

// Samples are what the runs of a command took.
type Samples struct {
	Before []float64 `json:"before"`
	After  []float64 `json:"after"`
}

// Function is one whose cost changed. Before, After and Delta are shares of the CPU time
// of the base's runs: 0.12 is 12% of what the base took.
type Function struct {
	Name   string  `json:"name"`
	File   string  `json:"file,omitempty"` // from the root of the repository, where it is in it
	Line   int     `json:"line,omitempty"` // where it begins or, of a changed one, where it is hottest
	Binary string  `json:"binary,omitempty"`
	Before float64 `json:"before"`
	After  float64 `json:"after"`
	Delta  float64 `json:"delta"`
	P      float64 `json:"p"`             // after the correction for the number of functions
	Edited bool    `json:"edited"`        // the change touches its lines
	Why    string  `json:"why,omitempty"` // of one that moved: where its work was before
	// Callers is the hottest way to it, the outermost first.
	Callers []Frame `json:"callers,omitempty"`

	lineless bool // of the tree, in a program that has no line numbers
}

// Frame is a step on the way to a function.
type Frame struct {
	Function string `json:"function"`
	File     string `json:"file,omitempty"`
	Line     int    `json:"line,omitempty"`
}

// Finding is one on lines that the change adds or touches. Its place's file is from the
// root of the repository.
type Finding struct {
	finding.Finding

	// Production is the share of the CPU in the production profile, nil without one.
	Production *float64 `json:"production_share,omitempty"`
	// Hot is the same in words: "hot in production: 3.1% of web".
	Hot string `json:"hot,omitempty"`
}

// Calibration is what runs of the base against itself showed.
type Calibration struct {
	Ratio  float64 `json:"ratio,omitempty"`
	Low    float64 `json:"low,omitempty"`
	High   float64 `json:"high,omitempty"`
	Rounds int     `json:"rounds"`
	Noise  float64 `json:"noise"` // the spread of one round's ratio, a standard deviation
	// Decides is the smallest difference that the budget has room to decide on.
	Decides float64 `json:"decides_from,omitempty"`
	Raised  bool    `json:"raised,omitempty"` // the limit, since the base would have exceeded it
	Says    string  `json:"says,omitempty"`
}

// Bump is a change that raises versions of dependencies and nothing else.
type Bump struct {
	Packages []Package `json:"packages"`
	Hot      bool      `json:"hot"`
	Says     string    `json:"says"`
}

// Package is a dependency that was raised.
type Package struct {
	Name  string  `json:"name"`
	From  string  `json:"from,omitempty"`
	To    string  `json:"to,omitempty"`
	Share float64 `json:"share"` // of the CPU in the profile, with what it calls
	File  string  `json:"file"`  // that names it
}

// Proof is a signed statement about the change that was verified.
type Proof struct {
	Verdict string            `json:"verdict"`
	Ratio   *finding.Interval `json:"speedup,omitempty"` // the base over the change: above 1 is faster
	Signer  string            `json:"signer"`
	Command string            `json:"command"`
	Says    string            `json:"says"`
	Repeat  []string          `json:"repeat"`
}
