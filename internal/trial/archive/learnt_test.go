package archive

import (
	"testing"

	"whyhot/internal/finding"
	"whyhot/internal/trial"
)

// What was proved and refuted speaks for the same program on the same machine, the
// latest last, and for nothing else.
func TestLearnt(t *testing.T) {
	record := func(model, role, buildID, id string, estimate float64, v finding.Verdict) *Record {
		return &Record{
			Machine: trial.Machine{Model: model}, Command: []string{"./p"},
			Files:   []File{{Role: "argument 1 of baseline", BuildID: "argument"}, {Role: role, BuildID: buildID}},
			Results: []Result{{Variant: "V=1", Finding: id, Ratio: &finding.Interval{Estimate: estimate, Low: estimate - 0.1, High: estimate + 0.1}, Verdict: v, Runs: 9}},
		}
	}
	whole := record("cpu", "program of baseline", "b1", "", 1.1, finding.Faster)
	whole.Finding = "malloc-1" // of a trial of one finding
	failed := record("cpu", "program of baseline", "b1", "malloc-1", 1, finding.Failed)
	failed.Results[0].Ratio = nil
	records := []*Record{ // as List gives them, the latest first
		record("cpu", "program of baseline", "b1", "malloc-1", 1.0, finding.Same),
		record("cpu", RecordedRole, "b1", "loop-1", 1.5, finding.Faster),
		whole, failed,
		record("other cpu", "program of baseline", "b1", "malloc-1", 2, finding.Faster),
		record("cpu", "program of baseline", "b2", "malloc-1", 2, finding.Faster),
		record("cpu", "library mimalloc", "b1", "malloc-1", 2, finding.Faster),
		record("cpu", "program of baseline", "", "malloc-1", 2, finding.Faster),
	}
	got := Learnt(records, []string{"b1", "libc", "argument"}, "cpu")
	if m := got["malloc-1"]; len(got) != 2 || len(m) != 2 || m[0].SpeedUp.Estimate != 1.1 || m[1].SpeedUp.Estimate != 1.0 || m[1].Runs != 9 {
		t.Errorf("%+v", got)
	}
	if l := got["loop-1"]; len(l) != 1 || l[0].Verdict != finding.Faster || l[0].Variant != "V=1" {
		t.Errorf("%+v", l)
	}
	if got := Learnt(records, nil, "cpu"); len(got) != 0 {
		t.Errorf("of no program: %+v", got)
	}
}
