// Package price says what cores cost: money and CO2, by the user's own prices.
//
// It owns the price file, its checks, and how a share of a profile becomes cores and
// cores become a bill. It takes a file or values from a form and gives finding.Bill. Of
// this module it imports internal/finding, internal/host/yamldoc and internal/profile
// only.
//
// A profile says how much CPU time was spent in how much time: the cores that were
// busy. A bill is for a year in which they stay as busy. For example, 90 s of CPU
// time recorded in 60 s are 1.5 cores; at 0.04 EUR for an hour of a core these are
// 1.5 × 8,760 × 0.04 = 525.60 EUR a year.
package price

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"unicode"

	"whyhot/internal/finding"
	"whyhot/internal/host/yamldoc"
	"whyhot/internal/profile"
)

// HoursPerYear are 365 days, as cloud providers count.
const HoursPerYear = 8760

// Bounds of what a form takes: far above anything real.
const (
	maxCurrency = 8
	maxPrice    = 1e6
)

// Prices are what the user pays. What is 0 is not known.
type Prices struct {
	Currency string  `json:"currency,omitempty"                yaml:"currency"` // "EUR"
	CoreHour float64 `json:"core_hour,omitempty"               yaml:"core_hour"`
	CO2      float64 `json:"co2_grams_per_core_hour,omitempty" yaml:"co2_grams_per_core_hour"`
}

// Read reads and checks a price file.
func Read(path string) (Prices, error) {
	var p Prices
	if err := yamldoc.Read(path, &p); err != nil {
		return Prices{}, fmt.Errorf("prices: %w", err)
	}
	if err := p.Check(); err != nil {
		return Prices{}, fmt.Errorf("prices: %s: %w", path, err)
	}
	return p, nil
}

// Check says what is wrong with prices, whoever gave them.
func (p Prices) Check() error {
	for name, v := range map[string]float64{"core_hour": p.CoreHour, "co2_grams_per_core_hour": p.CO2} {
		if math.IsNaN(v) || v < 0 || v > maxPrice {
			return fmt.Errorf("%s: %v is no price; it must be between 0 and %.0f", name, v, maxPrice)
		}
	}
	strange := func(r rune) bool { return !unicode.IsLetter(r) && !unicode.Is(unicode.Sc, r) }
	switch {
	case p.CoreHour == 0 && p.CO2 == 0:
		return errors.New("gives no price: set core_hour with currency, co2_grams_per_core_hour, or all three")
	case p.CoreHour > 0 && p.Currency == "":
		return errors.New("core_hour needs a currency, such as EUR")
	case len([]rune(p.Currency)) > maxCurrency || strings.ContainsFunc(p.Currency, strange):
		return fmt.Errorf("currency: %q is none; write a code or a sign, such as EUR or €", p.Currency)
	}
	return nil
}

// Of is the bill of cores.
func (p Prices) Of(cores float64) finding.Bill {
	b := finding.Bill{Cores: cores, CO2: cores * HoursPerYear * p.CO2 / 1000}
	if p.CoreHour > 0 {
		b.Currency, b.Money = p.Currency, cores*HoursPerYear*p.CoreHour
	}
	return b
}

// Rate bills shares of one profile.
type Rate struct {
	Prices Prices
	Cores  float64 // of all of the profile
}

// Of is the bill of a share.
func (r *Rate) Of(share float64) finding.Bill { return r.Prices.Of(share * r.Cores) }

// Errors of Cores.
var (
	errNoTime = errors.New("the profile counts no CPU time")
	errNoSpan = errors.New("the profile does not say how long it was recorded")
)

// Cores is how many cores a profile kept busy while it was recorded.
func Cores(p *profile.Profile) (float64, error) {
	unit, ok := seconds[strings.ToLower(p.Meta.ValueType.Unit)]
	kind, _, _ := strings.Cut(strings.ToLower(p.Meta.ValueType.Type), ":")
	switch {
	case !ok || !slices.Contains(cpuTime, kind) && !strings.HasPrefix(kind, "cpu"):
		return 0, errNoTime
	case p.Meta.Duration <= 0:
		return 0, errNoSpan
	}
	return float64(p.Total()) * unit / p.Meta.Duration.Seconds(), nil
}

// seconds are the units of time by the names that formats give them.
var seconds = map[string]float64{
	"nanoseconds": 1e-9, "ns": 1e-9, "microseconds": 1e-6, "us": 1e-6, "milliseconds": 1e-3, "ms": 1e-3, "seconds": 1, "s": 1,
}

// cpuTime are the types of values that are CPU time where their unit is a time, beside
// those that begin with "cpu". Time on the clock ("wall") is not: it passes while
// nothing runs.
var cpuTime = []string{"task-clock", "samples", ""}
