// Package largetables gives the eBPF profiler the unwind tables of very large binaries
// without having them in memory.
//
// The profiler holds a table whole, with 16 bytes a row beside what it copies to hand it to
// the kernel: more than 200 MB for a library of 500 MB. This package makes such a table in
// parts, keeps it packed (some three bytes a row), and writes it into the kernel's map in
// pieces. It owns the packed form and the rows that the kernel gets, which are those that the
// profiler would give it; a test holds one against the other. It takes the profiler's own
// maker of tables and its handler of BPF maps, and stands before both. It must never import
// another package of this module.
//
// What it does not take (small files, Go programs, files with .debug_frame or with another
// encoding of addresses than compilers use) goes the profiler's way.
package largetables
