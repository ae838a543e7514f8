package trial

import (
	"errors"
	"fmt"
	"regexp"
	"time"

	"whyhot/internal/trial/metric"
	"whyhot/internal/trial/run"
	"whyhot/internal/trial/stat"
	"whyhot/internal/trial/variant"
)

// Plan is an experiment to run.
type Plan struct {
	Command  []string
	Dir      string
	Env      []string // the environment that the baseline gets
	Stdin    string   // file to replay to every run, "" for none
	Outputs  []string // files to compare beside standard output
	Variants []variant.Variant
	Layouts  []variant.Layout // of the baseline, nil for one only
	// Together has round n run all sides in their layout n, and begin again after the
	// last one: layouts of the same number are made the same way.
	Together bool
	Metric   Metric
	// Slices has the runs of a round take turns of a slice of time where that is possible:
	// their directories differ, and nothing else that they write. Without it they run one
	// after the other.
	Slices bool
	// Number is the number to read from the output, nil for none; the metric
	// Number needs it.
	Number *metric.Number
	// Counter counts instructions for the metric Instructions.
	Counter *metric.Counter
	// Ignore is what to leave out of lines of output that are compared.
	Ignore []*regexp.Regexp

	Seed      uint64
	WarmUps   int           // runs of each that are not measured, at least 1
	Rounds    int           // exactly so many; 0 to stop when more would teach nothing
	MinRounds int           // rounds measured even when the budget is spent
	Unjudged  bool          // the values are wanted and no verdict: few rounds are not remarked on
	Budget    time.Duration // time after which no run ends that can be foreseen, warm-up included; 0 for no limit
	Level     float64       // joint confidence of all verdicts, 0 for that of stat.DefaultRules
	Timeout   time.Duration // of one run; 0 for ten times the first run of the baseline, at least a minute
	Pin       []int

	// Load is what loads the command, which is a server; nil where it ends by itself.
	Load *run.Load

	// Busy tells how many CPUs other processes kept busy since the trial began, nil
	// where nobody knows.
	Busy func() float64

	// Earlier is a trial of the same that this one goes on with, nil for none: its
	// rounds count as the first of this one.
	Earlier *Outcome

	// Enough takes the place of the rules by which a trial stops before its budget ends:
	// it is told the values of all rounds, the baseline's and the first variant's, after
	// each of them. nil for the rules.
	Enough func(base, variant []float64) bool

	// IgnoreFailure measures a command that exits with a status other than 0,
	// which then has to be the same in every run.
	IgnoreFailure bool
}

func (p *Plan) check() error {
	switch {
	case len(p.Command) == 0:
		return errors.New("no command to try")
	case len(p.Variants) == 0:
		return errors.New("no variant to try")
	case p.Rounds > 0 && p.MinRounds > p.Rounds:
		return fmt.Errorf("at least %d runs and exactly %d runs contradict each other", p.MinRounds, p.Rounds)
	case p.Rounds == 0 && p.Budget == 0:
		return errors.New("neither a number of runs nor a budget: the trial might never end")
	}
	if err := errors.Join(p.checkMetric(), p.checkEarlier()); err != nil {
		return err
	}
	return variant.Unique(p.Variants)
}

// rules are the thresholds for the plan's metric.
func (p *Plan) rules() stat.Rules {
	r := stat.DefaultRules(len(p.Variants))
	r.Once = p.Rounds > 0
	if p.Level > 0 {
		r = r.At(p.Level)
	}
	if p.Metric.counted() {
		// Where code lies does not change how much of it is executed. What still
		// varies is what a program makes of addresses, times and its environment.
		const band = 0.002
		r.Band = band
	}
	return r
}

// Clock is the time as the schedule sees it; tests bring their own.
type Clock interface{ Now() time.Time }

// SystemClock is the machine's clock.
type SystemClock struct{}

// Now is the current time.
func (SystemClock) Now() time.Time { return time.Now() }
