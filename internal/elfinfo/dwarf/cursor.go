package dwarf

import "whyhot/internal/elfinfo/scan"

// cursor reads a section front to back, the forms of attributes among others.
type cursor struct{ scan.Cursor }

func at(data []byte, off uint64, big bool) cursor { return cursor{scan.At(data, off, big)} }
