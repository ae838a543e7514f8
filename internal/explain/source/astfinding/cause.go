package astfinding

import (
	"path/filepath"
	"slices"
	"strings"

	"whyhot/internal/explain/analyzer"
	"whyhot/internal/finding"
)

// cause makes one finding of everything that a rule says of a program: its sites
// are the loops and the declarations that they are about. Places outside loops
// are among them where there is no loop, or on demand.
func (g *group) cause(r rule, opts Options) finding.Finding {
	f := finding.Finding{
		ID:        finding.CauseID(g.main().Rule),
		Rule:      g.main().Rule,
		Title:     r.title,
		Certainty: finding.Suspected,
		Fix:       finding.Fix{Kind: "code", Steps: r.steps},
	}
	var declarations []finding.Site
	for _, m := range g.matches {
		if !m.InLoop && !opts.Suspected {
			continue
		}
		f.Sites = withLoop(f.Sites, m)
		if w := m.Written; w != nil && w.Declaration != "" && w.Where != nil && w.Scope != scopeSystem {
			declarations = withDeclaration(declarations, w)
		}
	}
	f.Place = f.Sites[0].Place
	f.Sites = append(f.Sites, declarations...)
	return f
}

// withLoop adds a match to the loops: one site a place, however many declarations
// it is about.
func withLoop(sites []finding.Site, m analyzer.Match) []finding.Site {
	at := finding.Place{Function: m.Function, File: m.Place.File, Line: m.Place.Line}
	if m.Place.EndLine > m.Place.Line {
		at.EndLine = m.Place.EndLine
	}
	i := slices.IndexFunc(sites, func(s finding.Site) bool {
		return s.File == at.File && s.Line == at.Line && s.EndLine == at.EndLine
	})
	if i < 0 {
		i = len(sites)
		sites = append(sites, finding.Site{Place: at, Kind: finding.SiteLoop, Text: strings.Join(m.Notes, "; ")})
	}
	if !slices.Contains(sites[i].Of, m.Location) {
		sites[i].Of = append(sites[i].Of, m.Location)
	}
	return sites
}

func withDeclaration(sites []finding.Site, w *analyzer.Written) []finding.Site {
	at := finding.Place{File: filepath.Clean(w.Where.File), Line: w.Where.Line}
	if slices.ContainsFunc(sites, func(s finding.Site) bool { return s.Place == at && s.Text == w.Declaration }) {
		return sites
	}
	return append(sites, finding.Site{Place: at, Kind: finding.SiteDeclaration, Text: w.Declaration})
}
