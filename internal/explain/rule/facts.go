package rule

import (
	"whyhot/internal/explain/judge"
	"whyhot/internal/profile"
)

// Facts is what entries ask of judge.Facts. A nil Facts knows nothing, as for a profile
// from another machine.
type Facts interface {
	Binary(m *profile.Mapping) (judge.Binary, judge.Trust)
	Source(path string) (lines []string, ok bool)
}

type noFacts struct{}

func (noFacts) Source(string) ([]string, bool) { return nil, false }

func (noFacts) Binary(*profile.Mapping) (judge.Binary, judge.Trust) { return nil, judge.NoTrust }
