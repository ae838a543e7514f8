package trial

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"whyhot/internal/trial/run"
)

// measure runs rounds until there is a reason to stop.
func (t *trial) measure(ctx context.Context) (Stop, error) {
	order := rand.New(rand.NewPCG(t.plan.Seed, 1)) //nolint:gosec // as above
	for {
		if len(t.running()) < 2 {
			return StopFailed, nil
		}
		if stop, ok := t.enough(); ok {
			return stop, nil
		}
		begin := t.clock.Now()
		if err := t.round(ctx, order); err != nil {
			t.truncate()
			if errors.Is(err, errLimit) {
				return StopBudget, nil
			}
			if ctx.Err() != nil {
				return StopInterrupted, nil //nolint:nilerr // the user ended it; what was measured counts
			}
			return StopFailed, err
		}
		t.rounds++
		t.perRound = t.clock.Now().Sub(begin)
	}
}

// round runs every arm once. Results count only when the round is complete.
func (t *trial) round(ctx context.Context, order *rand.Rand) error {
	arms := t.running()
	order.Shuffle(len(arms), func(i, j int) { arms[i], arms[j] = arms[j], arms[i] })
	if slice := t.slice(arms); slice > 0 {
		if done, err := t.inSlices(ctx, arms, order, slice); done || err != nil {
			return err
		}
	}
	slowest := time.Duration(0)
	for _, a := range arms {
		if t.tooLate() {
			t.notef("the last round is not counted: another run of about %s would have ended after the budget of %s", spoken(t.slowest), spoken(t.plan.Budget))
			return errLimit
		}
		t.report(Progress{Phase: PhaseRound, Running: a.name()})
		res, err := t.runner.Run(ctx, t.next(a, order))
		if err != nil {
			return err
		}
		slowest = max(slowest, res.Wall)
		t.reconsider(a, res)
		if err := t.count(a, res); err != nil {
			return err
		}
	}
	t.slowest = slowest
	return nil
}

// next draws where the arm's next run lies, and gives it.
func (t *trial) next(a *arm, order *rand.Rand) run.Spec {
	t.deal(a, order)
	a.shift = int(order.Uint32() >> 1)
	return t.spec(a)
}

// count adds a run of a round.
func (t *trial) count(a *arm, res *run.Result) error {
	if t.wasCut(res) {
		t.notef("the last round is not counted: %s was ended after %s, when the budget of %s was over", a.name(), spoken(res.Wall), spoken(t.plan.Budget))
		return errLimit
	}
	if err := t.accept(a, res); err != nil {
		return fmt.Errorf("round %d: %w", t.rounds+1, err)
	}
	if _, ok := t.plan.Metric.value(res); !ok && a.variant == nil {
		if err := t.plan.unmeasured(res); err != nil {
			return err
		}
	}
	if a.out == "" {
		a.results, a.laid = append(a.results, res), append(a.laid, a.layout)
	}
	return nil
}

// truncate drops the results of a round that broke off.
func (t *trial) truncate() {
	for _, a := range t.arms {
		n := min(len(a.results), t.rounds)
		a.results, a.laid = a.results[:n], a.laid[:n]
	}
}
