package quantity

import (
	"fmt"
	"math"
	"strings"

	"whyhot/internal/finding"
)

// Bill writes what is known of a bill: cores, and what they cost in a year.
func Bill(b *finding.Bill) []string {
	if b == nil {
		return nil
	}
	cores := Amount(b.Cores) + " cores"
	var year []string
	if b.Currency != "" {
		year = append(year, Amount(b.Money)+" "+b.Currency)
	}
	if b.CO2 != 0 {
		year = append(year, Amount(b.CO2)+" kg CO2")
	}
	if len(year) == 0 {
		return []string{cores}
	}
	return []string{cores, strings.Join(year, " and ") + " a year"}
}

// Amount writes an amount with two decimals, and what is large without: a profile does
// not know more.
func Amount(v float64) string {
	switch {
	case v != 0 && math.Abs(v) < 0.005:
		if v < 0 {
			return ">-0.01"
		}
		return "<0.01"
	case math.Abs(v) >= 999.5:
		return Count(int64(math.Round(v)))
	}
	return fmt.Sprintf("%.2f", v)
}
