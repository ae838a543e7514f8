package experiment

import (
	"whyhot/internal/trial"
	"whyhot/internal/trial/rebuild"
)

// Listener is told how far a trial is. All calls come from one goroutine.
type Listener interface {
	// Building says which step of a build begins.
	Building(s rebuild.Step)
	// Benchmark says that a benchmark of a suite begins, counted from 0.
	Benchmark(name string, index, of int)
	// Measuring comes before every run.
	Measuring(p trial.Progress)
	// Remark is a sentence that somebody should read now: a variant that is skipped, a
	// build that failed, an assumption.
	Remark(text string)
}

// silence is the listener of somebody who does not care.
type silence struct{}

func (silence) Building(rebuild.Step)      {}
func (silence) Benchmark(string, int, int) {}
func (silence) Measuring(trial.Progress)   {}
func (silence) Remark(string)              {}
