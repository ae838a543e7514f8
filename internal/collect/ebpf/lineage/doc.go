// Package lineage has the kernel itself say who descends from the processes that the
// profiler knows, and let the profiler sample these from their first instruction on.
//
// It owns a program in the kernel that runs where a process is made. It takes the
// profiler's map of known processes, adds the children of known ones to it, and gives the
// parent of each. It must never import the sampler or anything of the profiler but the
// layout of that map.
//
// Why. The profiler's kernel part drops the samples of a process that is not in the map,
// and its user part adds a process once it has read its memory map: on a busy machine that
// is a part of the life of a short process. A process that was added here has samples at
// once; until its memory map is read its stacks have the kernel's frames alone. And who
// follows processes by what a ring of events tells may read of a child before its parent.
package lineage
