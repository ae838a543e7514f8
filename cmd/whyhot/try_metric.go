package main

import (
	"errors"
	"fmt"
	"os"
	"regexp"
	"strings"

	"github.com/spf13/cobra"

	"whyhot/internal/trial"
	"whyhot/internal/trial/metric"
)

// metricFlags say what decides.
type metricFlags struct {
	name    string
	pattern string
	unit    string
	higher  bool
}

func (m *metricFlags) register(cmd *cobra.Command) {
	flags := cmd.Flags()
	names := make([]string, 0, len(trial.Metrics()))
	for _, k := range trial.Metrics() {
		names = append(names, string(k))
	}
	flags.StringVar(&m.name, "metric", "", "what decides: "+strings.Join(names, ", ")+" (default wall, or number with --metric-regex)")
	flags.StringVar(&m.pattern, "metric-regex", "", "regular expression whose first group is a number that the command prints, for example 'rate: ([0-9.]+)'")
	flags.BoolVar(&m.higher, "higher-is-better", false, "the number of --metric-regex is a rate, not a duration")
	flags.StringVar(&m.unit, "unit", "", "unit of the number of --metric-regex, for example requests/s")
}

// given says that the user named a metric.
func (m *metricFlags) given() bool { return m.name != "" || m.pattern != "" }

// fill puts the metric into a plan.
func (m *metricFlags) fill(p *trial.Plan) error {
	switch {
	case m.pattern == "" && (m.higher || m.unit != ""):
		return errors.New("--higher-is-better and --unit are of a number that the command prints: name it with --metric-regex")
	case m.pattern == "" && m.name == string(trial.Number):
		return errors.New("--metric number: name the number with --metric-regex, for example 'rate: ([0-9.]+)'")
	}
	p.Metric = trial.Wall
	if m.pattern != "" {
		number, err := metric.ParseNumber(m.pattern, m.unit, m.higher)
		if err != nil {
			return fmt.Errorf("--metric-regex: %w", err)
		}
		p.Number, p.Metric = number, trial.Number
	}
	if m.name != "" {
		var err error
		if p.Metric, err = trial.ParseMetric(m.name); err != nil {
			return fmt.Errorf("--metric: %w", err)
		}
	}
	if p.Metric != trial.Instructions {
		return nil
	}
	counter, err := metric.NewCounter(os.TempDir())
	if err != nil {
		return fmt.Errorf("--metric instructions: %w", err)
	}
	p.Counter = counter
	return nil
}

// parseIgnore reads the expressions of what is not compared.
func parseIgnore(expressions []string) ([]*regexp.Regexp, error) {
	out := make([]*regexp.Regexp, 0, len(expressions))
	for _, e := range expressions {
		re, err := trial.ParseIgnore(e)
		if err != nil {
			return nil, fmt.Errorf("--%w", err)
		}
		out = append(out, re)
	}
	return out, nil
}
