package passes

import (
	"cmp"
	"fmt"
	"regexp"

	"whyhot/internal/explain/judge"
	"whyhot/internal/explain/ownline"
	"whyhot/internal/explain/text"
	"whyhot/internal/finding"
)

// RuleSummed is of methods that go through all that an object keeps whenever they are asked.
const RuleSummed = "summed-per-access"

// total is a method or property that goes through all that its object keeps to give a sum, a
// count, the least or the greatest, whenever it is asked.
type total struct {
	spot

	name, over string
	added      int // a line that adds to what is gone through
}

var (
	// sumsUp gives one value of all elements of a part of the object; the groups are its name.
	sumsUp = regexp.MustCompile(`\b(?:sum|len|max|min|any|all|array_sum|array_reduce|count)\(.*\bin\s+(self\.\w+)\b|\b(?:sum|max|min|array_sum|count)\(\s*(self\.\w+|\$this->\w+|@\w+)|(this\.\w+|@\w+)\.(?:reduce|sum|inject|filter|map|count|min_by|max_by)\b|\b(\w+)\.(?:stream\(\)\.(?:mapTo\w+|filter|map|reduce)|Sum|Count|Max|Min|Aggregate|sumOf|sumBy|fold|iter\(\)\.(?:map|filter|sum|fold))\s*[({]`)
)

// partName is the last word of a part of an object: others add to it by another name of that.
var partName = regexp.MustCompile(`\w+$`)

// shortBody are the lines of such a method.
const shortBody = 3

// leastSummed is the share of the CPU from which it is told.
const leastSummed = 0.2

// sums gives them, the dearest first.
//
// Example. def quantity(self): return sum(t.quantity for t in self.trades), asked at each trade.
func (r *reader) sums() []total {
	type method struct {
		file  string
		first int
	}
	known := map[method]*total{}
	for line, rows := range r.innermost {
		f := r.file(line.Function)
		if f == nil || line.Line <= 0 {
			continue
		}
		x, ok := sumAt(f, int(line.Line))
		if !ok {
			continue
		}
		fn, _ := f.Function(int(line.Line))
		k := method{f.Path, fn.First}
		at := lineOf(line.Function, fn.First).line
		if known[k] == nil {
			x.line = at
			known[k] = &x
		}
		known[k].rows = joinRows(known[k].rows, rows)
		// A generator in it is a function of its own, whose name goes on from the method's.
		if name, best := r.p.Function(at.Function).Name, r.p.Function(known[k].line.Function).Name; cmp.Or(cmp.Compare(len(name), len(best)), cmp.Compare(name, best)) < 0 {
			known[k].line = at
		}
	}
	var out []total
	for _, x := range enough(r, known) {
		if r.isSure(x.share, leastSummed) {
			out = append(out, x)
		}
	}
	return out
}

// sumAt is what the short method around a line sums up, where the file adds to that one by one.
func sumAt(f *text.File, line int) (x total, ok bool) {
	fn, in := f.Function(line)
	_, header := f.Statement(fn.First)
	if !in || fn.Last-header.Last > shortBody {
		return x, false
	}
	for n := header.Last; n <= fn.Last; n++ {
		code := f.Code(n)
		if keeps.MatchString(code) {
			return x, false
		}
		m := sumsUp.FindStringSubmatch(code)
		if m == nil {
			continue
		}
		x.over = cmp.Or(m[1], m[2], m[3], m[4])
		adds := addsElement(`\W`, partName.FindString(x.over))
		for at := 1; at <= f.Len(); at++ {
			if !fn.Has(at) && adds.MatchString(f.Code(at)) {
				x.name, x.added = fn.Own(), at
				return x, x.name != "" && !isKept(f, fn, line)
			}
		}
	}
	return x, false
}

func (r *reader) summedFinding(s judge.Subject, x total) judge.Found {
	place := ownline.Place(r.p, x.line)
	f := r.suspected(s, RuleSummed, place, x.rows, saving{share: x.share, least: 0.4, likely: 0.85, why: "goes through all elements again"}, x.over)
	f.Title = fmt.Sprintf("%s goes through all of %s whenever it is asked (%s)", x.name, x.over, at(place.File, place.Line))
	f.Fix.Steps = []string{
		fmt.Sprintf("Keep the value beside %s, and change it where an element is added (%s) or taken away", x.over, at(place.File, x.added)),
		"Or ask once for each item, and hand the value on",
	}
	f.Fix.Caveats = []string{"Elements that change later have to change the value, too"}
	f.Evidence = []finding.Evidence{
		r.quoted(place),
		{Kind: "repetition", Share: &x.share, Text: fmt.Sprintf("%s grows at %s: with n elements each question visits n", x.over, at(place.File, x.added))},
	}
	return f
}
