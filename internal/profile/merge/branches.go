package merge

import "whyhot/internal/profile"

// branches sums what was followed of each jump.
func branches(profiles []*profile.Profile) (sum []profile.Branch) {
	type key struct {
		path    string
		address uint64
	}
	at := map[key]int{}
	for _, p := range profiles {
		for _, b := range p.Meta.Branches {
			k := key{b.Path, b.Address}
			i, known := at[k]
			if !known {
				at[k] = len(sum)
				sum = append(sum, b)
				continue
			}
			to := &sum[i]
			to.Seen += b.Seen
			to.Taken += b.Taken
			to.Judged += b.Judged
			to.Missed += b.Missed
		}
	}
	return sum
}
