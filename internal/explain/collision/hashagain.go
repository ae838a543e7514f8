package collision

import (
	"fmt"
	"slices"
	"strings"

	"whyhot/internal/explain/judge"
	"whyhot/internal/explain/ownline"
	"whyhot/internal/finding"
	"whyhot/internal/finding/percent"
	"whyhot/internal/profile"
)

// RuleHash is of the program's own hash functions that look-ups call each time.
const RuleHash = "hash-per-lookup"

// leastHashing is the part of the CPU that they take at least.
const leastHashing = 0.12

// keeps is how a key keeps its hash, by the language of a table; others' keys usually do not.
var keeps = map[string]string{
	"Java":   "Keep the hash in a final field, computed in the constructor, and return that: the fields of a key do not change",
	".NET":   "Keep the hash in a readonly field, computed in the constructor, and return that: the fields of a key do not change",
	"Python": "Keep the hash in the object, computed in __init__ (or functools.cached_property), and return that; a tuple or a text of the fields as the key is hashed in C",
	"Ruby":   "Keep the hash: @hash ||= [a, b].hash, of a frozen key; a symbol or a number as the key costs hardly anything",
	"C++":    "Keep the hash in the key, computed when it is made, and have the functor return it; boost::unordered can keep it with the element",
}

// findHashing finds the program's own hash functions below a table's look-ups.
//
// Example. int SeriesKey.hashCode() below HashMap.get goes through a list of labels, at each of
// four look-ups of a key that stays the same.
func (t *table) findHashing(s judge.Subject, of []role, isOwn func(profile.FunctionID) bool) (judge.Found, bool) {
	p := s.Profile
	if keeps[t.language] == "" {
		return judge.Found{}, false
	}
	var rows []int32
	var events int64
	hashing := map[profile.Line]int64{}
	for i := range p.Samples() {
		sample := &p.Samples()[i]
		if line, is := t.hashedBy(p, of, sample.Stack, isOwn); is {
			hashing[line] += sample.Value
			events += sample.Count
			rows = append(rows, int32(i)) //nolint:gosec // rows are numbered so
		}
	}
	share := p.Share(rows)
	line, ok := ownline.Heaviest(hashing)
	if !ok || events < leastEvents || share < leastHashing {
		return judge.Found{}, false
	}
	return t.hashingFinding(s, rows, share, ownline.Place(p, line)), true
}

// hashedBy is the line of the program's own hash function through which a stack goes that is below
// a look-up: the outermost one, which is the key's.
func (t *table) hashedBy(p *profile.Profile, of []role, id profile.StackID, isOwn func(profile.FunctionID) bool) (line profile.Line, is bool) {
	for _, loc := range p.Stack(id) {
		for _, l := range p.Lines(loc) {
			switch r := of[l.Function]; {
			case r&looks != 0:
				return line, line != (profile.Line{})
			case r&hashes != 0 && isOwn(l.Function) && l.Line > 0:
				line = l
			case isOwn(l.Function) && r&hashes == 0:
				line = profile.Line{} // something of the program's own stands between
			}
		}
	}
	return profile.Line{}, false
}

func (t *table) hashingFinding(s judge.Subject, rows []int32, share float64, place finding.Place) judge.Found {
	p := s.Profile
	margin := finding.ShareError(share, p.Count())
	id := finding.ID(RuleHash, place, t.language)
	_, name := ownline.Parts(place.Function)
	const least, likely = 0.2, 0.8
	f := finding.Finding{
		ID: id, Rule: RuleHash, Certainty: finding.Suspected, Place: place,
		Title: "Keys are hashed again for each lookup" + where(place),
		Share: finding.Share{Inclusive: &share, Error: &margin},
		Gain: &finding.Gain{Low: least * share, Likely: likely * share, High: min(1, share+margin), Reach: share,
			Basis: percent.Text(share) + " of the CPU hashes keys below look-ups; a key that keeps its hash is hashed once"},
		Fix: finding.Fix{
			Kind:    "code",
			Steps:   []string{keeps[t.language], "Or look up once, and keep what was found; or hash fewer fields, where these tell most keys apart"},
			Caveats: []string{"A key that is made for each lookup is hashed once in any case: then only a cheaper hash helps"},
		},
		Evidence: []finding.Evidence{{Kind: "repetition", Share: &share, Text: fmt.Sprintf("%s runs below look-ups for %s of the CPU", strings.TrimSpace(name), percent.Text(share))}},
		Next:     s.Versus(id),
	}
	return judge.Found{Finding: f, Samples: slices.Clone(rows), Removes: true, Takes: true}
}
