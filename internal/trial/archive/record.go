package archive

import (
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"whyhot/internal/finding"
	"whyhot/internal/trial"
	"whyhot/internal/trial/suite"
)

// Version is the version of the JSON form of a record.
const Version = 1

// Record is one trial and what it was made of.
type Record struct {
	Version   int       `json:"version"`
	ID        string    `json:"id"`
	Time      time.Time `json:"time"`
	Whyhot    string    `json:"whyhot"`    // version of the program
	Directory string    `json:"directory"` // where whyhot was started
	Arguments []string  `json:"arguments"` // behind `whyhot try`
	Command   []string  `json:"command"`   // that was tried, or the suite's name
	// Environment are the variables that programs, loaders and allocators are
	// known to change their speed by; others are not kept.
	Environment map[string]string `json:"environment,omitempty"`
	Files       []File            `json:"files,omitempty"`
	Machine     trial.Machine     `json:"machine"`
	Metric      trial.Metric      `json:"metric,omitempty"`
	Stopped     trial.Stop        `json:"stopped"`
	Seed        uint64            `json:"seed"`
	Results     []Result          `json:"results"`
	Profile     string            `json:"profile,omitempty"`
	// Tree is the hash of the source tree that variants were built of, "" where
	// nothing was built or nobody asked.
	Tree    string `json:"tree,omitempty"`
	Finding string `json:"finding,omitempty"`
	Repeats string `json:"repeats,omitempty"` // id of the trial that this one repeats
	// Outcome is what the trial wrote with --json: an Outcome, or a suite's Result.
	Outcome any `json:"outcome,omitempty"`
}

// File is an input by its content.
type File struct {
	Role    string `json:"role"` // what it is to the trial: "program of baseline", "argument 2"
	Path    string `json:"path,omitempty"`
	Size    int64  `json:"size"`
	SHA256  string `json:"sha256,omitempty"`   // left out for very large files
	BuildID string `json:"build_id,omitempty"` // of an ELF file
}

// Result is what the trial said of one variant.
type Result struct {
	Variant string            `json:"variant"`
	Ratio   *finding.Interval `json:"ratio,omitempty"`
	Verdict trial.Verdict     `json:"verdict"`
	Runs    int               `json:"runs,omitempty"`
	// Caveat says what was not compared, "" where everything was.
	Caveat string `json:"caveat,omitempty"`
	// Finding is the one that the variant proves or refutes, where a trial has
	// several.
	Finding string `json:"finding,omitempty"`
}

// Trial is the outcome of a trial of one command.
func (r *Record) Trial() (*trial.Outcome, error) {
	data, err := json.Marshal(r.Outcome)
	if err != nil {
		return nil, fmt.Errorf("reading a kept trial: %w", err)
	}
	var o trial.Outcome
	if err := json.Unmarshal(data, &o); err != nil {
		return nil, fmt.Errorf("reading a kept trial: %w", err)
	}
	if o.Version != trial.OutcomeVersion || o.Baseline.Name == "" {
		return nil, errors.New("it is no trial of one command, or its samples were not kept")
	}
	return &o, nil
}

// Suite is the result of a trial of a suite.
func (r *Record) Suite() (*suite.Result, error) {
	data, err := json.Marshal(r.Outcome)
	if err != nil {
		return nil, fmt.Errorf("reading a kept trial: %w", err)
	}
	var s suite.Result
	if err := json.Unmarshal(data, &s); err != nil {
		return nil, fmt.Errorf("reading a kept trial: %w", err)
	}
	if s.Version != suite.ResultVersion || len(s.Benchmarks) == 0 {
		return nil, errors.New("it is no trial of a suite, or its samples were not kept")
	}
	return &s, nil
}

// Best is the result with the highest ratio, nil when there is none.
func (r *Record) Best() *Result {
	var best *Result
	for i := range r.Results {
		if x := &r.Results[i]; best == nil || x.Ratio != nil && (best.Ratio == nil || x.Ratio.Estimate > best.Ratio.Estimate) {
			best = x
		}
	}
	return best
}

// Results are what a trial says of its variants.
func Results(o *trial.Outcome) []Result {
	out := make([]Result, 0, len(o.Variants))
	for i := range o.Variants {
		v := &o.Variants[i]
		r := Result{Variant: v.Name, Verdict: v.Verdict, Runs: v.Runs, Caveat: v.Compared.Mark()}
		if ratio, ok := o.SpeedUp(v); ok {
			r.Ratio = &ratio
		}
		out = append(out, r)
	}
	return out
}
