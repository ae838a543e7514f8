package experiment

import (
	"fmt"
	"slices"

	"whyhot/internal/finding"
	"whyhot/internal/finding/ledger"
)

// KeepBeside keeps what the trial says of a finding beside the profile, and says
// what became of the finding; "" where the trial judges none.
func (r *Result) KeepBeside() (said string, err error) {
	switch {
	case r.Finding == "":
		return "", nil
	case len(r.Trials) == 0:
		return fmt.Sprintf("finding %s: nothing kept, since no variant was measured often enough", r.Finding), nil
	case r.Profile == "-":
		return fmt.Sprintf("finding %s: %s; not kept, since the profile has no name", r.Finding, became(r.Trials)), nil
	}
	if err := ledger.Append(r.Profile, r.Finding, r.Trials); err != nil {
		return "", err
	}
	all, err := ledger.Load(r.Profile)
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("finding %s: %s; kept in %s", r.Finding, became(all[r.Finding]), ledger.Path(r.Profile)), nil
}

// became is what all trials of a finding come to, in words.
func became(ts []finding.Trial) string {
	c := ledger.Certainty(ts)
	if !slices.Contains([]finding.Certainty{finding.Proved, finding.Refuted}, c) {
		return "neither proved nor refuted yet"
	}
	return string(c)
}
