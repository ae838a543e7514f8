package symbol

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"whyhot/internal/elfinfo/dpkg"
	"whyhot/internal/finding/percent"
	"whyhot/internal/profile"
)

// Reason says why addresses of a mapping have no name, or no line.
type Reason uint8

// The reasons, worst last.
const (
	ReasonNone      Reason = iota // everything was named, with lines
	ReasonNoLines                 // functions are named, but there is no debug information
	ReasonStripped                // only exported functions are named
	ReasonOutside                 // the address is in no function that the file knows
	ReasonDamaged                 // the file cannot be read
	ReasonMissing                 // the file is not there
	ReasonChanged                 // the file is there, but is not the one that ran
	ReasonNoPerfMap               // generated code without a map
	ReasonHidden                  // the kernel hides its addresses
	ReasonForeign                 // another kernel than the one that runs
	ReasonUnmapped                // the profile does not say what was at the address
)

// MappingSummary tells how the addresses of one mapping fared.
type MappingSummary struct {
	Mapping profile.MappingID
	Path    string
	BuildID string
	// Addresses is the number of locations that came without a name. Each of
	// them is in one of the three counts after it.
	Addresses int
	Lines     int // named, with a source line
	Names     int // named only
	Missing   int // still without a name
	// Self is the value of the samples that were taken at a Missing address.
	Self    int64
	Sources []string // the files that were read for it
	Reason  Reason
	Problem string   // what is wrong, for people; "" for ReasonNone
	Help    string   // what would help; "" when nothing is known to, or see packages
	Notes   []string // damage met on the way

	// packages is set when debug information would help. Which package brings it
	// is looked up only for what is shown: dpkg has a list of files for each of
	// its packages, and reading them takes longer than most profiles do.
	packages *dpkg.DB
}

// Summary tells how a profile's addresses fared, one entry for each mapping that
// had addresses without names, the one that lost most first.
type Summary struct {
	Mappings []MappingSummary
	Total    int64 // value of the whole profile, for shares of Self
}

// Name is the last part of the mapping's path.
func (m *MappingSummary) Name() string {
	if m.Path == "" {
		return "[unknown]"
	}
	return filepath.Base(m.Path)
}

// Hints are the lines to show a user: for every mapping with a problem the share
// of the profile it costs, the problem and what would help. Mappings that lost
// less than minShare of the profile are left out, unless nothing of the profile
// was lost in them but lines are missing and all is true.
func (s Summary) Hints(minShare float64, all bool) []string {
	var shown []*MappingSummary
	var packages *dpkg.DB
	var paths []string
	for i := range s.Mappings {
		m := &s.Mappings[i]
		if m.Reason == ReasonNone || m.Missing == 0 && !all || m.Missing > 0 && s.share(m) < minShare {
			continue
		}
		shown = append(shown, m)
		if m.packages != nil {
			packages, paths = m.packages, append(paths, m.file())
		}
	}
	var owners map[string]dpkg.Package
	if packages != nil {
		owners = packages.Owners(paths)
	}
	out := make([]string, 0, len(shown))
	for _, m := range shown {
		text := m.Name() + ": "
		if m.Missing > 0 {
			text += fmt.Sprintf("%s of the profile has no function name (%d of %d addresses): ", percent.Column(s.share(m)), m.Missing, m.Addresses)
		}
		text += m.Problem
		if help := m.help(owners); help != "" {
			text += "; " + help
		}
		out = append(out, text)
	}
	return out
}

func (s Summary) share(m *MappingSummary) float64 {
	if s.Total == 0 {
		return 0
	}
	return float64(m.Self) / float64(s.Total)
}

// file is the path of the binary as packages have it.
func (m *MappingSummary) file() string { return strings.TrimSuffix(m.Path, deletedMark) }

// help says what would help, given the packages that own the files.
func (m *MappingSummary) help(owners map[string]dpkg.Package) string {
	if m.packages == nil {
		return m.Help
	}
	if p, ok := owners[m.file()]; ok {
		return fmt.Sprintf("install %s or give --debug-dir", p.DebugPackage())
	}
	return "build it with -g and do not strip it, or give --debug-dir"
}

func (s Summary) sort() {
	slices.SortStableFunc(s.Mappings, func(a, b MappingSummary) int {
		return cmp.Or(
			cmp.Compare(b.Self, a.Self),
			cmp.Compare(b.Missing, a.Missing),
			strings.Compare(a.Path, b.Path))
	})
}
