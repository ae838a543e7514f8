package rule

import (
	"whyhot/internal/explain/catalog"
	"whyhot/internal/finding"
	"whyhot/internal/profile"
	"whyhot/internal/profile/origin"
)

// developedHere is why a finding about a library that is the program's own is minor.
const developedHere = "it is about the program's own code, which is developed here"

// othersCode is why one about code that the reader did not build is.
const othersCode = "the code that would be changed is built by others: what is left is another version, or another program"

// isOthersToChange says whether an advice is to change or to rebuild machine code, and
// nearly all of that comes with a system or in a package. What a reader changes without a
// compiler stays: settings, options, an allocator, another library, a script, a query.
func (e *engine) isOthersToChange(v *verdict) bool {
	c := v.entry.Entry
	// The queries that a database executes are the reader's.
	kind := c.Swap.Kind
	switch {
	case c.Family == "databases" || kind != "code" && kind != "build" && kind != "flag":
		return false
	case c.Match.Place == catalog.PlaceProgram: // flags are those of its command there
		return kind == "build" && c.Family != "interpreter" && finding.IsPackaged(e.p.Mapping(v.program.main).Path)
	case c.Match.Place == catalog.PlaceLibrary && kind == "flag":
		return false
	}
	var others, all int64
	count := func(id profile.FunctionID, w int64) {
		f := e.p.Function(id)
		all += w
		switch f.Kind { //nolint:exhaustive // the others are not machine code that somebody built
		case profile.KindNative, profile.KindGo, profile.KindUnknown:
			// In a runtime, the work is a script's; who has the source here builds it.
			path := e.p.Mapping(f.Mapping).Path
			_, here := e.facts.Source(f.File)
			if mine := here && !finding.IsInstalled(f.File, ""); !mine && finding.IsPackaged(path) && !origin.IsRuntime(path) {
				others += w
			}
		}
	}
	for line, w := range v.trace.callers {
		count(line.Function, w)
	}
	if all == 0 && c.Match.Place == catalog.PlaceCaller && !finding.IsPackaged(e.p.Mapping(v.program.main).Path) {
		return false // a program without symbols is its owner's
	}
	if all == 0 { // nobody calls it that has a name: it is in the functions themselves
		for id, w := range v.trace.functions {
			count(id, w)
		}
	}
	return float64(others) > nearlyAll*float64(all)
}
