package unexplained

import (
	"whyhot/internal/explain/ownline"
	"whyhot/internal/finding"
	"whyhot/internal/profile"
	"whyhot/internal/profile/origin"
)

// owners says which functions are the program's.
type owners struct {
	*ownline.Lines

	p *profile.Profile
}

// isOwn says whether a function is of the program and not of a library or a runtime.
func (o owners) isOwn(id profile.FunctionID) bool {
	switch o.Origin(id) {
	case origin.Own:
		return true
	case origin.Unknown: // folded stacks name no binary
		return origin.Of(o.p, id) == origin.Unknown && !isPseudo(o.p.Function(id))
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
func (o owners) leading(stack []profile.LocationID) (call, bool) {
	var called profile.FunctionID
	for _, loc := range stack {
		lines := o.p.Lines(loc)
		for _, l := range lines {
			f := o.p.Function(l.Function)
			if o.isOwn(l.Function) && f.File != "" && l.Line > 0 && !finding.IsInstalled(f.File, "") && !finding.IsPackaged(f.File) {
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
