package extract

import (
	"slices"
	"strings"
)

// Grade is how much of a program a file names. A program exists with one build ID as it was
// linked and stripped; of two files the one with the higher grade is to be kept.
type Grade int

// The grades, from the least.
const (
	NoGrade  Grade = iota // not known
	Exported              // what the program exports
	Named                 // every function
	Lined                 // functions, lines and inlined calls
)

// gradeNames begin hashes. The first is that of no file of ours.
var gradeNames = []string{"", "exports", string(Symbols), string(Full)}

func (g Grade) String() string { return gradeNames[g] }

// GradeOf reads the grade that a hash begins with; NoGrade for hashes of others.
func GradeOf(hash string) Grade {
	name, _, found := strings.Cut(hash, "-")
	if i := slices.Index(gradeNames, name); found && i > 0 {
		return Grade(i)
	}
	return NoGrade
}

// Grade is how much the file names.
func (f *File) Grade() Grade {
	switch {
	case f.HasDWARF():
		return Lined
	case f.HasSymbols():
		return Named
	}
	return Exported
}
