package astfinding

import (
	"path/filepath"
	"slices"

	"whyhot/internal/explain/analyzer"
	"whyhot/internal/finding"
	"whyhot/internal/profile"
)

// accesses are the three places of the most precise match, as the source writes
// them; none where one of them stands in a library's header.
func (g *group) accesses() []finding.Access {
	m := g.main()
	var out []finding.Access
	for _, s := range []struct {
		role string
		span *analyzer.Span
	}{{finding.RoleFirst, m.First}, {finding.RoleWrite, m.Write}, {finding.RoleSecond, m.Second}} {
		if s.span == nil || s.span.Line < 1 {
			continue
		}
		if finding.IsInstalled(filepath.Clean(s.span.File), g.unit) {
			return nil
		}
		out = append(out, finding.Access{Role: s.role, File: s.span.File, Line: s.span.Line, Column: s.span.Column, Text: s.span.Text})
	}
	return out
}

// withWrites adds the writes that the IR layer blames and the match does not
// name: each line once.
func withWrites(own, ir []finding.Access) []finding.Access {
	for _, a := range ir {
		if a.Role == finding.RoleWrite && !slices.ContainsFunc(own, func(o finding.Access) bool {
			return o.Role == finding.RoleWrite && o.Line == a.Line && profile.SameFile(a.File, o.File)
		}) {
			own = append(own, a)
		}
	}
	return own
}
