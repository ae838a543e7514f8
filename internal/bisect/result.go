package bisect

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"whyhot/internal/bisect/history"
	"whyhot/internal/finding"
	"whyhot/internal/trial"
	"whyhot/internal/trial/stat"
)

// Result is what a search has found. Ratios are of what was measured: 1.08 is 8% more.
type Result struct {
	Version int     `json:"version"`
	Verdict Verdict `json:"verdict"`

	Good    history.Commit `json:"good"`
	Bad     history.Commit `json:"bad"`
	Commits int            `json:"commits"` // after the good one
	Command []string       `json:"command"`
	Metric  trial.Metric   `json:"metric"`
	Unit    string         `json:"unit,omitempty"`
	Less    bool           `json:"less,omitempty"` // a fall was looked for
	// HigherIsBetter is of a number that the command prints.
	HigherIsBetter bool    `json:"higher_is_better,omitempty"`
	Limit          float64 `json:"limit"`

	// Whole is the bad one over the good one, nil where too little was measured.
	Whole *finding.Interval `json:"whole,omitempty"`
	// Noise is by how much one round scatters, as a share: 0.02 is 2%.
	Noise float64 `json:"noise"`

	// Commit is the most probable one and those before it that cannot be told from it,
	// the last one first; empty where there is no difference.
	Commit      []history.Commit  `json:"commit,omitempty"`
	Probability float64           `json:"probability,omitempty"`
	Parent      *history.Commit   `json:"parent,omitempty"` // what Step compares the commit with
	Step        *finding.Interval `json:"step,omitempty"`   // the commit over Parent
	Candidates  []Candidate       `json:"candidates,omitempty"`
	Functions   []Grown           `json:"functions,omitempty"`

	Skipped []Skipped `json:"skipped,omitempty"`
	Builds  int       `json:"builds"`
	Runs    int       `json:"runs"`
	Seconds float64   `json:"seconds"`
	Notes   []string  `json:"notes,omitempty"`
}

// Candidate is a commit that it may be.
type Candidate struct {
	history.Commit

	Probability float64 `json:"probability"`
}

// Skipped is a commit that could not be measured.
type Skipped struct {
	history.Commit

	Why string `json:"why"`
}

const level = 0.95

// result says what a search has come to.
func (w *workshop) result(s *search, v Verdict) *Result {
	st := s.state
	r := &Result{
		Version: 1, Verdict: v, Good: w.line[0], Bad: w.line[s.last], Commits: s.last, Command: w.request.Command,
		Metric: w.reader.Metric(), Unit: w.request.Metric.Unit, Less: w.request.Less, Limit: w.request.Limit,
		HigherIsBetter: w.reader.HigherIsBetter(),
		Builds:         st.Builds, Runs: st.Runs, Seconds: st.Seconds,
	}
	if logs := st.Logs[s.last]; len(logs) > 1 {
		r.Whole = s.ratio(logs)
		r.Noise = s.belief.Sigma
	}
	for _, at := range slices.Sorted(keys(st.Skipped)) {
		r.Skipped = append(r.Skipped, Skipped{w.line[at], st.Skipped[at]})
	}
	if st.Same {
		r.notef("both ends are the same program, byte for byte")
	}
	if v == Difference || r.Whole == nil {
		return r
	}
	best := s.best()
	r.Probability = best.p
	for _, at := range slices.Backward(best.group) {
		r.Commit = append(r.Commit, w.line[at])
	}
	if len(best.group) > 1 {
		r.notef("%d commits before it cannot be measured, so it may be one of them", len(best.group)-1)
	}
	if logs := s.direct(best); len(logs) > 1 {
		r.Parent, r.Step = &w.line[best.before()], s.ratio(logs)
		r.compareSteps()
	}
	r.candidates(w, s)
	if st.Exhausted {
		r.notef("the budget is used up; the same command goes on where this one ended")
	}
	return r
}

func keys[V any](m map[int]V) func(func(int) bool) {
	return func(yield func(int) bool) {
		for k := range m {
			if !yield(k) {
				return
			}
		}
	}
}

// ratio is that of rounds, as it was measured: below 1 where the value fell.
func (s *search) ratio(logs []float64) *finding.Interval {
	logs = slices.Clone(logs)
	if s.terms.Less {
		for i := range logs {
			logs[i] = -logs[i]
		}
	}
	i := stat.PairLogs(logs).Interval(level)
	if math.IsInf(i.High, 0) {
		return nil
	}
	return &finding.Interval{Estimate: i.Estimate, Low: i.Low, High: i.High}
}

// compareSteps says where one commit is not all of the difference.
func (r *Result) compareSteps() {
	if r.Step == nil || r.Whole == nil {
		return
	}
	const most, part = 0.7, 100
	share := math.Log(r.Step.Estimate) / math.Log(r.Whole.Estimate)
	if share < most && !(r.Step.Low <= r.Whole.High && r.Whole.Low <= r.Step.High) {
		r.notef("this commit is about %.0f%% of the whole difference: there are others (search again from it to %s)", share*part, r.Bad.Short())
	}
}

// candidates are the commits that make up nearly all of the probability.
func (r *Result) candidates(w *workshop, s *search) {
	const nearly, most = 0.99, 10
	var all []Candidate
	for at := 1; at <= s.last; at++ {
		all = append(all, Candidate{w.line[at], s.belief.P[at]})
	}
	slices.SortStableFunc(all, func(a, b Candidate) int { return cmp.Compare(b.Probability, a.Probability) })
	sum := 0.0
	for _, c := range all {
		if sum > nearly || len(r.Candidates) == most {
			return
		}
		sum += c.Probability
		r.Candidates = append(r.Candidates, c)
	}
}

func (r *Result) notef(format string, args ...any) {
	r.Notes = append(r.Notes, fmt.Sprintf(format, args...))
}
