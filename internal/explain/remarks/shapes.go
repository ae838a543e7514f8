package remarks

import (
	"cmp"
	"slices"

	"whyhot/internal/explain/judge"
	"whyhot/internal/finding"
	"whyhot/internal/ingest/remark"
	"whyhot/internal/profile"
)

// fewestMisses is how often V8's runtime has to be asked before that is more than the
// program's warming up: a microsecond or two each time. Accesses that are megamorphic and
// miss seldom are found in a table, which costs little.
const fewestMisses = 1000

// shapeSteps are what to do about objects of many shapes.
var shapeSteps = []string{
	"fields of a class that others extend: set them in its constructor (this.x = …) instead of declaring them; V8 keeps no table for declared fields, and asks its runtime for each object",
	"have what makes these objects set the same properties, in the same order, in a constructor or one literal; null for what one of them has not",
	"where kinds of objects have to differ: split the function by kind, or keep what it asks for outside of them (a Map or array by the kind's number)",
	"for names that are data: a Map",
}

// shapes are functions that access properties of objects of more shapes than an inline
// cache holds, and that V8's runtime is asked for again and again; with the samples of the
// lines that do so.
func shapes(j *joined) []judge.Found {
	type group struct {
		cost

		said []*remark.Remark
	}
	groups := map[profile.FunctionID]*group{}
	begin := j.beginnings()
	for s, c := range j.ownLines() {
		if begin[s] > 2 {
			continue // minified: a line has many functions, and says nothing of an access
		}
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
	var out []judge.Found
	for id, g := range groups {
		var misses int64
		for _, m := range g.said {
			misses += m.Count
		}
		if misses < fewestMisses || !j.pays(&g.cost, leastLoop) {
			continue
		}
		fn := j.Profile.Function(id)
		f := j.finding("jit-megamorphic", cmp.Or(bare(fn.Name), fn.Name)+" accesses properties of more shapes than V8 caches", &g.cost, fn.File, int(fn.StartLine), "")
		f.Evidence = append(sayings(remark.Megamorphic, g.said), j.measured("the lines that do so", g.value))
		f.Gain = &finding.Gain{High: 0.5 * j.share(g.value), Basis: "the samples of these lines; in the cache, an access is a comparison and a load"}
		f.Fix = finding.Fix{Kind: "code", Steps: shapeSteps}
		out = append(out, judge.Found{Finding: f, Samples: g.rows})
	}
	slices.SortFunc(out, func(a, b judge.Found) int {
		return cmp.Or(-cmp.Compare(a.Share.Main(), b.Share.Main()), cmp.Compare(a.ID, b.ID))
	})
	return out
}

// beginnings are how many functions of the profile begin on a line.
func (j *joined) beginnings() map[spot]int {
	out := map[spot]int{}
	for i := range j.Profile.NumFunctions() {
		f := j.Profile.Function(profile.FunctionID(i))
		out[spot{f.File, f.StartLine}]++
	}
	return out
}
