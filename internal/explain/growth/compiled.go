package growth

import (
	"path/filepath"

	"whyhot/internal/explain/judge"
	"whyhot/internal/profile"
)

// compiledOf is the source of a compiled program whose stacks have no callers: the first file of
// Haskell that the profile names. What it imports is of the program, too.
func compiledOf(s judge.Subject) (path string, lines []string) {
	if s.Facts == nil {
		return "", nil
	}
	p := s.Profile
	for i := range p.NumFunctions() {
		file := p.Function(profile.FunctionID(i)).File //nolint:gosec // functions are numbered so
		if filepath.Ext(file) != ".hs" {
			continue
		}
		if lines, ok := s.Facts.Source(file); ok {
			return file, lines
		}
	}
	return "", nil
}
