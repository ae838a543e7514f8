// Package known makes processes known to the profiler from within the kernel, so that no sample
// of them is dropped.
//
// It owns two programs in the kernel that add to the profiler's map of known processes: one
// where a process is made (Lineage), which also says who descends from whom, and one that runs
// before the profiler's own at each sample (Entry). It must never import the sampler or
// anything of the profiler but the layout of these maps.
//
// Why. The profiler's kernel part drops the samples of a process that is not in the map,
// and its user part adds a process once it has read its memory map: on a busy machine that
// is a part of the life of a short process, or all of it. A process that was added here has
// samples at once; until its memory map is read its stacks have the kernel's frames alone.
//
// Lineage is for recordings of a command or of some processes: their children are sampled from
// their first instruction on, and of all others the profiler does not hear. It reads one
// process after the other. A compiler that starts beside what is recorded, and had a sample
// before anybody said that it is of no interest, keeps it busy with the unwind tables of
// 100 MB of code, while the libraries of the target stay unknown: of 470 stacks of half a
// second 313 were cut that way.
//
// Entry is for the whole machine, where nearly all processes come and go without a sample, and
// the end of each known one is work: there a process becomes known by its first sample.
package known
