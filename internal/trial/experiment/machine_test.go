package experiment

import (
	"context"
	"slices"
	"strings"
	"time"

	"whyhot/internal/trial"
	"whyhot/internal/trial/rebuild"
	"whyhot/internal/trial/run"
	"whyhot/internal/trial/variant"
)

// heard is all that a listener was told.
type heard struct {
	steps      []string // "NAME WHAT"
	remarks    []string
	benchmarks []string
	rounds     int
	// onAnnounce is called when the warm-up is over, nil for nothing.
	onAnnounce func()
}

func (h *heard) Building(s rebuild.Step)         { h.steps = append(h.steps, s.Name+" "+s.What) }
func (h *heard) Benchmark(name string, _, _ int) { h.benchmarks = append(h.benchmarks, name) }
func (h *heard) Measuring(p trial.Progress) {
	h.rounds++
	if p.Phase == trial.PhaseAnnounce && h.onAnnounce != nil {
		h.onAnnounce()
	}
}
func (h *heard) Remark(text string)    { h.remarks = append(h.remarks, text) }
func (h *heard) said(part string) bool { return holds(h.remarks, part) }
func holds(texts []string, part string) bool {
	return slices.ContainsFunc(texts, func(t string) bool { return strings.Contains(t, part) })
}

// fake is a machine on which a run takes as long as the test says; its clock
// moves by what its runs take.
type fake struct {
	now    time.Time
	specs  []run.Spec
	each   func(s run.Spec) *run.Result
	opened int // runners that were not given up
}

func (f *fake) Now() time.Time { return f.now }

func (f *fake) Run(ctx context.Context, s run.Spec) (*run.Result, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	f.specs = append(f.specs, s)
	r := f.each(s)
	f.now = f.now.Add(r.Wall)
	return r, nil
}

func (f *fake) machine() machine {
	return machine{clock: f, runner: func() (run.Runner, func(), error) {
		f.opened++
		return f, func() { f.opened-- }, nil
	}}
}

// took is a run of so many milliseconds, a little more or less each time.
func took(ms, n int) *run.Result {
	d := time.Duration(ms)*time.Millisecond + time.Duration(n%7)*10*time.Microsecond
	same := run.Output{Name: "standard output", Length: 4, SHA256: "same", Written: true, FirstDifference: -1}
	return &run.Result{Wall: d, User: d, PeakRSS: 1 << 26, MinorFaults: 100, Stdout: same}
}

// faster is a machine on which FAST=1 halves the time.
func faster() *fake {
	f := &fake{now: time.Unix(1000, 0)}
	f.each = func(s run.Spec) *run.Result {
		if slices.Contains(s.Env, "FAST=1") {
			return took(500, len(f.specs))
		}
		return took(1000, len(f.specs))
	}
	return f
}

func terms() Terms {
	return Terms{Env: []string{"HOME=/"}, Variants: variant.Wanted{Env: []string{"FAST=1"}}, Schedule: trial.Schedule{WarmUps: 1, Rounds: 10}}
}
