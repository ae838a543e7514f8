package quantity

import (
	"math"
	"testing"
	"time"

	"whyhot/internal/profile"
)

func TestValue(t *testing.T) {
	for _, test := range []struct {
		v    int64
		unit string
		want string
	}{
		{0, "nanoseconds", "0 s"},
		{999, "nanoseconds", "999 ns"},
		{1500, "nanoseconds", "1.50 µs"},
		{-12_345_678, "nanoseconds", "-12.3 ms"},
		{3_021_000_000, "nanoseconds", "3.02 s"},
		{999_499_999, "nanoseconds", "999 ms"},
		{999_500_000, "nanoseconds", "1.00 s"},
		{120, "seconds", "120 s"},
		{7200, "seconds", "120 min"},
		{100 * 3600, "seconds", "100 h"},
		{math.MaxInt64, "seconds", "2.56e+15 h"},
		{math.MinInt64, "microseconds", "-2.56e+09 h"},
		{512, "bytes", "512 B"},
		{123_456_789, "bytes", "118 MiB"},
		{2048, "kilobytes", "2.00 MiB"},
		{1234567, "count", "1,234,567"},
		{-1234, "", "-1,234"},
		{100, "", "100"},
		{math.MinInt64, "count", "-9,223,372,036,854,775,808"},
		{4200, "objects", "4,200 objects"},
	} {
		if got := Value(test.v, profile.ValueType{Unit: test.unit}); got != test.want {
			t.Errorf("%d %s: got %q, want %q", test.v, test.unit, got, test.want)
		}
	}
	if got := Duration(90 * time.Second); got != "90.0 s" {
		t.Errorf("got %q", got)
	}
}

func TestSamples(t *testing.T) {
	for n, want := range map[int64]string{0: "0 samples", 1: "1 sample", 1234: "1,234 samples"} {
		if got := Samples(n); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

func TestRange(t *testing.T) {
	from := time.Date(2026, 11, 30, 10, 3, 0, 0, time.UTC)
	for length, want := range map[time.Duration]string{
		3 * time.Minute: "2026-11-30 10:03 to 10:06 UTC",
		24 * time.Hour:  "2026-11-30 10:03 to 2026-12-01 10:03 UTC",
	} {
		if got := Range(from, from.Add(length)); got != want {
			t.Errorf("%s: %q, want %q", length, got, want)
		}
	}
}
