package source

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"whyhot/internal/explain/judge"
	"whyhot/internal/explain/source/heat"
	"whyhot/internal/finding"
	"whyhot/internal/profile"
)

// mostSites bounds how many loops and how many declarations are listed; the JSON
// form has all of them.
const mostSites = 6

// addSites lists a finding's loops and declarations in its evidence.
func addSites(findings []finding.Finding) {
	for i := range findings {
		f := &findings[i]
		f.Evidence = slices.Concat(f.Evidence, listed(f.Sites, finding.SiteLoop, "loops"), listed(f.Sites, finding.SiteDeclaration, "declarations"))
	}
}

func listed(sites []finding.Site, kind, plural string) []finding.Evidence {
	var out []finding.Evidence
	more := 0
	for _, s := range sites {
		switch {
		case s.Kind != kind:
		case len(out) == mostSites:
			more++
		default:
			out = append(out, finding.Evidence{Kind: kind, Text: siteText(s), Share: s.Share})
		}
	}
	if more > 0 {
		out = append(out, finding.Evidence{Kind: kind, Text: fmt.Sprintf("and %d more %s", more, plural)})
	}
	return out
}

func siteText(s finding.Site) string {
	at := fmt.Sprintf("%s:%d", filepath.Base(s.File), s.Line)
	if s.Kind == finding.SiteDeclaration {
		return s.Text + ", declared at " + at
	}
	return fmt.Sprintf("%s, %s: %s", at, strings.Join(s.Of, ", "), s.Text)
}

// linesOf are the locations of the findings that are one for the whole program,
// by rule.
func linesOf(h *heat.Heat, findings []finding.Finding) map[string]judge.Lines {
	out := map[string]judge.Lines{}
	for _, f := range findings {
		if ranges := h.Sites(f); len(ranges) > 0 {
			out[f.Rule] = func(loc profile.LocationID) bool { return h.In(loc, ranges) }
		}
	}
	return out
}
