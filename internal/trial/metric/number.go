package metric

import (
	"context"
	"errors"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"whyhot/internal/trial/run"
)

// Number is a number in what a command prints, on standard output or standard
// error: what the first group of the pattern matches. Where several lines match,
// the last one counts, since programs print totals last; standard output goes
// before standard error.
type Number struct {
	Pattern        *regexp.Regexp
	HigherIsBetter bool
	Unit           string // "" where the user gave none
}

// ParseNumber reads the pattern as it was typed.
func ParseNumber(pattern, unit string, higherIsBetter bool) (*Number, error) {
	re, err := regexp.Compile(pattern)
	if err != nil {
		return nil, fmt.Errorf("pattern %q: %w", pattern, err)
	}
	if re.NumSubexp() < 1 {
		return nil, fmt.Errorf("pattern %q has no group: put the number in parentheses, as in 'rate: ([0-9.]+)'", pattern)
	}
	return &Number{Pattern: re, HigherIsBetter: higherIsBetter, Unit: unit}, nil
}

// Wrap returns a runner that fills Result.Number. The number is taken out of
// what is compared: it differs from run to run.
func (n *Number) Wrap(inner run.Runner) run.Runner { return numberRunner{n, inner} }

type numberRunner struct {
	number *Number
	inner  run.Runner
}

// Run passes on and reads along.
func (r numberRunner) Run(ctx context.Context, spec run.Spec) (*run.Result, error) {
	var mu sync.Mutex
	last := map[string]string{}
	before := spec.Filter
	spec.Filter = func(name string, line []byte) []byte {
		if name == run.Stdout || name == run.Stderr {
			if at := r.number.Pattern.FindSubmatchIndex(line); at != nil && at[2] >= 0 {
				mu.Lock()
				last[name] = string(line[at[2]:at[3]])
				mu.Unlock()
				line = slices.Delete(slices.Clone(line), at[2], at[3])
			}
		}
		if before != nil {
			line = before(name, line)
		}
		return line
	}
	res, err := r.inner.Run(ctx, spec)
	if err != nil || res.End.Failed() && len(last) == 0 {
		return res, err
	}
	text, ok := last[run.Stdout]
	if !ok {
		text, ok = last[run.Stderr]
	}
	if ok {
		if res.Number, err = parseValue(text); err != nil {
			return nil, fmt.Errorf("pattern %q: %w", r.number.Pattern, err)
		}
	}
	return res, nil
}

var thousands = regexp.MustCompile(`^[+-]?[0-9]{1,3}(,[0-9]{3})+(\.[0-9]*)?$`)

// parseValue reads 12.5, 1e6, 1,234,567.8, and times such as 1.5s, 230ms or
// 0m1.234s, which it gives in seconds.
func parseValue(text string) (float64, error) {
	text = strings.TrimSpace(text)
	if thousands.MatchString(text) {
		text = strings.ReplaceAll(text, ",", "")
	}
	v, err := strconv.ParseFloat(text, 64)
	if err != nil {
		d, errTime := time.ParseDuration(text)
		if errTime != nil {
			return 0, fmt.Errorf("the group matched %q, which is not a number", text)
		}
		v = d.Seconds()
	}
	if math.IsNaN(v) || math.IsInf(v, 0) || v <= 0 {
		return 0, errors.New("the group matched " + strconv.Quote(text) + ": ratios need numbers above 0")
	}
	return v, nil
}
