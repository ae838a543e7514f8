// Package suite runs a trial for each of several benchmarks and sums them up: by
// how much does a variant change all of them, the worst and the best.
//
// It owns the suite file (docs/guide/try-suite.md), the plan of each benchmark
// that follows from it, and the Result with its summary (docs/suite.schema.json).
// It takes a file, variants and a maker of runners and gives a Result. Of this
// module it imports internal/trial and its rooms, internal/finding,
// internal/host/allocator and internal/host/shellwords; it prints nothing.
package suite
