// Package rule judges a profile: it matches the catalogue against the samples
// and turns what costs enough, and is not moot, into findings.
//
// It owns the meaning of a catalogue entry: how frames are matched, which
// samples belong to one program, when an expert would stay silent, how far up
// the ladder of certainty the facts carry, and how the gain is estimated. It
// takes an immutable profile, a catalogue and, through the Facts interface,
// what is known of binaries on disk; it gives findings, notes and the grouping
// of functions into families. It does no I/O and must never import an
// ingester, a symboliser, a trial or a report.
//
// The way of a run: every function is matched once against all patterns
// (index.go), samples are divided into programs (program.go), a first walk over
// the samples measures every entry in every program (measure.go), the few that
// cost enough are judged (judge.go), a second walk collects their evidence
// (evidence.go), and what is left after one cost has been kept to one finding
// (dedupe.go) is written down (write.go, estimate.go).
package rule
