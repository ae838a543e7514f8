// Package cfi reads call frame information: which function an address is in, and
// where its caller's registers are.
//
// It owns the reading of .eh_frame, .eh_frame_hdr and .debug_frame: common parts
// (CIE), functions (FDE), call frame instructions, and the rows that they make. It
// takes sections that may hold anything and gives what they say. Whoever walks
// stacks by the rows (internal/ingest/unwind) or judges the code by the
// instructions (internal/collect/framepointer) does so elsewhere. Of this module
// it imports internal/elfinfo/elffile and internal/elfinfo/scan only.
//
// Nothing is compiled ahead: a function is looked up by address in the linker's
// own sorted table (.eh_frame_hdr), or in one that is made of the section, and its
// instructions are run up to the address.
//
// Formats: DWARF 5 §6.4 and §7.24, and the Linux Standard Base, "Exception
// Frames".
package cfi
