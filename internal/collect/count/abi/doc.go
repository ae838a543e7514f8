// Package abi tells where a function of machine code has its arguments when it is called and its
// results when it is left, so that a probe can tell one call from another.
//
// It owns what it knows of the calling conventions of C and C++ (System V ABI for x86-64), Rust and
// Go (ABIInternal), and the reading of types from debug information (DWARF). It takes a binary and a
// symbol and gives a Signature: what to read, in words of registers and of memory behind them. It
// must never import what attaches probes.
//
// How. The compile unit that has the symbol's address is searched for the function's entry; the
// types of its parameters say which registers they are in, and what is behind a pointer: the text
// of a std::string, of a &str, of a string of Go. An object is known by its address, unless it
// has nothing but numbers in it.
//
// A function with an argument or a result that no probe can read has no Signature: one of floating
// point, since the registers of these are out of a probe's reach; one whose layout this package does not
// know; and one that writes results through a pointer to a number.
package abi
