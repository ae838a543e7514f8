// Package remarks says what the compiler's own remarks mean: it groups the
// missed optimisations of a unit by loop and cause and turns them into findings.
//
// It owns the causes in plain words with what can be done about each. It takes
// outcomes of package analyzer that were asked for with remarks and gives
// findings, deep loops first. It must never run anything or read a file.
package remarks
