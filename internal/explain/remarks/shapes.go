package remarks

import (
	"cmp"
	"slices"

	"whyhot/internal/finding"
	"whyhot/internal/ingest/remark"
	"whyhot/internal/profile"
)

// shapeSteps are what to do about objects of many shapes.
var shapeSteps = []string{
	"have what makes these objects set the same properties, in the same order, in a constructor or one literal; null for what one of them has not",
	"where kinds of objects have to differ: split the function by kind, or keep what it asks for outside of them (a Map or array by the kind's number)",
	"for names that are data: a Map",
}

// shapes are functions that access properties of objects of more shapes than an inline
// cache holds, with the samples of the lines that do so. Each such access looks a table
// up, where one of a few shapes compares and loads, and V8 inlines nothing behind it.
func shapes(j *joined) []Found {
	type group struct {
		cost

		said []*remark.Remark
	}
	groups := map[profile.FunctionID]*group{}
	for s, c := range j.ownLines() {
		var said []*remark.Remark
		for _, i := range j.remarksAt(s.file, s.line) {
			if m := &j.Remarks[i]; m.Kind == remark.Megamorphic {
				said = append(said, m)
			}
		}
		if len(said) == 0 {
			continue
		}
		f := c.function()
		if groups[f] == nil {
			groups[f] = &group{}
		}
		groups[f].join(c)
		groups[f].said = append(groups[f].said, said...)
	}
	var out []Found
	for id, g := range groups {
		if !j.pays(&g.cost, leastLoop) {
			continue
		}
		fn := j.Profile.Function(id)
		f := j.finding("jit-megamorphic", cmp.Or(bare(fn.Name), fn.Name)+" accesses properties of objects of many shapes", &g.cost, fn.File, int(fn.StartLine), "")
		f.Evidence = append(sayings(remark.Megamorphic, g.said), j.measured("the lines that do so", g.value))
		f.Gain = &finding.Gain{High: 0.5 * j.share(g.value), Basis: "the samples of these lines; of one shape, an access is a comparison and a load"}
		f.Fix = finding.Fix{Kind: "code", Steps: shapeSteps}
		out = append(out, Found{Finding: f, Samples: g.rows})
	}
	slices.SortFunc(out, func(a, b Found) int {
		return cmp.Or(-cmp.Compare(a.Share.Main(), b.Share.Main()), cmp.Compare(a.ID, b.ID))
	})
	return out
}
