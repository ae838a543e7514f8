// Package remarks says what the compiler's own remarks mean: it groups the
// missed optimisations of a unit by loop and cause and turns them into findings.
//
// It takes outcomes of package analyzer that were asked for with remarks and gives
// findings, deep loops first; what the causes are is in missed. It must never run
// anything or read a file.
package remarks
