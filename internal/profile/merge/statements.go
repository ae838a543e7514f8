package merge

import "whyhot/internal/profile"

// statements adds up what was seen of statements.
func statements(profiles []*profile.Profile) (sum []profile.Statement) {
	type key struct {
		system, text string
		client       bool
	}
	at := map[key]int{}
	for _, p := range profiles {
		for _, s := range p.Meta.Statements {
			k := key{s.System, s.Text, s.Client}
			i, known := at[k]
			if !known {
				at[k] = len(sum)
				sum = append(sum, s)
				continue
			}
			to := &sum[i]
			to.Runs += s.Runs
			to.Prepared += s.Prepared
			to.Steps += s.Steps
			to.Scanned += s.Scanned
			to.Indexed += s.Indexed
			to.Operations += s.Operations
			to.DatabaseBytes = max(to.DatabaseBytes, s.DatabaseBytes)
			to.Watched = min(to.Watched, s.Watched)
			to.Facts.Add(s.Facts)
		}
	}
	return sum
}
