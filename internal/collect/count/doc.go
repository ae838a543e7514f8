// Package count counts the system calls of a command in a run of its own: how often each
// was made, what it moved, and how many different paths were named; and calls of functions
// that the caller names.
//
// It owns the programs in the kernel that count, and the run; what counts inside of
// interpreters is a package of its own. It takes a command and gives
// numbers; of paths only hashes are kept, and only as long as the run lasts. It must never
// import a sampler, a judge or a report.
//
// How. A program at the end of each system call (the raw tracepoint sys_exit, which needs
// no tracefs) looks whether the process is of the command, and adds to a table in the
// kernel; nothing is sent for a call. Every system call of the machine is a little slower
// while it runs: this is no run to be measured or profiled.
//
// Functions of machine code have a probe at their start, which counts calls and hashes
// arguments, or probes at their start and at each instruction that leaves them, which add up
// how long calls take, by the logarithm of the number of the call, and hash what a call is given and
// gives, where the package abi knows where that is.
package count
