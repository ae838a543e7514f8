package passes

import (
	"fmt"
	"regexp"
	"slices"

	"whyhot/internal/explain/judge"
	"whyhot/internal/explain/ownline"
	"whyhot/internal/finding"
	"whyhot/internal/profile"
)

// RuleMisses is of results that are kept, and computed through the whole run.
const RuleMisses = "cache-misses"

// missing is a place that keeps what it computes, and still computes.
type missing struct {
	spot

	turns int
}

const (
	// leastMissing is the share of the CPU in computing from which it is told.
	leastMissing = 0.25
	// parts is into how many the run is cut; in the last three computing has so much of its mean
	// at least.
	parts      = 4
	leastOfAll = 0.6
)

// getsOrMakes is, by language, a statement that gives what is kept for a key, and makes it where
// there is nothing.
var getsOrMakes = map[string]*regexp.Regexp{
	"Java":       regexp.MustCompile(`\.(?:computeIfAbsent|getOrPut|getOrElseUpdate)\(`),
	"C":          regexp.MustCompile(`\.(?:GetOrAdd|GetOrCreate)(?:<[^>]*>)?\(`),
	"JavaScript": regexp.MustCompile(`\[[^\]]+\]\s*(?:\?\?=|\|\|=)[^=]`),
	"PHP":        regexp.MustCompile(`\[[^\]]+\]\s*\?\?=[^=]`),
	"Ruby":       regexp.MustCompile(`\[[^\]]+\]\s*\|\|=[^=]`),
}

// misses gives them, the dearest first.
//
// Example. return memo.computeIfAbsent(r.key(), k -> price(k)); with the number of the request in
// the key: price runs for each request, as if nothing was kept.
func (r *reader) misses() []missing {
	known := map[profile.Line]*missing{}
	for _, h := range r.hottest {
		f := r.file(h.line.Function)
		if f == nil || !h.calls || h.line.Line <= 0 {
			continue
		}
		statement, lines := f.Statement(int(h.line.Line))
		if form := getsOrMakes[f.Language()]; form != nil && form.MatchString(statement) {
			gather(known, lineOf(h.line.Function, lines.First).line, missing{}, h.rows)
		}
	}
	var out []missing
	for _, x := range enough(r, known) {
		var timed bool
		x.turns, timed = turns(r.p, x.rows)
		if timed && x.turns >= oftenParsed && r.isSure(x.share, leastMissing) && r.isSteady(x.rows) {
			out = append(out, x)
		}
	}
	return out
}

// isSteady says whether some rows have about as much of the CPU in each part of the run: what a
// cache holds is computed at its begin.
func (r *reader) isSteady(rows []int32) bool {
	var first, last int64
	for i := range r.p.Samples() {
		if at := r.p.Samples()[i].Time; at > 0 {
			if first == 0 || at < first {
				first = at
			}
			last = max(last, at)
		}
	}
	if last <= first {
		return false
	}
	var in [parts]int64
	var sum int64
	for _, row := range rows {
		s := &r.p.Samples()[row]
		if s.Time == 0 {
			continue
		}
		in[min(parts-1, (s.Time-first)*parts/(last-first))] += s.Value
		sum += s.Value
	}
	return float64(slices.Min(in[1:])) >= leastOfAll*float64(sum)/parts
}

func (r *reader) missesFinding(s judge.Subject, x missing) judge.Found {
	place := ownline.Place(r.p, x.line)
	f := r.suspected(s, RuleMisses, place, x.rows, saving{share: x.share, least: 0.2, likely: 0.8, why: "computes what a cache is there for"})
	f.Title = fmt.Sprintf("Cache misses throughout; check its key and size (%s)", at(place.File, place.Line))
	f.Fix.Steps = []string{
		"Key: only what the result depends on; no request number, no time, no object without equality of its own",
		"Size: more entries than keys in use; a cycle of more keys than it holds never hits",
	}
	f.Fix.Caveats = []string{"Where nearly all keys are new, keeping results saves nothing: what computes them is to be made faster"}
	f.Evidence = []finding.Evidence{
		r.quoted(place),
		{Kind: "repetition", Share: &x.share, Text: fmt.Sprintf("what is kept here is computed at least %s times, in all parts of the run", judge.Times(uint64(x.turns)))}, //nolint:gosec // a count
	}
	return f
}
