package passes

import (
	"cmp"
	"fmt"
	"slices"

	"whyhot/internal/explain/judge"
	"whyhot/internal/finding"
	"whyhot/internal/finding/percent"
)

const (
	// lesserPart is how much less a place must show where its rule has found another.
	lesserPart = 0.3
	// mostLesser is how many of them a finding names.
	mostLesser = 5
)

// addLesser adds to the dearest finding of each rule the places with less of the CPU that are of
// the same form: whoever returns a copy once does it again, and each alone may be too little to
// be told.
//
// Example. planFor returns a copy (34%), and so does ratesOf (6%): one finding with 40%.
func (r *reader) addLesser(s judge.Subject, t *told) {
	if len(t.Found) == 0 {
		return
	}
	first := map[string]int{}
	for i, f := range t.Found {
		if known, is := first[f.Rule]; !is || *f.Share.Inclusive > *t.Found[known].Share.Inclusive {
			first[f.Rule] = i
		}
	}
	less, lesser := r.with(lesserPart), told{said: t.said}
	for _, rule := range rules {
		if _, is := first[rule.id]; is {
			judge.Guard("the rule "+rule.id, &lesser.Notes, func() { rule.tell(less, s, &lesser) })
		}
	}
	slices.SortStableFunc(lesser.Found, func(a, b judge.Found) int { return cmp.Compare(*b.Share.Inclusive, *a.Share.Inclusive) })
	added := map[string]int{}
	for _, x := range lesser.Found {
		if i, is := first[x.Rule]; is && added[x.Rule] < mostLesser && x.Place.Line > 0 {
			added[x.Rule]++
			addPlace(s, &t.Found[i], x)
		}
	}
}

// addPlace makes a place part of a finding of the same rule.
func addPlace(s judge.Subject, f *judge.Found, x judge.Found) {
	f.Samples = joinRows(f.Samples, x.Samples)
	before, share := *f.Share.Inclusive, s.Profile.Share(f.Samples)
	if before <= 0 || share <= before {
		return
	}
	margin := finding.ShareError(share, s.Profile.Count())
	f.Share = finding.Share{Inclusive: &share, Error: &margin}
	if g := f.Gain; g != nil {
		times := share / before
		f.Gain = &finding.Gain{Low: g.Low * times, Likely: g.Likely * times, High: min(1, g.High*times), Reach: min(1, g.Reach*times), Basis: fmt.Sprintf("%s of the CPU in all its places", percent.Text(share))}
	}
	f.Fix.Steps = append(f.Fix.Steps, fmt.Sprintf("Likewise at %s, %s of the CPU", at(x.Place.File, x.Place.Line), percent.Text(*x.Share.Inclusive)))
	f.Evidence = append(f.Evidence, finding.Evidence{Kind: "source", Share: x.Share.Inclusive, Text: "also: " + x.Title})
}
