package variant

import (
	"fmt"
	"strings"
)

// Baseline is what a place calls the command as it is.
const Baseline = "baseline"

// Places gives variants directories of their own, NAME=DIR each; base is the
// baseline's, "" where none is named.
func Places(vs []Variant, places []string) (base string, err error) {
	for _, place := range places {
		name, dir, ok := strings.Cut(place, "=")
		if !ok || name == "" || dir == "" {
			return "", fmt.Errorf("invalid --dir %q: must be NAME=DIR, with the name of a variant or %s", place, Baseline)
		}
		if name == Baseline {
			base = dir
			continue
		}
		found := false
		for i := range vs {
			if vs[i].Name == name {
				vs[i].Dir, found = dir, true
			}
		}
		if !found {
			names := make([]string, len(vs))
			for i := range vs {
				names[i] = vs[i].Name
			}
			return "", fmt.Errorf("invalid --dir %q: no variant is called %q: there are %s and %s", place, name, strings.Join(names, ", "), Baseline)
		}
	}
	return base, nil
}
