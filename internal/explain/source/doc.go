// Package source judges the source of a build: it has the C++ analyser look at
// translation units and turns the answers into findings, ranked by a profile
// where there is one.
//
// It owns which units are asked, in which order and for which functions, and what
// is said of units without an answer. It takes a build directory (or one compiler
// command line), a profile and Options; it gives findings with notes, loops in all
// their worlds, and the counterfactuals that a what-if build makes. Progress goes
// to a function of the caller's.
//
// It is the one door of its rooms: heat (a profile mapped to the source),
// loopfinding, astfinding and remarks (answers of the analyser → findings),
// userrule (rules of the user), excerpt (the lines that are shown). It must never
// read a profile's file, print, or import a trial or a report.
package source
