package explain

import (
	"testing"

	"whyhot/internal/explain/judge"
	"whyhot/internal/finding"
)

// What a finding can save of a command that mostly waits.
func TestFindingsOfACommandThatWaits(t *testing.T) {
	reads, serves := finding.Wait{For: "the network", Seconds: 8}, finding.Wait{For: "events", Seconds: 8, Idle: true}
	for name, x := range map[string]struct {
		waits *finding.Waits
		share float64
		minor bool
	}{
		"it computes":                     {&finding.Waits{Busy: 0.1, Elapsed: 10, Lines: []finding.Wait{reads}}, 0.2, false},
		"nobody has seen it wait":         {nil, 0.2, false},
		"a little":                        {&finding.Waits{Mostly: true, Busy: 0.1, Elapsed: 10, Lines: []finding.Wait{reads}}, 0.2, true},
		"enough":                          {&finding.Waits{Mostly: true, Busy: 0.4, Elapsed: 10, Lines: []finding.Wait{reads}}, 0.2, false},
		"a server":                        {&finding.Waits{Mostly: true, Busy: 0.1, Elapsed: 10, Lines: []finding.Wait{serves}}, 0.2, false},
		"a server that hardly does a bit": {&finding.Waits{Mostly: true, Busy: 0.01, Elapsed: 10, Lines: []finding.Wait{serves}}, 0.2, true},
	} {
		h := heard{waits: x.waits, found: []judge.Found{{Finding: finding.Finding{Certainty: finding.Confirmed, Share: finding.Share{Inclusive: &x.share}}}}}
		h.setWaitingMinor()
		if got := h.found[0].Minor != ""; got != x.minor {
			t.Errorf("%s: minor %v, want %v", name, got, x.minor)
		}
	}
}
