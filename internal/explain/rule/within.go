package rule

import (
	"fmt"
	"regexp"

	"whyhot/internal/explain/catalog"
	"whyhot/internal/finding"
	"whyhot/internal/finding/percent"
	"whyhot/internal/profile"
	"whyhot/internal/profile/origin"
)

// foldAway takes out findings that say of a library's inside what a better
// ranked finding says of the library: the advice is for whoever calls the
// matched code, that is the library itself, and who replaces the library is rid
// of it. The better finding tells. findings are ranked; vs are their verdicts by
// ID.
func (e *engine) foldAway(findings []finding.Finding, vs map[string]*verdict) []finding.Finding {
	kept := findings[:0]
	for _, f := range findings {
		v := vs[f.ID]
		if host := e.hostOf(v, kept, vs); host != nil {
			v.hidden = true
			host.Evidence = append(host.Evidence, finding.Evidence{Kind: "overlap", Text: fmt.Sprintf(
				"Within it: %q, %s of all samples, called by the library itself, and saved with it.",
				f.Title, percent.Text(f.Share.Main()))})
			continue
		}
		kept = append(kept, f)
	}
	return kept
}

// hostOf is the finding among the better ranked ones that v is a part of.
func (e *engine) hostOf(v *verdict, better []finding.Finding, vs map[string]*verdict) *finding.Finding {
	if v.entry.Match.Place != catalog.PlaceCaller || !e.calledByLibrary(v) {
		return nil
	}
	for i := range better {
		host := vs[better[i].ID]
		if !host.isAside() && float64(v.trace.overlap[host]) >= dominates*float64(v.cost.inclusive) {
			return &better[i]
		}
	}
	return nil
}

// calledByLibrary says whether most calls into the matched code are made by code
// that the user has from others.
func (e *engine) calledByLibrary(v *verdict) bool {
	var foreign, all int64
	for line, w := range v.trace.callers {
		all += w
		if e.fromOthers(line.Function) {
			foreign += w
		}
	}
	return all > 0 && float64(foreign) >= dominates*float64(all)
}

var systemLibrary = regexp.MustCompile(`^/(usr/)?lib(32|64|x32)?/.*\.so(\.|$)`)

// fromOthers says whether a function is of a library, as far as its name, file
// or binary tell.
func (e *engine) fromOthers(id profile.FunctionID) bool {
	fn := e.p.Function(id)
	m := e.p.Mapping(fn.Mapping)
	f := normalize(fn, m)
	if origin.IsPackaged(f.file) {
		return true
	}
	switch f.kind { //nolint:exhaustive // of the others only the file tells
	case profile.KindGo, profile.KindJava, profile.KindDotNet:
		return origin.OfFunction(&profile.Function{Name: f.name, File: f.file, Kind: f.kind}, m.Path) != origin.Own
	case profile.KindNative, profile.KindUnknown:
		return systemLibrary.MatchString(m.Path)
	}
	return false
}
