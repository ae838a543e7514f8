package inimage

import (
	"maps"
	"slices"
	"strings"

	"whyhot/internal/finding"
	"whyhot/internal/profile"
)

// Files are the paths whose owners the join needs: the binaries of the profile, and
// where its findings are.
func Files(p *profile.Profile, findings []finding.Finding) []string {
	names := map[string]bool{}
	for i := range p.NumMappings() {
		names[p.Mapping(profile.MappingID(i)).Path] = true
	}
	for _, f := range findings {
		names[f.Place.Binary] = true
		names[f.Place.File] = true
	}
	maps.DeleteFunc(names, func(n string, _ bool) bool { return !strings.HasPrefix(n, "/") })
	return slices.Sorted(maps.Keys(names))
}

// covered is the share of the CPU that the image's binaries take of what runs in
// binaries with a path; nil where none has one.
func (r *Request) covered() *float64 {
	p := r.Hot.Profile
	var in, all int64
	for _, s := range p.Samples() {
		stack := p.Stack(s.Stack)
		// The kernel's time is that of who called it.
		for _, l := range stack {
			path := p.Mapping(p.Location(l).Mapping).Path
			if !strings.HasPrefix(path, "/") {
				continue
			}
			all += s.Value
			if _, ok := r.Inventory.Files[path]; ok {
				in += s.Value
			}
			break
		}
	}
	if all == 0 {
		return nil
	}
	share := float64(in) / float64(all)
	return &share
}
