package archive

import (
	"slices"
	"strings"

	"whyhot/internal/finding"
)

// RecordedRole is the role of a program that was recorded, where what was measured
// was built anew from its source.
const RecordedRole = "recorded program"

// Learnt is what records say of findings, by finding: trials of the same programs, by
// their build ids, on the same kind of processor. What was proved or refuted holds for
// every profile of them, not only for the one it was found on. Records of another
// program say nothing here, even of a finding with the same id.
func Learnt(records []*Record, buildIDs []string, model string) map[string][]finding.Trial {
	out := map[string][]finding.Trial{}
	for _, r := range slices.Backward(records) { // the latest is the last
		if r.Machine.Model != model || !slices.ContainsFunc(r.Files, func(f File) bool {
			program := f.Role == RecordedRole || strings.HasPrefix(f.Role, "program of ")
			return program && f.BuildID != "" && slices.Contains(buildIDs, f.BuildID)
		}) {
			continue
		}
		for i := range r.Results {
			x := &r.Results[i]
			id := x.Finding
			if id == "" {
				id = r.Finding
			}
			if id == "" || x.Ratio == nil || x.Runs == 0 {
				continue
			}
			out[id] = append(out[id], finding.Trial{Variant: x.Variant, Command: r.Command, Runs: x.Runs, SpeedUp: *x.Ratio, Verdict: x.Verdict})
		}
	}
	return out
}
