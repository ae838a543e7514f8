package trial

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"time"
)

// usualBudget is the time of a trial where nobody names one.
const usualBudget = 2 * time.Minute

// leastLevel is the confidence below which a verdict is none.
const leastLevel = 0.5

// Schedule says how long a trial measures and on which CPUs, as somebody asks for
// it.
type Schedule struct {
	// Budget is a time that is kept, whatever is known by then; nil for two minutes.
	Budget    *time.Duration
	Rounds    int // exactly so many, 0 for as many as it takes
	MinRounds int
	Unjudged  bool          // the values are wanted and no verdict
	WarmUps   int           // at least 1
	Timeout   time.Duration // of one run, 0 for what Plan says
	Pin       []int
	Seed      *uint64 // nil for a random order
	// Level is the joint confidence of all intervals of the trial, 0 for 95%. A trial
	// that is one of several asks for more.
	Level float64
}

// Apply checks the schedule and puts it into a plan.
func (s *Schedule) Apply(p *Plan) error {
	switch {
	case s.Rounds < 0 || s.MinRounds < 0 || s.WarmUps < 1:
		return errors.New("--runs and --min-runs cannot be negative, and --warm-up is at least 1")
	case s.Timeout < 0 || s.Budget != nil && *s.Budget <= 0:
		return errors.New("--budget and --timeout are times above 0, for example 2m")
	}
	if s.Level != 0 && (s.Level < leastLevel || s.Level >= 1) {
		return fmt.Errorf("a joint confidence of %v: from %v to less than 1", s.Level, leastLevel)
	}
	for _, c := range s.Pin {
		const most = 1024 // CPUs of a cpu_set_t
		if c < 0 || c >= most {
			return fmt.Errorf("--pin: there is no CPU %d", c)
		}
	}
	p.Level = s.Level
	p.Rounds, p.MinRounds, p.Unjudged, p.WarmUps, p.Timeout, p.Pin = s.Rounds, s.MinRounds, s.Unjudged, s.WarmUps, s.Timeout, s.Pin
	switch {
	case s.Budget != nil:
		p.Budget = *s.Budget
	case s.Rounds == 0:
		p.Budget = usualBudget
	}
	if s.Seed != nil {
		p.Seed = *s.Seed
	} else {
		p.Seed = uint64(rand.Uint32()) //nolint:gosec // it orders runs and keeps no secret; 32 bits survive every JSON reader
	}
	return nil
}
