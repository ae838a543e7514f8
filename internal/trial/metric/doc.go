// Package metric measures what a run does not tell by itself: a number that the
// command prints, and the instructions that it executes.
//
// It owns the reading of the number (Number) and the two ways to count
// instructions (Counter). Each is put around a runner of package run and adds
// its value to the results. Of this module it imports internal/trial/run only;
// it knows nothing of variants, rounds or verdicts.
package metric
