// Package preload records a command without any privilege: gperftools' CPU
// profiler is loaded into it and into the programs that it starts, and each
// process writes its own samples when it exits.
//
// It owns finding the library, the environment that switches it on, the check
// that a program can be preloaded into at all, and the merging of the files
// that the processes leave. It takes a collect.Request and gives one profile.
// It must never import internal/symbol or another sampler.
//
// The file format is gperftools' "CPU profile" (its docs/cpuprofile-fileformat):
// machine words, then the text of /proc/self/maps.
package preload
