// Package unwind walks recorded copies of x86-64 user stacks by the call frame
// information (CFI) of the binaries that ran.
//
// It owns the reading of .eh_frame and .debug_frame, the finding of the right
// binary (path, build ID, debug directories, the vDSO), and the walk. It takes
// registers, the bytes above the stack pointer and a function that says which
// binary an address belongs to, and gives instruction addresses, leaf first. It
// must never import another package of this module.
//
// Nothing is compiled ahead: a frame description is looked up by address in the
// linker's own sorted table (.eh_frame_hdr) and interpreted once for each
// distinct address, since the same call sites return in sample after sample.
//
// Formats: DWARF 5 §6.4 and the Linux Standard Base, "Exception Frames"; register
// numbers are those of the System V ABI for x86-64, figure 3.36.
//
// Where there is no CFI (code made by a JIT, binaries that are gone) the walk
// goes by the frame pointer, and ends where that does not hold.
package unwind
