package trial

import (
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"

	"whyhot/internal/trial/metric"
	"whyhot/internal/trial/run"
)

func TestRateThatIsHigherIsBetter(t *testing.T) {
	f := newFake(nil)
	f.each = func(arm string, _ int) (*run.Result, error) {
		r := result(time.Second)
		r.Number = 1000 * float64(f.noisy(time.Second)) / float64(time.Second)
		if arm == "a" {
			r.Number *= 1.25
		}
		return r, nil
	}
	p := planOf("a")
	number, err := metric.ParseNumber(`rate: (\d+)`, "req/s", true)
	if err != nil {
		t.Fatal(err)
	}
	p.Metric, p.Number = Number, number
	o := do(t, f, p)
	v := o.Variants[0]
	r, _ := o.SpeedUp(&v)
	if v.Verdict != Faster || r.Low > 1.25 || r.High < 1.25 || o.Unit != "req/s" || !o.HigherIsBetter {
		t.Errorf("%+v", v)
	}
	if !strings.Contains(v.Explanation, "more req/s (+2") {
		t.Errorf("explanation %q", v.Explanation)
	}
}

func TestNumberThatIsNeverPrinted(t *testing.T) {
	f := newFake(func(string, int) (*run.Result, error) {
		r := result(time.Second)
		r.StderrTail = "usage: prog FILE\n"
		return r, nil
	})
	p := planOf("a")
	p.Metric, p.Number = Number, &metric.Number{Pattern: regexp.MustCompile(`rate: (\d+)`)}
	_, err := Run(t.Context(), p, f, f, nil)
	if err == nil || !strings.Contains(err.Error(), `rate: (\\d+)`) || !strings.Contains(err.Error(), "usage: prog FILE") {
		t.Errorf("error %v", err)
	}
	if len(f.names) != 1 {
		t.Errorf("%d runs to find out", len(f.names))
	}
}

// counting gives every arm an instruction count that varies by the given share.
func counting(counts map[string]float64, spread float64) *fake {
	f := newFake(nil)
	f.each = func(arm string, _ int) (*run.Result, error) {
		r := result(time.Second)
		r.Instructions = counts[arm] * (1 + spread*f.rng.Float64())
		r.Simulated = true
		return r, nil
	}
	return f
}

func TestInstructionsThatRepeatNeedFewRuns(t *testing.T) {
	f := counting(map[string]float64{"baseline": 1e6, "a": 0.99e6, "b": 1.0005e6, "c": 1.1e6}, 1e-5)
	p := planOf("a", "b", "c")
	p.Metric = Instructions
	o := do(t, f, p)
	if o.Rounds != 3 || o.Stopped != StopSettled {
		t.Errorf("%d rounds, %s", o.Rounds, o.Stopped)
	}
	if got := fmt.Sprint(verdicts(o)); got != "[faster no difference slower]" {
		t.Errorf("verdicts %s", got)
	}
	if _, ok := o.Baseline.Summary[Wall]; ok {
		t.Error("a simulator's time is reported as the command's")
	}
	if !strings.Contains(o.Variants[0].Explanation, "1% fewer instructions") {
		t.Errorf("explanation %q", o.Variants[0].Explanation)
	}
}

// A program that goes its own way in every run is measured as time is.
func TestInstructionsThatVaryNeedMany(t *testing.T) {
	f := counting(map[string]float64{"baseline": 1e6, "a": 0.9e6}, 0.05)
	p := planOf("a")
	p.Metric = Instructions
	o := do(t, f, p)
	if o.Rounds < 9 || o.Variants[0].Verdict != Faster {
		t.Errorf("%d rounds, %s", o.Rounds, o.Variants[0].Verdict)
	}
}

func TestIgnoredPartsReachTheRunner(t *testing.T) {
	f := speeds(map[string]int{"baseline": 10, "a": 10})
	p := planOf("a")
	p.Rounds, p.Ignore = 1, []*regexp.Regexp{regexp.MustCompile(`\d+ms`)}
	do(t, f, p)
	if got := f.specs[0].Filter(run.Stdout, []byte("took 12ms\n")); string(got) != "took \n" {
		t.Errorf("compared %q", got)
	}
}
