// Package rprof reads what R's own profiler writes, and finds out when each sample was taken.
//
// It owns the text format of Rprof with line profiling, and the placing of samples in time.
// It takes the file and a log of how far it had been written at which times, and gives the
// samples with their stacks. It must never start R or read a process.
//
// Rprof writes no times. It samples by the CPU time of the process (setitimer's ITIMER_PROF),
// and its output reaches the file in blocks: how far the file has grown at a time, and the CPU
// time then, bound when the samples in it were taken. Between two such points they are spread
// evenly over the CPU time.
//
// Format: src/main/eval.c of R (R_InitProfiling, doprof).
package rprof
