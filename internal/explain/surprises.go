package explain

import (
	"whyhot/internal/explain/rule"
	"whyhot/internal/explain/surprise"
	"whyhot/internal/finding"
	"whyhot/internal/profile"
)

// SurpriseRequest is what Surprises is asked.
type SurpriseRequest struct {
	Profile *profile.Profile
	// Baselines are earlier profiles of the same program, oldest first.
	Baselines []*profile.Profile
	Rules     Rules
	Most      int // 0 is surprise.Most
}

// Surprises says which shares of a profile are not what was to be expected, held against
// its baselines and against programs that were measured beforehand, and how many those
// are.
func Surprises(r SurpriseRequest) (found []finding.Surprise, programs int, err error) {
	priors, err := surprise.Builtin()
	if err != nil {
		return nil, 0, err
	}
	families := rule.NewFamilies(r.Rules.Catalog)
	q := surprise.Request{Now: surprise.Measure("", r.Profile, families), Priors: priors, Most: r.Most}
	for _, b := range r.Baselines {
		q.Past = append(q.Past, surprise.Measure("", b, families))
	}
	found = surprise.Find(q)
	var before *profile.Profile
	if n := len(r.Baselines); n > 0 {
		before = r.Baselines[n-1]
	}
	for i := range found {
		surprise.Explain(&found[i], r.Profile, before, families)
	}
	return found, priors.Profiles, nil
}
