package unexplained

import (
	"whyhot/internal/explain/ownline"
	"whyhot/internal/finding"
	"whyhot/internal/profile"
	"whyhot/internal/profile/origin"
)

// owners says which functions are the program's. Each is asked about once: names are told by
// expressions, and a profile has millions of frames.
type owners struct {
	*ownline.Lines

	p     *profile.Profile
	known []whose // by function
}

// whose is what is known of a function.
type whose uint8

const (
	asked   whose = 1 << iota
	own           // of the program
	edited        // in a file that somebody edits
	another       // of a library, and has a name
	between       // of others, and no runtime's or language's own
)

func newOwners(p *profile.Profile) owners {
	return owners{ownline.Of(p), p, make([]whose, p.NumFunctions())}
}

func (o owners) of(id profile.FunctionID) whose {
	if k := o.known[id]; k != 0 {
		return k
	}
	f, from := o.p.Function(id), origin.Of(o.p, id)
	k := asked
	if o.owns(id) {
		k |= own
	}
	if f.File != "" && !finding.IsInstalled(f.File, "") && !finding.IsPackaged(f.File) {
		k |= edited
	}
	if from == origin.Library && canBeLookedAt(f) {
		k |= another
	}
	if k&own == 0 && isOfOthers(from) && !ofLanguage.MatchString(f.Name) {
		k |= between
	}
	o.known[id] = k
	return k
}

func (o owners) owns(id profile.FunctionID) bool {
	switch o.Origin(id) {
	case origin.Own:
		return true
	case origin.Unknown: // folded stacks name no binary
		return origin.Of(o.p, id) == origin.Unknown && !isPseudo(o.p.Function(id))
	case origin.Library, origin.Runtime, origin.Kernel, origin.Group:
	}
	return false
}

// isOwn says whether a function is of the program and not of a library or a runtime.
func (o owners) isOwn(id profile.FunctionID) bool { return o.of(id)&own != 0 }

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
			k := o.of(l.Function)
			if k&own != 0 && k&edited != 0 && l.Line > 0 {
				out := call{place{o.p.Function(l.Function).File, l.Line, l.Function}, l.Function, called}
				if outer := lines[len(lines)-1].Function; o.isOwn(outer) {
					out.caller = outer
				}
				return out, true
			}
			if k&another != 0 {
				called = l.Function
			}
		}
	}
	return call{}, false
}
