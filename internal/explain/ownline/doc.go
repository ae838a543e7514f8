// Package ownline tells which line of the program's own code pays for what is below it in
// a stack.
//
// It owns the question which frames of a stack are the program's own: not those of a
// library, a runtime, an interpreter or the kernel, in any language whose frames have
// names. It takes a profile and gives lines. It must never import a judge, read a file or
// print.
//
// Example. main.py:41 calls json.loads, which calls a decoder in C, which reads: the line
// that pays is main.py:41.
package ownline
