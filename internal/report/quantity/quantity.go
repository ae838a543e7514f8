// Package quantity writes numbers of a profile for people.
//
// It owns rounding and units. It takes values and gives short texts. Of this
// module it imports internal/finding and internal/profile only.
package quantity

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"whyhot/internal/profile"
)

// Value writes a value in the profile's unit, with about three digits.
func Value(v int64, t profile.ValueType) string {
	switch t.Unit {
	case "nanoseconds", "ns":
		return Duration(time.Duration(v))
	case "microseconds", "us":
		return scaledDuration(v, time.Microsecond)
	case "milliseconds", "ms":
		return scaledDuration(v, time.Millisecond)
	case "seconds", "s":
		return scaledDuration(v, time.Second)
	case "bytes":
		return Bytes(float64(v))
	case "kilobytes":
		return Bytes(float64(v) * 1024)
	case "count", "samples", "":
		return Count(v)
	}
	return Count(v) + " " + t.Unit
}

// scaledDuration keeps totals that do not fit time.Duration readable.
func scaledDuration(v int64, unit time.Duration) string {
	if limit := math.MaxInt64 / int64(unit); v > limit || v < -limit {
		return fmt.Sprintf("%.3g h", float64(v)*unit.Hours())
	}
	return Duration(time.Duration(v) * unit)
}

// Duration writes a time.
func Duration(d time.Duration) string {
	a := d.Abs()
	// A unit ends where three digits would round to its thousand.
	switch {
	case d == 0:
		return "0 s"
	case a < time.Microsecond:
		return fmt.Sprintf("%d ns", d.Nanoseconds())
	case a < 999500*time.Nanosecond:
		return digits(float64(d)/1e3) + " µs"
	case a < 999500*time.Microsecond:
		return digits(float64(d)/1e6) + " ms"
	case a < 10*time.Minute:
		return digits(d.Seconds()) + " s"
	case a < 10*time.Hour:
		return digits(d.Minutes()) + " min"
	}
	return digits(d.Hours()) + " h"
}

// Range writes a span of time to the minute, the day of its end only where that is another one.
func Range(from, until time.Time) string {
	from, until = from.UTC(), until.UTC()
	end := "15:04"
	if from.Format(time.DateOnly) != until.Format(time.DateOnly) {
		end = "2006-01-02 15:04"
	}
	return from.Format("2006-01-02 15:04") + " to " + until.Format(end) + " UTC"
}

// Bytes writes a size in binary units.
func Bytes(v float64) string {
	units := []string{"B", "KiB", "MiB", "GiB", "TiB", "PiB"}
	i := 0
	for math.Abs(v) >= 1000 && i < len(units)-1 {
		v /= 1024
		i++
	}
	if i == 0 {
		return fmt.Sprintf("%.0f B", v)
	}
	return digits(v) + " " + units[i]
}

// digits rounds to three digits, but never in front of the point.
func digits(v float64) string {
	switch a := math.Abs(v); {
	case a >= 1000:
		return Count(int64(math.Round(v)))
	case a >= 100:
		return fmt.Sprintf("%.0f", v)
	case a >= 10:
		return fmt.Sprintf("%.1f", v)
	}
	return fmt.Sprintf("%.2f", v)
}

// Count writes a number with its thousands grouped.
func Count(n int64) string {
	s := strconv.FormatInt(n, 10)
	sign := ""
	if s[0] == '-' {
		sign, s = "-", s[1:]
	}
	var b strings.Builder
	b.WriteString(sign)
	for i, r := range s {
		if i > 0 && (len(s)-i)%3 == 0 {
			b.WriteByte(',')
		}
		b.WriteRune(r)
	}
	return b.String()
}

// Samples is a number of samples with its noun.
func Samples(n int64) string {
	if n == 1 {
		return "1 sample"
	}
	return Count(n) + " samples"
}
