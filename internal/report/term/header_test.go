package term

import (
	"strings"
	"testing"
	"time"

	"whyhot/internal/profile"
)

// A server's profile is of a range, and its duration that of all services: of one that was
// pushed, "recorded for" would be wrong.
func TestHeaderOfRange(t *testing.T) {
	from := time.Date(2026, 11, 30, 10, 3, 0, 0, time.UTC)
	p := profile.NewBuilder().Build(profile.Meta{
		Duration: 130 * time.Second, Range: profile.Range{From: from, Until: from.Add(3 * time.Minute)},
	})
	got := strings.Join(facts(p), " · ")
	if want := "2026-11-30 10:03 to 10:06 UTC · all services recorded for 130 s of it"; !strings.Contains(got, want) || strings.Contains(got, "· recorded for") {
		t.Errorf("%s", got)
	}
}
