// Package loopfinding says what the analyser's answers mean: it turns candidate
// loops and their worlds into findings.
//
// It owns the rules' titles, evidence and advice for loops that repeat loads
// because of what they store, and the order in which such findings stand when
// no profile ranks them. It takes outcomes of package analyzer and gives
// findings. It must never run anything or read a file.
package loopfinding
