package hunt

import (
	"time"

	"whyhot/internal/finding"
	"whyhot/internal/hunt/candidate"
	"whyhot/internal/trial"
)

// ResultVersion is the version of the JSON form.
const ResultVersion = 1

// Result is what a hunt comes to.
type Result struct {
	Version  int       `json:"version"`
	Command  []string  `json:"command"` // or the suite's file
	Suite    bool      `json:"suite,omitempty"`
	Started  time.Time `json:"started"`
	Budget   float64   `json:"budget_seconds"`
	Spent    float64   `json:"spent_seconds"` // without the time in which it was interrupted
	Finished bool      `json:"finished"`
	Stage    string    `json:"stage,omitempty"` // of one that is not finished
	Level    float64   `json:"level"`           // that all of Proved and the combination hold together
	Metric   string    `json:"metric"`
	Run      float64   `json:"run_seconds,omitempty"`   // one run of the command as it is
	Build    float64   `json:"build_seconds,omitempty"` // one build of the program
	Proved   []Verdict `json:"proved"`
	Refuted  []Verdict `json:"refuted"`
	Open     []Verdict `json:"undecided"`
	Untried  []Untried `json:"untried"`
	Combined *Combined `json:"combination"`
	// Enough is a budget in which the most promising change is expected to be proved, and
	// all that there was no time for to be tried; 0 where time is not what is missing.
	Enough   float64       `json:"enough_seconds,omitempty"`
	Profile  string        `json:"profile,omitempty"` // the recording
	State    string        `json:"state,omitempty"`   // directory of the hunt
	Notes    []string      `json:"notes,omitempty"`
	Findings []Finding     `json:"findings,omitempty"` // on the profile, as far as they are candidates
	Machine  trial.Machine `json:"machine"`
}

// Finding is the title of a finding that a candidate is about.
type Finding struct {
	ID    string `json:"id"`
	Title string `json:"title"`
}

// Untried is what nobody but a person can try.
type Untried = candidate.Untried

// Verdict is what is known of one candidate.
type Verdict struct {
	Name    string            `json:"name"`
	Kind    candidate.Kind    `json:"kind"`
	Ratio   *finding.Interval `json:"ratio,omitempty"` // above 1: faster
	Runs    int               `json:"runs,omitempty"`
	Verdict finding.Verdict   `json:"verdict,omitempty"`
	Why     string            `json:"why,omitempty"`
	// How is what a person does to have it.
	How      string         `json:"how,omitempty"`
	Caveats  []string       `json:"caveats,omitempty"`
	Patch    string         `json:"patch,omitempty"` // file
	Findings []string       `json:"findings,omitempty"`
	Compared trial.Compared `json:"compared,omitempty"`
	// Promising says of an undecided one that its interval is above 1, and that the time for
	// its proof is what was missing.
	Promising bool `json:"promising,omitempty"`
	// Known says that an earlier hunt found it out, at this time.
	Known *time.Time `json:"known_since,omitempty"`
	// Command is how a person goes on.
	Command string `json:"command,omitempty"`
	Applied bool   `json:"applied,omitempty"`
}

// Combined is what was proved, used together.
type Combined struct {
	Names   []string          `json:"names"`
	Ratio   *finding.Interval `json:"ratio,omitempty"`
	Verdict finding.Verdict   `json:"verdict"`
	Why     string            `json:"why,omitempty"`
	Runs    int               `json:"runs,omitempty"`
	How     []string          `json:"how"`
	// Left are proved changes that are not in it.
	Left []Leftover `json:"left_out,omitempty"`
}

// Leftover is a proved change that adds nothing to the others.
type Leftover struct {
	Name  string            `json:"name"`
	Ratio *finding.Interval `json:"ratio,omitempty"` // with it over without it
	Why   string            `json:"why"`
}
