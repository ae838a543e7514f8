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
	if e.extents == nil {
		e.extents, e.named = e.measureNames()
	}
	at := e.extents[id]
	return at.high-at.low > maxSpan || e.named[fn.Mapping] == 1 && e.callsItself(id)
}

// extent is where in its binary a function was seen.
type extent struct{ low, high uint64 }

// measureNames finds, in one pass over all addresses, where each function of the
// machine code was seen and how many names each mapping has.
func (e *engine) measureNames() (extents map[profile.FunctionID]extent, named map[profile.MappingID]int) {
	extents, named = map[profile.FunctionID]extent{}, map[profile.MappingID]int{}
	for i := range e.p.NumLocations() {
		loc := e.p.Location(profile.LocationID(i))
		own := e.ownFunction(profile.LocationID(i))
		if loc.Mapping != e.p.Function(own).Mapping {
			continue
		}
		at, known := extents[own]
		if !known {
			at = extent{loc.Address, loc.Address}
			if e.p.Function(own).Name != "" {
				named[loc.Mapping]++
			}
		}
		extents[own] = extent{min(at.low, loc.Address), max(at.high, loc.Address)}
	}
	return extents, named
}

// ownFunction is the function that an address belongs to in the machine code,
// whatever was inlined there.
func (e *engine) ownFunction(loc profile.LocationID) profile.FunctionID {
	lines := e.p.Lines(loc)
	return lines[len(lines)-1].Function
}

// callsItself says whether a function is its own direct caller in most of the
// stacks that it is in.
func (e *engine) callsItself(id profile.FunctionID) bool {
	stacks, calls := 0, 0
	for i := range e.p.NumStacks() {
		in, call, below := false, false, false
		for _, loc := range e.p.Stack(profile.StackID(i)) {
			here := e.ownFunction(loc) == id
			in = in || here
			call = call || here && below
			below = here
		}
		if in {
			stacks++
		}
		if call {
			calls++
		}
	}
	return stacks > 1 && 2*calls > stacks
}
