package rule

import "whyhot/internal/profile"

// maxSpan is the largest piece of code that one function plausibly is. Bytecode
// interpreters reach tens of kilobytes; a symbol that spans more has taken in
// its neighbours.
const maxSpan = 256 << 10

// unreliable says whether the names a verdict rests on are those of a symbol
// that swallowed a stripped binary: an assembly routine without a size is taken
// for everything behind it.
func (e *engine) unreliable(v *verdict) bool {
	var bad, all int64
	for fn, w := range v.trace.functions {
		all += w
		if e.swallows(fn) {
			bad += w
		}
	}
	return 2*bad > all
}

// swallows looks for the two signs: addresses far apart under one name, and a
// name that calls itself in most stacks while its binary has no other.
func (e *engine) swallows(id profile.FunctionID) bool {
	fn := e.p.Function(id)
	if fn.Name == "" || (fn.Kind != profile.KindNative && fn.Kind != profile.KindUnknown) || fn.Mapping == 0 {
		return false
	}
	s := e.symbolStats()[id]
	if s == nil {
		return false
	}
	if s.high > s.low && s.high-s.low > maxSpan {
		return true
	}
	return e.namesIn[fn.Mapping] == 1 && s.stacks > 1 && 2*s.selfCalls > s.stacks
}

// symbolStat is how one native function shows in the profile.
type symbolStat struct {
	low, high uint64 // addresses, 0 when not known
	stacks    int64
	selfCalls int64 // stacks in which it is its own direct caller
}

// symbolStats counts once a run, and only when some verdict asks.
func (e *engine) symbolStats() map[profile.FunctionID]*symbolStat {
	if e.stats != nil {
		return e.stats
	}
	e.stats = map[profile.FunctionID]*symbolStat{}
	e.namesIn = map[profile.MappingID]int{}
	for i := range e.p.NumStacks() {
		e.stackStats(e.p.Stack(profile.StackID(i)))
	}
	return e.stats
}

func (e *engine) stackStats(stack []profile.LocationID) {
	seen, selfCalled := map[profile.FunctionID]bool{}, map[profile.FunctionID]bool{}
	var below profile.FunctionID
	for _, locID := range stack {
		loc := e.p.Location(locID)
		lines := e.p.Lines(locID)
		id := lines[len(lines)-1].Function // the frame that really is at this address
		if e.p.Function(id).Name == "" {
			below = 0
			continue
		}
		s := e.stats[id]
		if s == nil {
			s = &symbolStat{low: loc.Address, high: loc.Address}
			e.stats[id] = s
			e.namesIn[e.p.Function(id).Mapping]++
		}
		s.low, s.high = min(s.low, loc.Address), max(s.high, loc.Address)
		if !seen[id] {
			s.stacks++
		}
		if below == id && !selfCalled[id] {
			s.selfCalls++
			selfCalled[id] = true
		}
		seen[id] = true
		below = id
	}
}
