package repetition

import (
	"cmp"
	"slices"
	"strings"

	"whyhot/internal/profile"
)

// Candidate is a function that is worth counting.
type Candidate struct {
	Function profile.FunctionID
	// Texts: it is one of C, whose texts end with a zero byte.
	Texts bool
	// Filled are how many arguments come first that the function fills.
	Filled int
}

// CandidateShare is the part of the CPU that a function takes at least to be worth counting.
const CandidateShare = 0.05

const candidateEvents = 10

// Candidates are the functions that make tools below lines of the program and take a
// twentieth of the CPU or more, the dearest first.
func Candidates(p *profile.Profile) []Candidate {
	if p.Total() <= 0 {
		return nil
	}
	values, events := map[profile.FunctionID]int64{}, map[profile.FunctionID]int64{}
	for _, m := range newFinder(p).gather() {
		values[m.maker] += m.value
		events[m.maker] += m.events
	}
	var ids []profile.FunctionID
	for id, v := range values {
		if events[id] >= candidateEvents && float64(v) >= CandidateShare*float64(p.Total()) {
			ids = append(ids, id)
		}
	}
	slices.SortFunc(ids, func(a, b profile.FunctionID) int { return cmp.Or(cmp.Compare(values[b], values[a]), cmp.Compare(a, b)) })
	out := make([]Candidate, 0, len(ids))
	for _, id := range ids {
		fn := p.Function(id)
		isC := fn.Kind == profile.KindNative && fn.SystemName == "" && !strings.ContainsAny(fn.Name, ":.<(")
		c := Candidate{Function: id, Texts: isC}
		if isC && fills(fn.Name) {
			c.Filled = 1
		}
		out = append(out, c)
	}
	return out
}

// What a count must show.
const (
	leastCalls   = 20  // with their arguments
	leastRepeats = 5   // calls for each of different arguments
	manyCalls    = 100 // without their arguments
)

// repeats says whether what was counted shows that the same is made repeatedly; sure where
// the arguments show it. denied: it shows the contrary.
func (m *made) repeats() (is, sure, denied bool) {
	c := m.counted
	switch {
	case c == nil:
		return false, false, false
	case c.Count < leastCalls:
		return false, false, true
	case c.Different == 0:
		return c.Count >= manyCalls, false, false
	case c.Count >= leastRepeats*c.Different:
		return true, true, false
	}
	// Python's arguments are told by what they are. The first two words of machine code may
	// have changed without the argument.
	return false, false, c.File != ""
}
