// Package check is the gate for a change: whether it makes a program slower, by how
// much at least or at most, and why.
//
// It owns the Request (a revision to compare with, commands, a limit and a budget), the
// Result (docs/check.schema.json), the test that decides with a bounded rate of false
// alarms (decide.go), the two trees and the one place in which both are built and run
// (check.go, sides.go), what a run reads of its tree (same.go), and the ways from a
// verdict to its cause: functions that grew (blame.go) and findings on changed lines
// (why.go). Runs are made by trial, samples by collect/session, findings by explain.
// It must never print, nor know of flags, a terminal or the forms of other tools.
package check
