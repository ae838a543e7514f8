// Package machine finds the hot loops in the machine code that a profile ran: of any
// native binary, whoever compiled it, with debug information or without.
//
// It owns the way from samples to loops: which functions are looked at, where each
// begins and ends, and which loop a sample belongs to, skid included. It takes a
// profile and, through who asks, the binaries that ran; the analyser
// disassembles them and finds their loops (analyzer/src/machine). It gives Loops,
// hottest first, and what rules found in them as findings. It must never import a
// report, read source, or run anything but the analyser.
//
// Skid. The clock's interrupt is taken when the oldest instruction in flight has
// retired, and the address that it finds is that of the one behind. So a sample
// counts for the loop of the instruction before it, where that one alone can run
// before it and takes long: a load, a division, an atomic update. Docs:
// docs/decisions/0150.
package machine
