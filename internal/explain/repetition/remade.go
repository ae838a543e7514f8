package repetition

import (
	"slices"
	"time"

	"whyhot/internal/profile"
)

// What a constructor must show to be told, whatever it is the name of.
const (
	remadeTime  = 3 * time.Microsecond // of a call: less is what any object takes
	remadeShare = 0.10
	remadeSure  = 0.07
)

// remade are constructors that are given the same again: where they take long, what they make ready
// could be made once. Counting has to show it, since their names say nothing.
//
// Example. to_csv makes a writer with its patterns for each row, always with the same options.
func remade(p *profile.Profile, all []*hot, known []made) []made {
	var out []made
	told := map[int32]bool{}
	for _, h := range slices.SortedFunc(slices.Values(all), dearest) {
		if !isConstructor(p.Function(h.function)) || slices.ContainsFunc(known, func(m made) bool { return m.maker == h.function }) ||
			!isRepeated(h.counted) || h.each(p) < remadeTime ||
			h.events < leastEvents || !sure(p, int64(h.saved()), remadeShare, remadeSure) || h.isOfJob(all) {
			continue
		}
		lines := slices.DeleteFunc(h.chain(p), func(l profile.Line) bool { return isConstructor(p.Function(l.Function)) })
		if len(lines) == 0 || h.isWithin(told) { // the constructor of a class that it derives from, or of a part
			continue
		}
		out = append(out, made{
			isObject: true, line: lines[0], maker: h.function, samples: h.samples, value: h.value, events: h.events,
			share: h.share(p), counted: h.counted, spread: -1, function: h.events,
		})
	}
	return out
}
