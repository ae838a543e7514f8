package explain

import (
	"slices"

	"whyhot/internal/explain/catalog"
	"whyhot/internal/explain/rule"
	"whyhot/internal/explain/source"
	"whyhot/internal/finding"
)

// lines are the lines that source rules found, for the entries that are about the
// same causes.
func lines(a source.Answer) map[string]rule.Lines {
	out := map[string]rule.Lines{}
	for name, at := range a.Lines {
		out[name] = at
	}
	return out
}

// meet joins what the catalogue and the source say of one cause. The entry that
// names a source rule has judged its lines too, so the share and the estimate are
// the entry's; the places are the source's. The identity is the same with and without a
// build. Both agree: it is confirmed. As an entry is judged in each program of a profile,
// the source is of the one with most of it.
func (r *Rules) meet(found, inSource []finding.Finding) []finding.Finding {
	joined := slices.Clone(found)
	for _, s := range inSource {
		i := r.sameCause(joined, s)
		if i < 0 {
			joined = append(joined, s)
			continue
		}
		f := &joined[i]
		f.ID, f.Certainty = s.ID, finding.Confirmed
		binary, build := f.Place.Binary, f.Place.BuildID
		f.Place = s.Place
		f.Place.Binary, f.Place.BuildID = binary, build
		f.Sites, f.Source, f.Accesses = s.Sites, s.Source, s.Accesses
		f.Evidence = append(slices.Clip(f.Evidence), s.Evidence...)
		f.See, f.Next = s.See, s.Next
	}
	return joined
}

// isCause says whether an identity is that of a cause which an entry and the source
// both know.
func (r *Rules) isCause(id string) bool {
	return slices.ContainsFunc(r.Catalog.Entries, func(e catalog.Entry) bool { return e.SourceRule != "" && finding.CauseID(e.SourceRule) == id })
}

// sameCause is the largest finding of an entry that names the rule of s, -1 for
// none.
func (r *Rules) sameCause(found []finding.Finding, s finding.Finding) int {
	best := -1
	for i, f := range found {
		e, ok := r.Catalog.Entry(f.Rule)
		if ok && e.SourceRule == s.Rule && len(f.Sites) == 0 && (best < 0 || f.Share.Main() > found[best].Share.Main()) {
			best = i
		}
	}
	return best
}
