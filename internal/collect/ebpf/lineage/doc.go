// Package lineage has the kernel itself say who descends from the processes that the
// profiler knows, and let the profiler sample these from their first instruction on.
//
// It owns a program in the kernel that runs where a process is made. It takes the
// profiler's map of known processes, adds the children of known ones to it, and gives the
// parent of each; of all others the profiler is not to hear. It must never import the
// sampler or anything of the profiler but the layout of these maps.
//
// Why. The profiler's kernel part drops the samples of a process that is not in the map,
// and its user part adds a process once it has read its memory map: on a busy machine that
// is a part of the life of a short process. A process that was added here has samples at
// once; until its memory map is read its stacks have the kernel's frames alone. And who
// follows processes by what a ring of events tells may read of a child before its parent.
//
// The profiler reads one process after the other. A compiler that starts beside what is
// recorded, and had a sample before anybody said that it is of no interest, keeps it busy with
// the unwind tables of 100 MB of code, while the libraries of the target stay unknown: of 470
// stacks of half a second 313 were cut that way.
package lineage
