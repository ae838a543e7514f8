package unexplained

import (
	"whyhot/internal/explain/ownline"
	"whyhot/internal/finding"
	"whyhot/internal/profile"
	"whyhot/internal/profile/origin"
)

// owners says which functions are the program's, each asked for once.
type owners struct {
	p    *profile.Profile
	told []uint8 // by function: 0 not asked, 1 no, 2 yes
}

func newOwners(p *profile.Profile) *owners {
	return &owners{p: p, told: make([]uint8, p.NumFunctions())}
}

// isOwn says whether a function is of the program and not of a library or a runtime.
func (o *owners) isOwn(id profile.FunctionID) bool {
	const no, yes = 1, 2
	if o.told[id] == 0 {
		o.told[id] = no
		if isOwn(o.p, id) {
			o.told[id] = yes
		}
	}
	return o.told[id] == yes
}

func isOwn(p *profile.Profile, id profile.FunctionID) bool {
	switch ownline.Origin(p, id) {
	case origin.Own:
		return true
	case origin.Unknown: // folded stacks name no binary
		return origin.Of(p, id) == origin.Unknown && !isPseudo(p.Function(id))
	case origin.Library, origin.Runtime, origin.Kernel, origin.Group:
	}
	return false
}

// call is a line of the program that called what is further in: its function as machine code
// has it, with what was inlined, and the function of others that it called, 0 for one
// without a name or of an interpreter.
type call struct {
	place

	caller, called profile.FunctionID
}

// leading is the line of the program nearest to what ran.
func (o *owners) leading(stack []profile.LocationID) (call, bool) {
	var called profile.FunctionID
	for _, loc := range stack {
		lines := o.p.Lines(loc)
		for _, l := range lines {
			f := o.p.Function(l.Function)
			if f.File != "" && l.Line > 0 && !finding.IsInstalled(f.File, "") && !finding.IsPackaged(f.File) && o.isOwn(l.Function) {
				out := call{place{f.File, l.Line, l.Function}, l.Function, called}
				if outer := lines[len(lines)-1].Function; o.isOwn(outer) {
					out.caller = outer
				}
				return out, true
			}
			if origin.Of(o.p, l.Function) == origin.Library && canBeLookedAt(f) {
				called = l.Function
			}
		}
	}
	return call{}, false
}

// isScript says whether code is executed by an interpreter, whose own functions tell nothing.
func isScript(k profile.Kind) bool {
	switch k { //nolint:exhaustive // the others are compiled
	case profile.KindPython, profile.KindRuby, profile.KindPHP, profile.KindPerl, profile.KindLua, profile.KindR, profile.KindJS:
		return true
	}
	return false
}
