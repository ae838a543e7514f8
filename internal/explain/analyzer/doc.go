// Package analyzer starts the C++ analyser, speaks its protocol and keeps its
// answers.
//
// It owns the worker processes, the wire form (docs/analyzer-protocol.md) and
// the cache. It takes compdb units and gives one Reply per unit; a crash or a
// hang of a worker costs the unit it happened in. A Resident is a worker that stays, for
// an editor. It must never import view, rule or report: what an answer means is said by
// package loopfinding.
package analyzer
