package rule

import (
	"regexp"

	"whyhot/internal/profile"
)

// Trust says how sure it is that a file on disk is the one that was profiled.
type Trust uint8

// The levels of trust, lowest first.
const (
	NoTrust      Trust = iota // nothing is known of the binary
	PathTrust                 // a file of that path; the profile has no build ID to compare
	BuildIDExact              // the build IDs are equal
)

// Facts answers questions about the binaries of a profile and about its source. A
// nil Facts knows nothing, as for a profile from another machine.
type Facts interface {
	// Binary gives the facts of the file that a mapping came from, and how far
	// they can be trusted. With NoTrust the Binary is nil.
	Binary(m *profile.Mapping) (Binary, Trust)
	// Source gives the lines of a source file that a profile names.
	Source(path string) (lines []string, ok bool)
}

// Binary is what can be read from one ELF file and the package database.
type Binary interface {
	// Defines returns a symbol that the file defines and that the expression
	// matches. known is false when the file has no symbols to search, which for
	// a dynamic file is never so: its dynamic symbols stay.
	Defines(re *regexp.Regexp) (symbol string, found, known bool)
	// Needed lists the DT_NEEDED sonames.
	Needed() []string
	// Static is true for a file without a dynamic loader.
	Static() bool
	// Package names the distribution's package that owns the file and its
	// version, "" when none does.
	Package() (name, version string)
	// String returns the first match of the expression in the file's read-only
	// text: group 1 where there is one, else the whole match.
	String(re *regexp.Regexp) (match string, found bool)
	// Producers lists what the compile units say of their compiler and its
	// flags (DW_AT_producer); empty without debug information.
	Producers() []string
}

type noFacts struct{}

func (noFacts) Source(string) ([]string, bool) { return nil, false }

func (noFacts) Binary(*profile.Mapping) (Binary, Trust) { return nil, NoTrust }
