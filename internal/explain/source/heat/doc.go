// Package heat holds a profile against the source of a build: which of its
// units hold hot code, and how much CPU the lines of a finding take.
//
// It owns the matching of paths in debug information with files of the build,
// the choice of units and functions to analyse (docs/decisions/0055), and the
// share and the estimate of findings in the source. It takes a profile, the
// units of package compdb and findings; it gives work for package analyzer and
// findings with their shares. It reads the build's source files for nothing but
// their #include lines. It must never start a process or import a report.
package heat
