package finding

import (
	"math"
	"testing"
)

func TestIDSurvivesLineShifts(t *testing.T) {
	a := Place{Binary: "/usr/bin/jq", Function: "f", File: "a.c", Line: 10}
	b := a
	b.Line, b.EndLine, b.BuildID, b.Binary, b.File = 99, 120, "ff", "/opt/jq", "/other/checkout/a.c"
	if ID("r", a) != ID("r", b) {
		t.Errorf("the ID moved with the line, the build or the directories: %s, %s", ID("r", a), ID("r", b))
	}
	c := a
	c.Function = "g"
	for _, other := range []string{ID("r", c), ID("s", a), ID("r", a, "x")} {
		if other == ID("r", a) {
			t.Errorf("two different findings share the ID %s", other)
		}
	}
	if ID("r", Place{Function: "ab"}) == ID("r", Place{Function: "a", File: "b"}) {
		t.Error("field borders do not count in the ID")
	}
}

// The Wilson interval has well-known values: for 10 successes of 100 it is
// 0.0552–0.1744.
func TestShareErrorIsWilson(t *testing.T) {
	if got, want := ShareError(0.1, 100), (0.17436-0.05523)/2; math.Abs(got-want) > 1e-4 {
		t.Errorf("half-width for 10 of 100: got %.5f, want %.5f", got, want)
	}
	if got := ShareError(0, 100); got <= 0 {
		t.Errorf("a share of none in 100 samples is not certain: %v", got)
	}
	if got := ShareError(0.5, 0); got != 1 {
		t.Errorf("without samples nothing is known: %v", got)
	}
}

func TestSpeedUpIsAmdahl(t *testing.T) {
	if got := SpeedUp(0.2); math.Abs(got-1.25) > 1e-12 {
		t.Errorf("a fifth given back: got %v, want 1.25", got)
	}
	if !math.IsInf(SpeedUp(1), 1) {
		t.Error("all given back is no finite ratio")
	}
}
