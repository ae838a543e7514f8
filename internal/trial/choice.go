package trial

import (
	"errors"
	"fmt"
	"os"

	"whyhot/internal/trial/metric"
)

// MetricChoice says what decides, as somebody asks for it.
type MetricChoice struct {
	Name    string // of a metric, "" for wall, or number with a pattern
	Pattern string // regular expression whose first group is a number that the command prints
	Unit    string // of that number
	// HigherIsBetter says that the number is a rate.
	HigherIsBetter bool
}

// Given says that a metric is asked for.
func (c *MetricChoice) Given() bool { return c.Name != "" || c.Pattern != "" }

// Apply checks the choice and puts it into a plan, with what it takes to measure
// it.
func (c *MetricChoice) Apply(p *Plan) error {
	switch {
	case c.Pattern == "" && (c.HigherIsBetter || c.Unit != ""):
		return errors.New("--higher-is-better and --unit are of a number that the command prints: name it with --metric-regex")
	case c.Pattern == "" && c.Name == string(Number):
		return errors.New("--metric number: name the number with --metric-regex, for example 'rate: ([0-9.]+)'")
	}
	p.Metric = Wall
	if c.Pattern != "" {
		number, err := metric.ParseNumber(c.Pattern, c.Unit, c.HigherIsBetter)
		if err != nil {
			return fmt.Errorf("--metric-regex: %w", err)
		}
		p.Number, p.Metric = number, Number
	}
	if c.Name != "" {
		var err error
		if p.Metric, err = ParseMetric(c.Name); err != nil {
			return fmt.Errorf("--metric: %w", err)
		}
	}
	if p.Metric != Instructions {
		return nil
	}
	counter, err := metric.NewCounter(os.TempDir())
	if err != nil {
		return fmt.Errorf("--metric instructions: %w", err)
	}
	p.Counter = counter
	return nil
}
