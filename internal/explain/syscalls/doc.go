// Package syscalls says which lines of a program make many small system calls: writes and
// reads without a buffer, and files that are looked up by their path at each call; and
// whether a command spends its time in starting many short processes.
//
// It owns the judgement: which samples are spent in calls of which kind (call.go), whether
// the calls are small and whose they are (small.go), which processes are short
// (processes.go), and what to change in the language of the line (cure.go). It takes a
// profile, with the numbers and bytes of calls where they were counted, and gives findings.
// It must never run a command, read a file or print.
//
// Why it comes before libraries. The kernel's time is of the call that asked for it: an
// unbuffered file below a parser costs the parser's caller a call for each byte, and
// another parser changes nothing.
package syscalls
