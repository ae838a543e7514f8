package ownline

import "whyhot/internal/profile"

// Path is a way that leads to a function: the lines that call it, innermost first, and how much
// goes by it.
type Path struct {
	Lines []profile.Line
	Value int64
}

// Step is a line of a way that many have in common.
type Step struct {
	profile.Line

	Value int64
}

// Common are the calls by which most of a whole goes, innermost first: at each step outwards the
// line by which most goes, as long as that is half of the whole.
func Common(all []Path, whole int64, most int) (out []Step) {
	const half = 2
	left := make([]bool, len(all)) // the way, for another one
	for depth := range most {
		by := map[profile.Line]int64{}
		for i, one := range all {
			if !left[i] && depth < len(one.Lines) {
				by[one.Lines[depth]] += one.Value
			}
		}
		line, ok := Heaviest(by)
		if !ok || half*by[line] < whole {
			return out
		}
		for i, one := range all {
			left[i] = left[i] || depth >= len(one.Lines) || one.Lines[depth] != line
		}
		out = append(out, Step{line, by[line]})
	}
	return out
}
