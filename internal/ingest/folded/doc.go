// Package folded reads folded (collapsed) stacks: one stack per line, root
// first, frames separated by semicolons, and a count after the last space.
//
// It owns the text format and the conventions that profilers add to it: marks
// behind a symbol ("malloc_[libc.so.6]", "_[k]", "_[j]", "_[vdso]", "_[i]"),
// thread names in front of a stack, source positions inside a frame ("f
// (a.py:12)", "f a.mjs:17", "f - a.rb:3", "a.py:f:12"). py-spy's raw output,
// austin, async-profiler, rbspy, bcc, bpftrace, perf and V8 write such lines;
// what a file is in follows from its frames, not from its name.
//
// It takes a stream of bytes and gives a profile.Profile. It must never open a
// file, decompress, or look at the machine it runs on. Of this module it
// imports internal/profile and its sub-packages only.
//
// A count is the number of samples; a file with decimal counts holds weights of
// unknown unit, which are rounded without losing their sum. Conventions:
// https://github.com/brendangregg/FlameGraph (stackcollapse-*.pl),
// https://github.com/async-profiler/async-profiler/blob/master/docs/OutputFormats.md,
// https://github.com/benfred/py-spy, https://github.com/P403n1x87/austin.
package folded
