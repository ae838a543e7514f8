package main

import (
	"testing"
	"time"
)

// The command that push prints shows the profile, whenever that was recorded.
func TestLastOf(t *testing.T) {
	now := time.Date(2026, 11, 23, 12, 0, 0, 0, time.UTC)
	for age, want := range map[time.Duration]string{
		-time.Minute: "1h", 10 * time.Minute: "1h", 59 * time.Minute: "2h", 61 * time.Minute: "2h",
		13*time.Hour + 20*time.Minute: "14h", 49 * time.Hour: "3d", 400 * 24 * time.Hour: "401d",
	} {
		if got := lastOf(now.Add(-age), now); got != want {
			t.Errorf("%s ago: --last %s, want %s", age, got, want)
		}
	}
	if got := lastOf(time.Time{}, now); got != "1h" {
		t.Errorf("of no start: --last %s", got)
	}
}
