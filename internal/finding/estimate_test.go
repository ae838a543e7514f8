package finding

import "testing"

func TestSpeedUps(t *testing.T) {
	for _, x := range []struct {
		low, high float64
		want      string
	}{{0, 0.5, "1.00× to 2.00×"}, {-0.25, 0.2, "0.80× to 1.25×"}, {0.1, 0.999, "from 1.11×"}, {0.5, 1, "from 2.00×"}} {
		if got := SpeedUps(x.low, x.high); got != x.want {
			t.Errorf("%v … %v: %q, want %q", x.low, x.high, got, x.want)
		}
	}
}
