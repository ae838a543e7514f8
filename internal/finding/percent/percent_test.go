package percent

import "testing"

func TestShares(t *testing.T) {
	for share, want := range map[float64][2]string{
		0: {"0.0%", "0%"}, 0.03: {"3.0%", "3%"}, 0.0312: {"3.1%", "3.1%"}, 0.0996: {"10.0%", "10%"}, 0.104: {"10.4%", "10%"},
		1: {"100.0%", "100%"}, -0.25: {"-25.0%", "-25%"}, -0.015: {"-1.5%", "-1.5%"},
		0.0004: {"<0.1%", "<0.1%"}, 0.0005: {"0.1%", "0.1%"}, -0.0004: {">-0.1%", ">-0.1%"}, 0.5004: {"50.0%", "50%"},
	} {
		if c, s := Column(share), Text(share); c != want[0] || s != want[1] {
			t.Errorf("%v is written %q and %q, want %q and %q", share, c, s, want[0], want[1])
		}
	}
	if got := Error(0.0123); got != "± 1.2" {
		t.Errorf("error %q", got)
	}
}
