package variant

import (
	"fmt"
	"strings"
)

// Baseline is what a place calls the command as it is.
const Baseline = "baseline"

// Places gives variants directories of their own, NAME=DIR each; base is the
// baseline's, "" where none is named. Of names that have an equals sign themselves, such as
// FAST=1, the longest that fits counts.
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
		longest, names := -1, make([]string, len(vs))
		for i := range vs {
			names[i] = vs[i].Name
			if rest, is := strings.CutPrefix(place, vs[i].Name+"="); is && rest != "" && (longest < 0 || len(names[i]) > len(names[longest])) {
				longest, dir = i, rest
			}
		}
		if longest < 0 {
			return "", fmt.Errorf("invalid --dir %q: no variant is called %q: there are %s and %s", place, name, strings.Join(names, ", "), Baseline)
		}
		for i := range vs {
			if names[i] == names[longest] {
				vs[i].Dir = dir
			}
		}
	}
	return base, nil
}
