package trial

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"whyhot/internal/trial/run"
	"whyhot/internal/trial/variant"
)

// Metric is what a trial judges by.
type Metric string

// The metrics. Smaller is better for all of them.
const (
	Wall   Metric = "wall"   // elapsed seconds
	CPU    Metric = "cpu"    // user and system seconds of the whole tree
	Memory Metric = "memory" // bytes, peak of the largest process
	Faults Metric = "faults" // page faults of the whole tree
)

// Metrics lists all metrics.
func Metrics() []Metric { return []Metric{Wall, CPU, Memory, Faults} }

// ParseMetric reads the name of a metric.
func ParseMetric(s string) (Metric, error) {
	names := make([]string, 0, len(Metrics()))
	for _, m := range Metrics() {
		if string(m) == s {
			return m, nil
		}
		names = append(names, string(m))
	}
	return "", fmt.Errorf("unknown metric %q: want one of %s", s, strings.Join(names, ", "))
}

// Unit is the unit of a metric's values.
func (m Metric) Unit() string {
	switch m {
	case Wall, CPU:
		return "seconds"
	case Memory:
		return "bytes"
	case Faults:
		return "faults"
	}
	return ""
}

// value reads the metric from a run. ok is false where the run does not know it.
func (m Metric) value(r *run.Result) (v float64, ok bool) {
	switch m {
	case Wall:
		v = r.Wall.Seconds()
	case CPU:
		v = r.CPU().Seconds()
	case Memory:
		v = float64(r.PeakRSS)
	case Faults:
		v = float64(r.MinorFaults + r.MajorFaults)
	}
	return v, v > 0
}

// Plan is an experiment to run.
type Plan struct {
	Command  []string
	Dir      string
	Env      []string // the environment that the baseline gets
	Stdin    string   // file to replay to every run, "" for none
	Outputs  []string // files to compare beside standard output
	Variants []variant.Variant
	Metric   Metric

	Seed      uint64
	WarmUps   int           // runs of each that are not measured, at least 1
	Rounds    int           // exactly so many; 0 to stop when more would teach nothing
	MinRounds int           // rounds measured even when the budget is spent; 0 for what a verdict needs
	Budget    time.Duration // time after which no new round starts, warm-up included; 0 for no limit
	// HardBudget lets the budget win over what a verdict needs.
	HardBudget bool
	Timeout    time.Duration // of one run; 0 for ten times the first run of the baseline, at least a minute
	Pin        []int

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
		return fmt.Errorf("at least %d runs asked for, but exactly %d to be made", p.MinRounds, p.Rounds)
	case p.Rounds == 0 && p.Budget == 0:
		return errors.New("neither a number of runs nor a budget: the trial might never end")
	}
	return variant.Unique(p.Variants)
}

// Clock is the time as the schedule sees it; tests bring their own.
type Clock interface{ Now() time.Time }

// SystemClock is the machine's clock.
type SystemClock struct{}

// Now is the current time.
func (SystemClock) Now() time.Time { return time.Now() }
