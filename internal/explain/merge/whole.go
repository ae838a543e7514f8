package merge

import (
	"cmp"
	"fmt"
	"slices"

	"whyhot/internal/explain/judge"
	"whyhot/internal/finding"
)

const (
	// least is the share from which what one change mends is worth it.
	least = 0.01
	// mostParts bounds how many are listed.
	mostParts = 3
)

// whole makes one finding of those that one change mends, such as the flags that a binary is
// built with. Its share and gain are the sums, its place is the hottest part.
// Example: three loops of libsox with 4.4%, 3.8% and 0.4% that SSE2 computes are one
// finding of 8.6%. What is too little in all is left out. samples are the events of the
// profile.
func whole(found []judge.Found, samples int64) []judge.Found {
	parts := map[string][]judge.Found{}
	var order []string
	var out []judge.Found
	for _, f := range found {
		if f.Whole == "" {
			out = append(out, f)
			continue
		}
		if len(parts[f.Whole]) == 0 {
			order = append(order, f.Whole)
		}
		parts[f.Whole] = append(parts[f.Whole], f)
	}
	for _, id := range order {
		if f := together(parts[id], samples); f.Share.Main() >= least {
			out = append(out, f)
		}
	}
	return out
}

// together is one finding of several, the hottest first; each has an exclusive share.
func together(parts []judge.Found, samples int64) judge.Found {
	slices.SortStableFunc(parts, func(a, b judge.Found) int { return cmp.Compare(b.Share.Main(), a.Share.Main()) })
	f := parts[0]
	f.ID = f.Whole
	if len(parts) == 1 {
		return f
	}
	f.Title += fmt.Sprintf(", and %d more like it", len(parts)-1)
	f.Evidence, f.Samples = slices.Clip(f.Evidence), slices.Clip(f.Samples)
	kind := parts[0].Evidence[0].Kind
	share, gain := *f.Share.Exclusive, *f.Gain
	for i, other := range parts[1:] {
		part := *other.Share.Exclusive
		share += part
		gain.Low += other.Gain.Low
		gain.High += other.Gain.High
		f.Samples = append(f.Samples, other.Samples...)
		if i < mostParts {
			f.Evidence = append(f.Evidence, finding.Evidence{Kind: kind, Text: other.Where, Share: &part})
		}
	}
	if rest := len(parts) - 1 - mostParts; rest > 0 {
		f.Evidence = append(f.Evidence, finding.Evidence{Kind: kind, Text: fmt.Sprintf("and %d more", rest)})
	}
	margin := finding.ShareError(share, samples)
	f.Share, f.Gain = finding.Share{Exclusive: &share, Error: &margin}, &gain
	return f
}
