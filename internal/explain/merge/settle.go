package merge

import (
	"whyhot/internal/explain/judge"
	"whyhot/internal/finding"
)

// Settle marks as minor what another finding, whose change takes the work away, makes
// smaller or takes along, so that a report leads with causes:
//
//   - what is done within that work: seven tenths of its samples or more;
//   - the upkeep of memory that costs no more than it: less is allocated, collected and
//     faulted in once the work is gone, how much less shows only a new recording;
//   - whatever is said of a binary that was built without optimisation, or to be examined:
//     what such code spends is not what the product does.
//
// A finding that a trial has proved stays, and one about the build stands first anyway.
//
// Example. A service makes a compressor for each message (30%, made once it is gone); its
// garbage collector takes 14%, a setting of which could be tried. The setting is minor:
// after the change there is next to nothing to collect.
func Settle(found []judge.Found) {
	for i := range found {
		f := &found[i]
		if f.Minor != "" || f.Foremost || f.Aside || f.General || f.Certainty == finding.Proved || f.Certainty == finding.Refuted {
			continue
		}
		for j := range found {
			if i != j {
				if f.Minor = follows(f, &found[j]); f.Minor != "" {
					f.After = found[j].ID
					break
				}
			}
		}
	}
}

// within is the part of the samples of a finding that makes it a part of another.
const within = 0.7

// mostlyPassed is the part of the samples of a finding in the kernel from which its
// library only passes calls on.
const mostlyPassed = 0.5

// follows says why a finding follows from a cause, "" where it does not.
func follows(f, cause *judge.Found) string {
	if cause.Foremost && cause.Certainty != finding.Refuted && (f.Place.Binary == "" || f.Place.Binary == cause.Place.Binary) && cause.Place.Function == "" {
		return "said of a build that is not the product: look again after " + cause.ID
	}
	if cause.Passed && cause.Minor == "" && cause.Certainty != finding.Refuted && !f.Passed && len(f.Samples) > 0 && part(f.Samples, cause.Samples) >= mostlyPassed {
		return "most of it is system calls that " + cause.ID + " is about: another library would make them too"
	}
	if !cause.Removes || cause.Minor != "" || cause.Aside || cause.General || cause.Certainty == finding.Refuted || cause.Share.Main() < f.Share.Main() {
		return ""
	}
	switch {
	case len(f.Samples) > 0 && part(f.Samples, cause.Samples) >= within:
		return "its work is within that of " + cause.ID + ", and gone with it"
	case f.Upkeep:
		return "how much memory costs follows from what allocates: look again after " + cause.ID
	}
	return ""
}

// part is how much of rows is among others.
func part(rows, others []int32) float64 {
	among := make(map[int32]bool, len(others))
	for _, row := range others {
		among[row] = true
	}
	n := 0
	for _, row := range rows {
		if among[row] {
			n++
		}
	}
	return float64(n) / float64(max(len(rows), 1))
}
