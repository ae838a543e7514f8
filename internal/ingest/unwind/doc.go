// Package unwind walks recorded copies of x86-64 user stacks by the call frame
// information (CFI) of the binaries that ran.
//
// It owns the finding of the right binary (path, build ID, debug directories, the
// vDSO), the values of DWARF expressions, and the walk. It takes registers, the
// bytes above the stack pointer and a function that says which binary an address
// belongs to, and gives instruction addresses, leaf first. What the tables of a
// binary say is read by internal/elfinfo/cfi; of this module it imports that and
// its neighbours below internal/elfinfo only.
//
// Nothing is compiled ahead: the frame layout of an address is asked for once,
// since the same call sites return in sample after sample.
//
// Register numbers are those of the System V ABI for x86-64, figure 3.36;
// expressions are those of DWARF 5 §2.5.
//
// Where there is no CFI (code made by a JIT, binaries that are gone) the walk
// goes by the frame pointer, and ends where that does not hold.
package unwind
