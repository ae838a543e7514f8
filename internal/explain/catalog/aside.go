package catalog

import (
	"slices"
	"strings"
)

// IsAside says whether a finding of the entry names the program itself, or all of it: what
// is true of every run of jq is not about this one. General advice is one.
//
// Where the entry does not say so itself, its form does: it is about programs by name, or
// advises another program, and takes all code of an executable, whatever function it is.
func (e *Entry) IsAside() bool {
	switch m := &e.Match; {
	case e.Fallback:
		return true
	case e.Aside != nil:
		return *e.Aside
	case len(m.Inside)+len(m.Leaf)+len(m.Seen) > 0 || m.Source.Line != nil:
		return false
	case len(m.Program) == 0 && e.Swap.Kind != "cli" && m.Place != PlaceProgram:
		return false
	}
	return slices.ContainsFunc(e.Match.Any, Frame.isProgram)
}

// isProgram says whether a frame is any code of an executable.
func (f Frame) isProgram() bool {
	return len(f.Name)+len(f.File) == 0 && slices.ContainsFunc(f.Library, func(p Pattern) bool {
		text := strings.TrimPrefix(p.String(), "^")
		return !strings.Contains(text, `\.so`) && !strings.HasPrefix(text, "lib") && !strings.Contains(text, "[.-]")
	})
}
