package bisect

import (
	"context"
	"errors"
	"math"
	"slices"
	"time"

	"whyhot/internal/bisect/posterior"
	"whyhot/internal/trial/stat"
)

// Lab builds and measures commits by their place in the line; 0 is the good one.
type Lab interface {
	// Build makes a commit ready to be measured. An *UnfitError says that it cannot be.
	Build(ctx context.Context, commit int) (Built, error)
	// Round measures each of the commits once, in random order. An *UnfitError says
	// which of them cannot be.
	Round(ctx context.Context, commits []int) ([]float64, error)
	Now() time.Time
}

// Built is what a build has come to.
type Built struct {
	Took     time.Duration
	Kept     bool   // it was there already
	Programs string // equal for commits whose programs are equal; "" where that is not known
}

// UnfitError is a commit that cannot be built, fails its test or does not run.
type UnfitError struct {
	Commit int
	Why    string
}

func (e *UnfitError) Error() string { return e.Why }

// Terms are what a search is told.
type Terms struct {
	Limit      float64       // smallest change that is looked for: 0.05 is 5%
	Less       bool          // the measured value fell, and did not rise
	Confidence float64       // at which the search ends
	Budget     time.Duration // after which it ends
}

// teller is told how far a search is, by places in the line.
type teller interface {
	measuring(commit, best int, p float64)
	skipped(commit int, why string)
}

// search is one search under way.
type search struct {
	lab   Lab
	terms Terms
	state *State
	last  int
	told  teller
	save  func() error

	begun  time.Time
	model  *posterior.Model
	belief *posterior.Belief
}

// Verdict is how a search ended.
type Verdict string

// The verdicts.
const (
	Found      Verdict = "found"
	Undecided  Verdict = "undecided"
	Difference Verdict = "no difference"
)

const (
	firstRounds   = 8 // of reference, reference and bad
	moreRounds    = 8
	confirmRounds = 10
	mostConfirmed = 60
	surely        = 0.99 // level of the interval that says whether good and bad differ
)

// errBudget ends a search whose time is over.
var errBudget = errors.New("the budget is used up")

// newSearch goes on with what a state knows.
func newSearch(lab Lab, t Terms, s *State, commits int, told teller, save func() error) *search {
	h := &search{lab: lab, terms: t, state: s, last: commits - 1, told: told, save: save, begun: lab.Now()}
	h.rebuild()
	return h
}

// rebuild makes the model of the state: it is small, and there is one truth.
func (h *search) rebuild() {
	h.model = posterior.New(h.last, math.Log1p(h.terms.Limit))
	for at, logs := range h.state.Logs {
		h.model.Observe(h.twin(at), logs...)
	}
	for a, p := range h.state.Programs {
		for b, q := range h.state.Programs {
			if a < b && p == q && p != "" {
				h.model.Equal(a, b)
			}
		}
	}
	h.belief = h.model.Belief()
}

// run searches until it is known, or the budget or ctx ends.
func (h *search) run(ctx context.Context) (Verdict, error) {
	for _, end := range []int{0, h.last} {
		if err := h.build(ctx, end); err != nil {
			return Undecided, err
		}
	}
	if p := h.state.Programs; p[0] != "" && p[0] == p[h.last] {
		h.state.Same = true
		return Difference, nil
	}
	differs, err := h.differ(ctx)
	if err != nil || differs != Found {
		return differs, h.ended(err)
	}
	for {
		c := h.best()
		if c.p >= h.terms.Confidence {
			if h.confirmed(c) {
				return Found, nil
			}
			if err := h.confirm(ctx, c); err != nil {
				return h.verdict(), h.ended(err)
			}
			continue
		}
		price := h.price()
		next, ok := h.belief.Next(price)
		const least = 1e-4 // bits that are worth a run
		if !ok || next.Bits < least {
			return Undecided, nil
		}
		if err := h.measure(ctx, next); err != nil {
			return h.verdict(), h.ended(err)
		}
	}
}

// verdict is that of a search that ends early.
func (h *search) verdict() Verdict {
	if h.best().p >= h.terms.Confidence {
		return Found
	}
	return Undecided
}

// ended leaves out of the errors what is no error.
func (h *search) ended(err error) error {
	if errors.Is(err, errBudget) {
		h.state.Exhausted = true
		return nil
	}
	return err
}

// build makes a commit ready, once.
func (h *search) build(ctx context.Context, commit int) error {
	const margin = 1.2
	if left := h.terms.Budget - h.spent(); commit != 0 && commit != h.last && !h.state.Ready[commit] &&
		left.Seconds() < margin*h.price().Build(commit) {
		return errBudget
	}
	b, err := h.lab.Build(ctx, commit)
	if err != nil {
		return err
	}
	if !b.Kept {
		h.state.Builds++
		h.state.BuildSeconds += b.Took.Seconds()
	}
	h.state.Ready[commit] = true
	if b.Programs != "" && h.state.Programs[commit] == "" {
		h.state.Programs[commit] = b.Programs
		h.rebuild()
	}
	return h.save()
}

// differ measures whether the two ends differ by the limit, and the noise with that.
func (h *search) differ(ctx context.Context) (Verdict, error) {
	const part = 3 // of the budget, for the two ends
	for {
		if len(h.state.Logs[h.last]) >= firstRounds {
			i := h.whole(surely)
			switch limit := 1 + h.terms.Limit; {
			case i.High < limit:
				return Difference, nil
			case math.Log(i.Low) > math.Log(limit)/2: //nolint:mnd // see Terms.Limit in docs/guide/bisect.md
				return Found, nil
			}
			if h.spent() > h.terms.Budget/part {
				h.state.Exhausted = true
				return Undecided, nil
			}
		}
		commits := []int{0, h.last}
		if len(h.state.Noise) < firstRounds {
			commits = []int{0, h.last, 0}
		}
		if err := h.take(ctx, commits, moreRounds); err != nil {
			return Undecided, err
		}
	}
}

// whole is the ratio of the two ends, in the direction that is looked for.
func (h *search) whole(level float64) stat.Interval {
	return stat.PairLogs(h.state.Logs[h.last]).Interval(level)
}

// measure carries out a choice. A commit that cannot be measured is skipped.
func (h *search) measure(ctx context.Context, c posterior.Choice) error {
	at := c.Commit
	known := len(h.state.Programs)
	if err := h.skipUnfit(h.build(ctx, at)); err != nil || h.state.Skipped[at] != "" {
		return err
	}
	if h.equalsAnother(at) && len(h.state.Programs) > known {
		return nil // that is what its build tells
	}
	return h.skipUnfit(h.take(ctx, []int{0, at}, c.Rounds))
}

// twin is the first commit with the same programs.
func (h *search) twin(commit int) int {
	p := h.state.Programs[commit]
	for i := range commit {
		if p != "" && h.state.Programs[i] == p {
			return i
		}
	}
	return commit
}

// equalsAnother says whether there is another commit with the same programs.
func (h *search) equalsAnother(commit int) bool {
	p := h.state.Programs[commit]
	for i, q := range h.state.Programs {
		if i != commit && p != "" && p == q {
			return true
		}
	}
	return false
}

// skipUnfit notes a commit that cannot be measured. Without both ends there is no search.
func (h *search) skipUnfit(err error) error {
	unfit, ok := errors.AsType[*UnfitError](err)
	if !ok || unfit.Commit == 0 || unfit.Commit == h.last {
		return err
	}
	h.state.Skipped[unfit.Commit] = unfit.Why
	delete(h.state.Logs, unfit.Commit)
	clear(h.state.Pairs) // who is before whom has changed
	h.rebuild()
	h.told.skipped(unfit.Commit, unfit.Why)
	return h.save()
}

// take measures rounds. The first commit is the reference; where it is there a second
// time, that is the noise. The second and third, where they are a commit and the one
// before it, are also compared directly.
func (h *search) take(ctx context.Context, commits []int, rounds int) error {
	sign := 1.0
	if h.terms.Less {
		sign = -1
	}
	for range rounds {
		if h.spent() >= h.terms.Budget {
			return errBudget
		}
		h.told.measuring(commits[1], h.best().at, h.best().p)
		before := h.lab.Now()
		values, err := h.lab.Round(ctx, commits)
		if err != nil {
			return err
		}
		took := h.lab.Now().Sub(before)
		h.state.Runs += len(commits)
		h.state.RunSeconds += took.Seconds()
		logs := make([]float64, len(commits))
		for i := 1; i < len(commits); i++ {
			logs[i] = sign * math.Log(values[i]/values[0])
			if commits[i] == 0 {
				h.state.Noise = append(h.state.Noise, logs[i])
				continue
			}
			h.state.Logs[commits[i]] = append(h.state.Logs[commits[i]], logs[i])
		}
		if len(commits) > 2 && commits[2] != 0 {
			at := commits[1]
			h.state.Pairs[at] = append(h.state.Pairs[at], logs[1]-logs[2])
		}
		if err := h.save(); err != nil {
			return err
		}
	}
	h.rebuild()
	return nil
}

func (h *search) spent() time.Duration { return h.lab.Now().Sub(h.begun) }

// price is what measurements cost, by what they have cost so far.
func (h *search) price() posterior.Price {
	build := h.state.BuildSeconds / float64(max(1, h.state.Builds))
	round := 2 * h.state.RunSeconds / float64(max(1, h.state.Runs)) //nolint:mnd // the reference and the commit
	const least = 1e-3                                              // seconds
	return posterior.Price{
		Round: max(least, round),
		Build: func(at int) float64 {
			if h.state.Ready[at] {
				return 0
			}
			return build + max(least, round)/2 //nolint:mnd // what is built is run once without being measured
		},
		Works: h.works,
	}
}

// works is the chance that a commit can be measured: those beside one that cannot are
// often broken as well.
func (h *search) works(at int) float64 {
	if h.state.Skipped[at] != "" || h.twin(at) != at {
		return 0
	}
	if h.state.Ready[at] {
		return 1
	}
	chance := 1.0
	for i := range h.state.Skipped {
		chance = min(chance, 1-math.Pow(0.5, math.Abs(float64(at-i)))) //nolint:mnd // half as likely one further
	}
	return chance
}

// culprit is a commit with those before it that cannot be told from it, since they cannot
// be measured.
type culprit struct {
	at    int
	group []int // ends with at
	p     float64
}

// best is the most probable one.
func (h *search) best() culprit {
	var best culprit
	var group []int
	sum := 0.0
	for i := 1; i <= h.last; i++ {
		group = append(group, i)
		sum += h.belief.P[i]
		if h.state.Skipped[i] != "" {
			continue
		}
		if sum > best.p {
			best = culprit{at: i, group: slices.Clone(group), p: sum}
		}
		group, sum = group[:0], 0
	}
	return best
}

// before is the nearest commit before a group that can be measured.
func (c *culprit) before() int { return c.group[0] - 1 }

// confirmed says that the commit and the one before it were compared directly, well
// enough.
func (h *search) confirmed(c culprit) bool {
	logs := h.direct(c)
	if len(logs) < confirmRounds {
		return false
	}
	const narrow = 3
	i := stat.PairLogs(logs).Interval(surely)
	wished := max(h.terms.Limit/2, math.Abs(math.Log(i.Estimate))/narrow) //nolint:mnd // half the limit
	return i.HalfWidth() <= wished || len(logs) >= mostConfirmed
}

// direct are the rounds that compare a commit with the one before it. That is the
// reference itself for the first.
func (h *search) direct(c culprit) []float64 {
	if c.before() == 0 {
		return h.state.Logs[c.at]
	}
	return h.state.Pairs[c.at]
}

// confirm compares a commit with the one before it.
func (h *search) confirm(ctx context.Context, c culprit) error {
	for _, at := range []int{c.before(), c.at} {
		if err := h.skipUnfit(h.build(ctx, at)); err != nil || h.state.Skipped[at] != "" {
			return err
		}
	}
	commits := []int{0, c.at}
	if c.before() != 0 {
		commits = append(commits, c.before())
	}
	return h.skipUnfit(h.take(ctx, commits, moreRounds))
}
