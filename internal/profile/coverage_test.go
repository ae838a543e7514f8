package profile

import (
	"strings"
	"testing"
	"time"
)

func TestCoverage(t *testing.T) {
	for _, c := range []struct {
		samples    int64
		seen, used time.Duration
		low        bool
	}{
		{2, 2 * time.Millisecond, 2400 * time.Millisecond, true},
		{0, 0, time.Second, true},
		{1000, 800 * time.Millisecond, time.Second, true},
		{1000, 950 * time.Millisecond, time.Second, false},
		{30, 150 * time.Millisecond, 200 * time.Millisecond, false}, // chance
		{10, 10 * time.Millisecond, 100 * time.Millisecond, false},  // too short to tell
		{100, time.Second, 0, false},                                // not compared
	} {
		got := Coverage{Samples: c.samples, Seen: c.seen, Used: c.used}
		if got.Low() != c.low {
			t.Errorf("%d samples, %s of %s: low is %t", c.samples, c.seen, c.used, !c.low)
		}
	}
	sum := Coverage{1, time.Millisecond, time.Second, ""}.With(Coverage{2, time.Second, 3 * time.Second, "the reason"})
	if sum.Samples != 3 || sum.Used != 4*time.Second || !strings.HasPrefix(sum.Text(), "the samples cover 1.001s (25%) of the 4s") || !strings.HasSuffix(sum.Text(), ": the reason") {
		t.Errorf("%+v: %s", sum, sum.Text())
	}
}
