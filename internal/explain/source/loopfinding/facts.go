package loopfinding

import (
	"path/filepath"
	"slices"

	"whyhot/internal/explain/analyzer"
	"whyhot/internal/finding"
)

// Kinds of accesses, as the analyser has them.
const (
	comesFirst  = "first" // the load or store whose value a repeated load finds again
	loadedAgain = "load"
)

// roles are the analyser's kinds of access as a finding names them.
var roles = map[string]string{comesFirst: finding.RoleFirst, "write": finding.RoleWrite, loadedAgain: finding.RoleSecond}

// Role is what an access is to its loop, as a finding names it; "" for what
// findings do not name.
func Role(a analyzer.Access) string { return roles[a.Kind] }

// accesses are the loop's loads and writes as places of the user's source: what
// happens in a library's inline function stands where it is called.
func accesses(c analyzer.Candidate, unit string) []finding.Access {
	var out []finding.Access
	for _, a := range slices.Concat(c.Loads, c.Writes) {
		p, ok := ownPoint(a.Where, unit)
		role := Role(a)
		if !ok || role == "" {
			continue
		}
		access := finding.Access{Role: role, File: p.File, Line: p.Line, Column: p.Column, Type: typeName(a.Type)}
		if !slices.Contains(out, access) {
			out = append(out, access)
		}
	}
	return out
}

// Compiled is a loop in one world: in the words of findings, and as the analyser
// gave it.
type Compiled struct {
	finding.World

	State analyzer.LoopState
}

// Worlds are a candidate's worlds in the order in which they are shown.
func Worlds(c analyzer.Candidate) []Compiled {
	var out []Compiled
	for _, w := range worldNames {
		s, ok := c.Worlds[w.world]
		if !ok {
			continue
		}
		f := finding.World{
			Name:    w.name,
			Fate:    fate(s),
			Edit:    w.world == analyzer.WorldRetyped || w.world == analyzer.WorldHoisted || w.world == worldPatched,
			Patched: w.world == worldPatched,
			Reached: slices.Contains(c.Reach, w.world),
			Unroll:  s.Unroll,
		}
		if s.Present {
			f.Loads, f.Stores = &s.LoadsPerIteration, &s.StoresPerIteration
			f.Calls, f.Cycles, f.Interleave = s.Calls, s.Cycles, s.Interleave
			if s.VectorWidth > 1 {
				f.Width = s.VectorWidth
			}
		}
		out = append(out, Compiled{f, s})
	}
	return out
}

// worlds are those of the loop, with the one that its first edit leads to marked.
func (l *loop) worlds() []finding.World {
	compiled := Worlds(l.best)
	out := make([]finding.World, len(compiled))
	first := nameOf(l.first().world)
	for i, w := range compiled {
		out[i] = w.World
		out[i].Advised = w.Reached && w.Name == first
		out[i].Partial = out[i].Advised && l.givesUpTo()
	}
	return out
}

func nameOf(world string) string {
	for _, w := range worldNames {
		if w.world == world {
			return w.name
		}
	}
	return ""
}

func fate(s analyzer.LoopState) string {
	switch {
	case s.Idiom:
		return finding.FateReplaced
	case s.FullyUnrolled:
		return finding.FateUnrolled
	case !s.Present:
		return finding.FateUnknown
	case s.Vectorised:
		return finding.FateVectorised
	}
	return finding.FateScalar
}

// loopEnd is the last line of the loop: by the compiler's own range where the loop
// is written in the user's code, or the last line that it is known to touch where
// the compiler gives no range. It is 0 for a loop of one line, and where the
// compiler's range is in a library's file: what is inlined into the line of the
// call counts for the finding anyway.
func (l *loop) loopEnd() int {
	c, end := l.best, 0
	if len(c.Start) > 0 && filepath.Clean(c.Start[0].File) == l.place.File && c.Start[0].Line == l.place.Line {
		end = c.EndLine
	}
	const farther = 1000 // a call's line in another function of the file
	for _, a := range slices.Concat(c.Loads, c.Writes) {
		if p, ok := ownPoint(a.Where, l.unit); ok && p.File == l.place.File && p.Line > end && p.Line < l.place.Line+farther && c.EndLine == 0 {
			end = p.Line
		}
	}
	if end <= l.place.Line {
		return 0
	}
	return end
}
