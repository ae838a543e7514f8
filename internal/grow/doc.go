// Package grow records one command at several sizes of its input, interleaved.
//
// It owns the sizes (numbers, files or parts of one file), how they stand in a command
// line, the order of the runs, and the labels that tell the runs of the one profile apart.
// It takes a command and gives a profile that internal/explain/growth fits. It must never
// fit, judge or print.
//
// All runs are one recording where the sampler knows the time of each sample: a shell is
// recorded, which is given one command line after the other. A sampler then has to learn
// the binaries once, where each recording of its own would lose the first stacks of each
// run, and what is lost at each size alike makes a cost look as if it grew faster.
package grow
