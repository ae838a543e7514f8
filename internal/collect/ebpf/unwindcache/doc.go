// Package unwindcache keeps on disk the unwind tables that the eBPF profiler makes
// of binaries: parsing those of a compiler takes it a second of CPU time, at each
// start.
//
// It owns the form of an entry, what an entry is found by, and the directory with
// its bound. It takes a directory and the profiler's own extraction and gives a
// nativeunwind.StackDeltaProvider that stands before it. It imports nothing of ours
// but internal/host.
//
// What an entry is found by. A hash of everything that the tables are made of: the
// sections with call frame information and Go's table of functions, where they lie,
// the code at the entry point, the name of the library, the build ID, and the version
// of the profiler. A file that only claims to have the build ID of another one does
// not get its tables. The name of an entry begins with the build ID.
//
// Several processes may use one directory. Entries are written as whole files; one
// that is damaged is made anew. What goes wrong with the directory only means that
// tables are made as without it.
package unwindcache
