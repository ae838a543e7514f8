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
//
// The method. The profiler's own code makes each part. It is shown the file with two
// records of .eh_frame changed, so that it skips what is before the part and ends after it.
// It is given each different row once instead of the table: it numbers them, and what stands
// before its handler of BPF maps writes the whole table with these numbers. Where the fields
// that lead to the handler are not as in the pinned version, everything goes the profiler's
// way, and a note says so.
//
// A test has the profiler's own code read libraries both ways, and compares every row, info
// and page that comes to the kernel: they are the same for libstdc++, libc, libcrypto,
// libgcc, libm (in parts of 3 and 100 KiB) and libLLVM (of 2 MiB). Of the 3.9 million rows of
// a library of 555 MB one is at another place: two blocks begin at one address, of which one
// is empty, and the profiler leaves their order to chance.
package largetables
