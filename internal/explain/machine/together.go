package machine

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"

	"whyhot/internal/finding"
	"whyhot/internal/profile"
)

// Together makes one finding of those whose fix is one for all loops of a binary: the
// flags that it is built with. Its share and gain are the sums, its place is the hottest
// loop. Example: three loops of libsox with 4.4%, 3.8% and 0.4% that SSE2 computes are one
// finding of 8.6%. What is too little in all is left out.
func Together(p *profile.Profile, found []Found) []Found {
	type cause struct{ rule, binary string }
	parts := map[cause][]Found{}
	var order []cause
	var out []Found
	for _, f := range found {
		if !rules[f.Rule].whole {
			out = append(out, f)
			continue
		}
		c := cause{f.Rule, f.Place.Binary}
		if len(parts[c]) == 0 {
			order = append(order, c)
		}
		parts[c] = append(parts[c], f)
	}
	for _, c := range order {
		if f := together(p, parts[c]); f.Share.Main() >= least {
			out = append(out, f)
		}
	}
	return out
}

// together is one finding of several, the hottest first; each has an exclusive share.
func together(p *profile.Profile, parts []Found) Found {
	slices.SortStableFunc(parts, func(a, b Found) int { return cmp.Compare(b.Share.Main(), a.Share.Main()) })
	f := parts[0]
	f.ID = finding.ID(f.Rule, finding.Place{Binary: f.Place.Binary})
	if len(parts) == 1 {
		return f
	}
	f.Title += fmt.Sprintf(", and %d more like it", len(parts)-1)
	f.Evidence = slices.Clip(f.Evidence)
	share, gain := *f.Share.Exclusive, *f.Gain
	for i, other := range parts[1:] {
		part := *other.Share.Exclusive
		share += part
		gain.Low += other.Gain.Low
		gain.High += other.Gain.High
		f.Others = append(f.Others, other.Loop)
		if i < mostEvidence {
			f.Evidence = append(f.Evidence, finding.Evidence{Kind: evidenceKind, Text: other.Loop.where(), Share: &part})
		}
	}
	if rest := len(parts) - 1 - mostEvidence; rest > 0 {
		f.Evidence = append(f.Evidence, finding.Evidence{Kind: evidenceKind, Text: fmt.Sprintf("and %d more loops", rest)})
	}
	margin := finding.ShareError(share, p.Count())
	f.Share, f.Gain = finding.Share{Exclusive: &share, Error: &margin}, &gain
	return f
}

// Flags are those of the compiler that mend what a rule finds, "" where that takes more.
func Flags(rule string) string { return rules[rule].flags }

// where says which loop it is.
func (l *Loop) where() string {
	text := fmt.Sprintf("the loop at %x-%x", l.Start, l.End)
	if l.Function != "" {
		text += " in " + l.Function
	}
	if l.Line > 0 {
		text += fmt.Sprintf(" (%s:%d)", filepath.Base(l.File), l.Line)
	}
	return text
}
