// Package perfdata reads what `perf record` writes, files and pipes, into a
// profile without running perf.
//
// It owns the perf.data container (header, attributes, feature sections,
// records, compression, time order), the address spaces of the recorded
// processes over time, and the turning of samples into stacks. It takes a byte
// stream and gives a profile.Profile with addresses, mappings and build IDs but
// without symbol names. It must never import internal/symbol, internal/profile/view or
// anything that stands to their right.
//
// The layout facts are those of the Linux UAPI header perf_event.h and of
// tools/perf/Documentation/perf.data-file-format.txt in the kernel tree.
//
// Memory. The file is read once, front to back. What is held is one round of
// records (the recorder's ring buffers, as perf's own FINISHED_ROUND protocol
// bounds it), the live address spaces, the aggregated profile, and some batches of
// stacks between the two stages of the reading: one that reads records in order and
// looks addresses up, and one that puts stacks into the profile (interner).
//
// Mappings. Every binary is one mapping, whatever address each process mapped
// it at. Kernel code is in "[kernel.kallsyms]" or the module's own mapping and
// keeps its absolute address. Code without a file behind it (JIT, anonymous or
// memfd memory) is in a mapping called "/tmp/perf-PID.map", one a process, at
// its absolute address: that is the name by which perf and the runtimes that
// write such maps know it.
package perfdata
