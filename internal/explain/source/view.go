package source

import (
	"whyhot/internal/explain/analyzer"
	"whyhot/internal/explain/source/loopfinding"
)

// Compiled is a loop in one world, as findings and reports show it.
type Compiled = loopfinding.Compiled

// Worlds are a loop's worlds in the order in which they are shown.
func Worlds(l Loop) []Compiled { return loopfinding.Worlds(l) }

// Role is what an access of a loop is to a reader, "" where it is nothing.
func Role(a analyzer.Access) string { return loopfinding.Role(a) }
