// Package race decides which of many candidates are worth a proof, with few rounds
// of each.
//
// It owns the standings: how often each candidate ran in turn with the baseline,
// who leaves the race and why, who runs next and how often, and who goes to the
// confirmation. It takes the logarithms of the ratios of rounds and gives the next
// stage. It measures nothing and claims nothing: what is called faster is decided
// by a trial on fresh rounds, after the race. It imports internal/trial/stat's
// constants only.
//
// The method is a race (O. Maron and A. W. Moore, "Hoeffding races", NIPS 1994) with
// Student's t on the paired logarithms in place of Hoeffding's bound, as in the
// t-race of M. Birattari et al., "A racing algorithm for configuring metaheuristics",
// GECCO 2002: all candidates run a few rounds; after 4, 8 and 16 rounds those leave
// of which it is clear that they gain less than 2%, or that another of their group
// is better (of three allocators one can be used). The level of each look is a third
// of 5%, so that a candidate that does gain 2% is sent away with 5% at most.
//
// A race selects, and what was selected for looking good looks better than it is
// (the winner's curse). So its rounds are thrown away: the finalists are tried
// anew, and only those rounds decide. Given who the finalists are, the new rounds
// are independent of the race, so the level of that trial, shared by its k finalists
// (Bonferroni), is the level of the whole hunt however many candidates there were:
// P(some false winner) ≤ Σ α/k = α. This is data splitting (D. R. Cox, "A note on
// data-splitting for the evaluation of significance levels", Biometrika 1975).
//
// Example. Twelve candidates, noise of 1%: after four rounds seven have an upper
// end below 1.02 and leave, after eight rounds three more; two go on, and the trial
// that proves them shares 4% by two instead of by twelve.
package race

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"

	"whyhot/internal/finding"
)

// Worth is the gain below which a candidate is not worth a proof.
const Worth = 0.02

// looks are the rounds after which the numbers are looked at.
var looks = []int{4, 8, 16}

// alpha is the chance with which a candidate that gains as much as Worth leaves.
const alpha = 0.05

// State is where a candidate stands.
type State string

// The states.
const (
	Waiting  State = "waiting"  // not measured yet
	Running  State = "running"  // measured, and nothing is clear
	Finalist State = "finalist" // clear enough, or as clear as a race makes it
	Left     State = "left"     // measured: too little gain, or another one is better
	Broken   State = "broken"   // fails, computes something else, or changes nothing
	Unmade   State = "unmade"   // never measured
)

// Standing is one candidate in the race.
type Standing struct {
	Name  string    `json:"name"`
	Group string    `json:"group,omitempty"` // of which only one can be used, "" for none
	Logs  []float64 `json:"logs,omitempty"`  // log(baseline / candidate), by round
	State State     `json:"state"`
	Why   string    `json:"why,omitempty"`
	// Verdict is why a broken candidate cannot win.
	Verdict finding.Verdict `json:"verdict,omitempty"`
	// Late says that the budget had no time for a candidate that was never measured.
	Late bool `json:"late,omitempty"`
	// Beaten is the candidate of the group that is better.
	Beaten string `json:"beaten_by,omitempty"`
}

// Estimate is the geometric mean of the ratios so far, 1 where there are none.
func (s *Standing) Estimate() float64 {
	if len(s.Logs) == 0 {
		return 1
	}
	return math.Exp(stat.Mean(s.Logs, nil))
}

// Interval is the ratio with its two-sided interval of a level.
func (s *Standing) Interval(level float64) finding.Interval {
	low, high := s.bounds((1 - level) / 2)
	return finding.Interval{Estimate: s.Estimate(), Low: math.Exp(low), High: math.Exp(high)}
}

// Clear says that the ratio is above 1 beyond its noise, at the level that results have.
func (s *Standing) Clear() bool {
	low, _ := s.bounds(alpha / 2) //nolint:mnd // both sides
	return low > 0
}

// bounds are the one-sided limits of the mean logarithm, each wrong with a
// probability of tail.
func (s *Standing) bounds(tail float64) (low, high float64) {
	n := float64(len(s.Logs))
	if n < 2 {
		return math.Inf(-1), math.Inf(1)
	}
	mean, sd := stat.MeanStdDev(s.Logs, nil)
	half := distuv.StudentsT{Mu: 0, Sigma: 1, Nu: n - 1}.Quantile(1-tail) * sd / math.Sqrt(n)
	return mean - half, mean + half
}

// Open says that the race has not decided on a candidate.
func (s *Standing) Open() bool { return s.State == Waiting || s.State == Running }

// Race is the standings of all candidates, the most promising first.
type Race struct {
	Standings []Standing `json:"standings"`
}

// Enter adds a candidate behind those that are there.
func (r *Race) Enter(name, group string) {
	r.Standings = append(r.Standings, Standing{Name: name, Group: group, State: Waiting})
}

// Of is the standing of a candidate, nil of a stranger.
func (r *Race) Of(name string) *Standing {
	i := slices.IndexFunc(r.Standings, func(s Standing) bool { return s.Name == name })
	if i < 0 {
		return nil
	}
	return &r.Standings[i]
}

// Next names those that run in the next stage, and how many rounds: of those that
// have run least, as many as fit together, where fits says whether one more may join
// those that are chosen. No names: the race is over.
func (r *Race) Next(fits func(chosen []string, next string) bool) (names []string, rounds int) {
	least := -1
	for i := range r.Standings {
		if s := &r.Standings[i]; s.Open() && (least < 0 || len(s.Logs) < least) {
			least = len(s.Logs)
		}
	}
	if least < 0 {
		return nil, 0
	}
	for i := range r.Standings {
		if s := &r.Standings[i]; s.Open() && len(s.Logs) == least && fits(names, s.Name) {
			names = append(names, s.Name)
		}
	}
	for _, n := range looks {
		if n > least {
			return names, n - least
		}
	}
	return nil, 0
}

// Add puts the rounds of a stage to a candidate's.
func (r *Race) Add(name string, logs []float64) {
	if s := r.Of(name); s != nil && s.Open() {
		s.Logs = append(s.Logs, logs...)
		if len(s.Logs) > 0 {
			s.State = Running
		}
	}
}

// Break takes a candidate out that cannot win whatever its speed.
func (r *Race) Break(name string, verdict finding.Verdict, why string) {
	if s := r.Of(name); s != nil {
		s.State, s.Verdict, s.Why = Broken, verdict, why
	}
}

// Unmake takes a candidate out that could not be measured; late says that there was no
// time for it.
func (r *Race) Unmake(name string, late bool, why string) {
	if s := r.Of(name); s != nil {
		s.State, s.Late, s.Why = Unmade, late, why
	}
}

// Look judges the standings after a stage.
func (r *Race) Look() {
	tail := alpha / float64(len(looks))
	worth := math.Log1p(Worth)
	for i := range r.Standings {
		s := &r.Standings[i]
		if s.State != Running || len(s.Logs) < looks[0] {
			continue
		}
		low, high := s.bounds(tail)
		better := r.better(s, high, tail)
		switch {
		case high < worth:
			s.State, s.Why = Left, fmt.Sprintf("gains less than %.0f%%", 100*Worth)
		case better != nil:
			s.State, s.Why, s.Beaten = Left, better.Name+" is better", better.Name
		case low > 0 && len(s.Logs) >= looks[0]:
			s.State = Finalist
		case len(s.Logs) >= looks[len(looks)-1]:
			r.decide(s)
		}
	}
}

// better is the one of the same group that is clearly better.
func (r *Race) better(s *Standing, high, tail float64) *Standing {
	if s.Group == "" {
		return nil
	}
	for i := range r.Standings {
		o := &r.Standings[i]
		if o.Group != s.Group || o.Name == s.Name || o.State != Running && o.State != Finalist {
			continue
		}
		if low, _ := o.bounds(tail); low > high {
			return o
		}
	}
	return nil
}

// decide ends the race of a candidate on which nothing is clear. A race has no more
// rounds for it; a finalist may still be refuted.
func (r *Race) decide(s *Standing) {
	if s.Estimate() >= 1+Worth/2 {
		s.State = Finalist
		return
	}
	s.State, s.Why = Left, fmt.Sprintf("gains %.1f%% as far as is known, too little for a proof", 100*(s.Estimate()-1))
}

// Decide ends the race for a candidate that has run, with what is known.
func (r *Race) Decide(name string) {
	if s := r.Of(name); s != nil && s.State == Running {
		r.decide(s)
	}
}

// Stop ends the race where time does.
func (r *Race) Stop(why string) {
	for i := range r.Standings {
		switch s := &r.Standings[i]; s.State {
		case Waiting:
			s.State, s.Late, s.Why = Unmade, true, why
		case Running:
			r.decide(s)
		case Finalist, Left, Broken, Unmade:
		}
	}
}

// NextOf is the best of the group that left because of a candidate, "" where there is
// none. It is a finalist from then on.
func (r *Race) NextOf(name string) string {
	var next *Standing
	for i := range r.Standings {
		s := &r.Standings[i]
		if s.State == Left && s.Beaten == name && (next == nil || s.Estimate() > next.Estimate()) && s.Estimate() >= 1+Worth {
			next = s
		}
	}
	if next == nil {
		return ""
	}
	next.State, next.Why, next.Beaten = Finalist, "", ""
	for i := range r.Standings {
		if s := &r.Standings[i]; s.Beaten == name {
			s.Beaten = next.Name
		}
	}
	return next.Name
}

// Finalists are those worth a proof, at most so many: first those that are clearly faster,
// then those whose gain may be noise, the best of each first. Of a group only the best is:
// the others leave.
func (r *Race) Finalists(most int) []string {
	var all []*Standing
	for i := range r.Standings {
		if s := &r.Standings[i]; s.State == Finalist {
			all = append(all, s)
		}
	}
	slices.SortStableFunc(all, func(a, b *Standing) int { return -cmp.Compare(a.Estimate(), b.Estimate()) })
	var clearly, perhaps []string
	best := map[string]string{}
	for _, s := range all {
		if first := best[s.Group]; s.Group != "" && first != "" {
			s.State, s.Why, s.Beaten = Left, fmt.Sprintf("%s was %.2f× in the race, this %.2f×", first, r.Of(first).Estimate(), s.Estimate()), first
			continue
		}
		best[s.Group] = s.Name
		if s.Clear() {
			clearly = append(clearly, s.Name)
		} else {
			perhaps = append(perhaps, s.Name)
		}
	}
	names := append(clearly, perhaps...)
	return names[:min(most, len(names))]
}
