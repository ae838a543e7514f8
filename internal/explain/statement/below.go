package statement

import (
	"whyhot/internal/explain/ownline"
	"whyhot/internal/profile"
)

const (
	// mostLines is from how many lines on a statement is executed in too many places.
	mostLines = 2
	// leastOfLine is the part of the samples of statements on a line from which one is executed
	// there.
	leastOfLine = 0.25
)

// look finds the samples below the lines that execute statements often. What a line does beside is
// told apart by how much of the statements' own samples on it each of them has; one that has
// little was seen there by chance: a sample is taken a moment before the statement is asked for.
func look(p *profile.Profile, lines *ownline.Lines, views []*view) {
	at := map[profile.Line]map[*view]int64{} // what is executed on a line, with the value of its samples
	for _, v := range views {
		if v.Runs < eachRow {
			continue
		}
		on := map[profile.Line]int64{}
		for _, row := range v.rows {
			if line, _, ok := lines.Innermost(p.Samples()[row].Stack); ok {
				on[line] += p.Samples()[row].Value
			}
		}
		for line, value := range on {
			if at[line] == nil {
				at[line] = map[*view]int64{}
			}
			at[line][v] = value
		}
	}
	executing := map[*view]int{} // lines
	for _, on := range at {
		all := int64(0)
		for _, value := range on {
			all += value
		}
		for v, value := range on {
			if float64(value) < leastOfLine*float64(all) {
				delete(on, v)
				continue
			}
			executing[v]++
		}
	}
	if len(at) == 0 {
		return
	}
	parts := map[profile.Line]map[*view]float64{}
	for line, on := range at {
		all := int64(0)
		for _, value := range on {
			all += value
		}
		parts[line] = map[*view]float64{}
		for v, value := range on {
			if executing[v] <= mostLines {
				parts[line][v] = float64(value) / float64(all)
			}
		}
	}
	for i := range p.Samples() {
		s := &p.Samples()[i]
		line, _, ok := lines.Innermost(s.Stack)
		if !ok {
			continue
		}
		for v, part := range parts[line] {
			v.below = append(v.below, int32(i)) //nolint:gosec // rows are fewer
			v.belowShare += part * float64(s.Value) / float64(max(p.Total(), 1))
			v.belowCount += part * float64(s.Count)
		}
	}
}
