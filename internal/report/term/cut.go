package term

import (
	"strings"

	"whyhot/internal/finding/percent"
	"whyhot/internal/profile"
	"whyhot/internal/profile/view"
)

// muchCut is the part of the stacks that are cut from which on totals and callers mislead.
const muchCut = 0.2

// CutText says how much of a profile has stacks whose callers are missing, and what to do; ""
// where it is little.
func CutText(p *profile.Profile) string {
	cut, whole := view.CutStacks(p), WholeOf(p)
	if whole.Share(cut.Value) <= muchCut {
		return ""
	}
	text := percent.Column(whole.Share(cut.Value)) + " of the stacks are cut"
	switch {
	case whyCut(p) != "":
		text += " (" + whyCut(p) + ")"
	case cut.Single > cut.Value/2:
		text += ", most after one frame, as happens without frame pointers"
	default:
		text += ", as happens without frame pointers"
	}
	text += ": callers are missing, and totals are lower bounds"
	if !p.Meta.Recorded && strings.HasPrefix(p.Meta.Source, "perf") {
		text += "; record with perf record --call-graph dwarf, or whyhot record"
	}
	return text
}

// whyCut is what the recorder said of it.
func whyCut(p *profile.Profile) string {
	for _, w := range p.Meta.Warnings {
		if _, why, ok := strings.Cut(w, " stacks are truncated: "); ok {
			return why
		}
	}
	return ""
}
