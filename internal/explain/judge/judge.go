// Package judge is the shape of whatever explains a profile: one Subject in, one Answer
// out.
//
// It owns the nouns that judges share. Subject is what is looked at, Facts is what is
// known of binaries and source files, Found is a finding with what tells whether another
// judge found the same, and Answer is all that one judge has to say. The judges are the
// catalogue (package rule), the source of a build (source), machine code (machine), how
// binaries were built (build) and the reports of compilers (remarks); package merge makes
// one list of their answers. It must never import a judge, merge, a report or a reader
// of profiles.
package judge

import (
	"context"
	"regexp"

	"whyhot/internal/elfinfo"
	"whyhot/internal/elfinfo/elffile"
	"whyhot/internal/finding"
	"whyhot/internal/ingest/remark"
	"whyhot/internal/profile"
)

// Judge says what it finds on a subject. An error ends the whole explanation: what only
// keeps a judge from its work is a note.
type Judge func(ctx context.Context, s Subject) (Answer, error)

// Said is the judge that has answered already.
func Said(a Answer) Judge {
	return func(context.Context, Subject) (Answer, error) { return a, nil }
}

// Subject is what is judged.
type Subject struct {
	Profile *profile.Profile
	Facts   Facts
	Remarks []remark.Remark // of compilers, about the program
	// Lines says, by cause, which code locations a judge before found it at.
	Lines map[string]Lines
	Options
}

// Options say how a subject is judged.
type Options struct {
	// Path is how the user calls the profile, for commands; "" where it has no name.
	Path string
	// DebugDirs are searched for debug files of binaries.
	DebugDirs []string
	// All also gives what the reader cannot change, and what holds for nearly every
	// program.
	All bool
}

// Lines says whether a location of the profile is one where a cause was found.
type Lines func(profile.LocationID) bool

// Found is a finding with what tells whether two are one.
type Found struct {
	finding.Finding

	// Samples are the rows of the profile that it is about, none where not known. Depths
	// says for each which location of the stack, from the leaf, is the innermost that the
	// finding is about; none where that is not known.
	Samples, Depths []int32
	// Code are the source lines of each of its instructions, innermost inlined call
	// first; of a loop in machine code.
	Code [][]finding.Line
	// Cause is what several judges know of by the same name: a rule of the source; ""
	// for none.
	Cause string
	// Whole is the identity of the one finding that this and others of its rule are, since
	// one change mends them all (how a binary is built, how one function is called); ""
	// where each stands for itself. Where says which part this is.
	Whole, Where string
	// Removes: the change takes the work away, which is done once in place of again and
	// again, or not at all.
	Removes bool
	// Passed: it is about calls into the kernel that a library only passes on. Another
	// library would make them too.
	Passed bool
	// Replaced: of the samples, those that go where something else is put in the place of
	// what the finding is about: nothing of the program's own runs below that.
	Replaced []int32
	// Callee is the function whose calls the finding wants to be cheaper, "" for none.
	Callee string
	// Functions are those by whose names it is told, none where it is told otherwise.
	Functions []string
	// Directories are those of the files of such functions that are the program's own: it is what
	// the finding is about, or has a copy of it.
	Directories []string
	// Service: it is about work that a runtime does for the program: collecting, allocating
	// or faulting in memory, compiling what runs. How much there is follows from what the
	// program does, and Demand are the rows that show who asks for it; Roughly, all that
	// runs besides. Of services, Collects: it is the collection of garbage.
	Service, Collects bool
	Demand            []int32
	Roughly           bool
	// Basic: it is about work that any code may ask for, such as copying, and does not know the
	// cause: a finding that names the operation knows more.
	Basic bool
	// Symptom: it tells what happens at a line and not why. A finding that knows the cause and is
	// about the same line leads, and has this one as evidence, whichever judge spoke first.
	Symptom bool
	// Yields: it is told by behaviour, and left out where a finding that knows the cause by
	// name is about the same samples.
	Yields bool
	// Takes: of one that yields, whatever runs below its line goes with it. A finding about a
	// part of that says less: it yields only to one that takes nearly the same samples away.
	Takes bool
}

// Answer is what a judge says.
type Answer struct {
	Found []Found
	Notes []string
	// Waits are where a command waits, nil where that was not seen.
	Waits *finding.Waits
	// Looked says in a sentence what was looked at, "" for nothing.
	Looked string
	// Lines are those of causes, also of findings that are not listed.
	Lines map[string]Lines
}

// Facts answers questions about the binaries of a profile and about its source.
type Facts interface {
	// Binary gives the facts of the file that a mapping came from, and how far
	// they can be trusted. With NoTrust the Binary is nil.
	Binary(m *profile.Mapping) (Binary, Trust)
	// Info is what that file says of itself, nil where it is not the one that ran.
	Info(m *profile.Mapping) *elfinfo.Info
	// Code gives the file that an address of a mapping is in, and where in it; ok is
	// false where it is not the one that ran. It is open as long as the facts are.
	Code(m *profile.Mapping, address uint64) (file *elffile.File, vaddr uint64, ok bool)
	// Source gives the lines of a source file that a profile names.
	Source(path string) (lines []string, ok bool)
}

// Trust says how sure it is that a file on disk is the one that was profiled.
type Trust uint8

// The levels of trust, lowest first.
const (
	NoTrust      Trust = iota // nothing is known of the binary
	PathTrust                 // a file of that path; the profile has no build ID to compare
	BuildIDExact              // the build IDs are equal
)

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
