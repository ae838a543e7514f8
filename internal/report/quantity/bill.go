package quantity

import (
	"fmt"
	"math"
	"strings"

	"whyhot/internal/finding"
)

// Bill writes what is known of a bill: cores, and what they cost in a month.
func Bill(b *finding.Bill) []string {
	if b == nil {
		return nil
	}
	cores := Amount(b.Cores) + " cores"
	var month []string
	if b.Currency != "" {
		month = append(month, Amount(b.Money)+" "+b.Currency)
	}
	if b.CO2 != 0 {
		month = append(month, Amount(b.CO2)+" kg CO2")
	}
	if len(month) == 0 {
		return []string{cores}
	}
	return []string{cores, strings.Join(month, " and ") + " a month"}
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
