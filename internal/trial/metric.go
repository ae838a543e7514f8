package trial

import (
	"errors"
	"fmt"
	"regexp"
	"strings"

	"whyhot/internal/trial/run"
)

// Metric is what a trial judges by.
type Metric string

// The metrics. Smaller is better for all but Number, for which the plan says so.
const (
	Wall         Metric = "wall"         // elapsed seconds
	CPU          Metric = "cpu"          // user and system seconds of the whole tree
	Memory       Metric = "memory"       // bytes, peak of the largest process
	Faults       Metric = "faults"       // page faults of the whole tree
	Instructions Metric = "instructions" // executed in user mode by the whole tree
	Number       Metric = "number"       // printed by the command
)

// Metrics lists all metrics.
func Metrics() []Metric { return []Metric{Wall, CPU, Memory, Faults, Instructions, Number} }

// ParseMetric reads the name of a metric.
func ParseMetric(s string) (Metric, error) {
	names := make([]string, 0, len(Metrics()))
	for _, m := range Metrics() {
		if string(m) == s {
			return m, nil
		}
		names = append(names, string(m))
	}
	return "", fmt.Errorf("unknown metric %q: must be one of %s", s, strings.Join(names, ", "))
}

// Unit is the unit of a metric's values, "" for a number of unknown unit.
func (m Metric) Unit() string {
	switch m {
	case Wall, CPU:
		return "seconds"
	case Memory:
		return "bytes"
	case Faults:
		return "faults"
	case Instructions:
		return "instructions"
	case Number:
	}
	return ""
}

// value reads the metric from a run. ok is false where the run does not know it.
func (m Metric) value(r *run.Result) (v float64, ok bool) {
	if r.Simulated && m != Instructions && m != Number {
		return 0, false // the simulator's own
	}
	switch m {
	case Wall:
		v = r.Wall.Seconds()
	case CPU:
		v = r.CPU().Seconds()
	case Memory:
		v = float64(r.PeakRSS)
	case Faults:
		v = float64(r.MinorFaults + r.MajorFaults)
	case Instructions:
		v = r.Instructions
	case Number:
		v = r.Number
	}
	return v, v > 0
}

// counted says that the metric hardly varies, so that few runs tell.
func (m Metric) counted() bool { return m == Instructions }

func (p *Plan) checkMetric() error {
	if p.Metric == Number && p.Number == nil {
		return errors.New("give the pattern of the number to read from the output")
	}
	return nil
}

// higherIsBetter says which way a metric counts.
func (p *Plan) higherIsBetter(m Metric) bool {
	return m == Number && p.Number != nil && p.Number.HigherIsBetter
}

func (p *Plan) unit(m Metric) string {
	if m == Number && p.Number != nil {
		return p.Number.Unit
	}
	return m.Unit()
}

// instrument puts what the metrics need around a runner.
func (p *Plan) instrument(r run.Runner) run.Runner {
	if p.Metric == Instructions && p.Counter != nil {
		r = p.Counter.Wrap(r)
	}
	if p.Number != nil {
		r = p.Number.Wrap(r)
	}
	if p.perUnit() {
		r = perUnit{r}
	}
	return r
}

// ParseIgnore reads an expression of what is not compared.
func ParseIgnore(expression string) (*regexp.Regexp, error) {
	re, err := regexp.Compile(expression)
	if err != nil {
		return nil, fmt.Errorf("ignore %q: %w", expression, err)
	}
	return re, nil
}

// filter leaves out of a line what is not compared, nil when all of it is.
func (p *Plan) filter() func(name string, line []byte) []byte {
	if len(p.Ignore) == 0 {
		return nil
	}
	return func(_ string, line []byte) []byte {
		rest := line
		for _, re := range p.Ignore {
			rest = re.ReplaceAll(rest, nil)
		}
		if len(rest) < len(line) && string(rest) == "\n" {
			return nil // a line that is ignored as a whole is not there
		}
		return rest
	}
}

// unmeasured is the error of a baseline that does not give the metric at all.
func (p *Plan) unmeasured(r *run.Result) error {
	switch p.Metric { //nolint:exhaustive // the others are always known, or left out of the table
	case Number:
		text := fmt.Sprintf("the command prints nothing that matches %q, neither on standard output nor on standard error", p.Number.Pattern)
		if line := lastLine(r.StderrTail); line != "" {
			text += "; the last line of standard error: " + line
		}
		return errors.New(text)
	case Instructions:
		return errors.New("no instructions were counted: valgrind or perf cannot run the command")
	}
	return nil
}
