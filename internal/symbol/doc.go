// Package symbol turns addresses into functions, files, lines and inlined
// frames.
//
// It owns the choice of the source of a name: DWARF and symbol tables of the
// binary or of its separate debug file, the function table of Go programs, the
// kernel's list, the vDSO of this process and the maps that JIT compilers write.
// It takes a profile.Profile whose locations have addresses, or one binary and
// virtual addresses, and gives named frames and a Summary of what could not be
// named, why, and what would help. It must never import internal/ingest,
// internal/profile/view or anything to their right; nothing to its left needs it.
//
// Trust. A name is given only when it belongs to the code that was sampled: a
// file whose build ID is not that of the mapping is not used, nor is the list of
// another kernel. An address without a name stays without one.
//
// Addresses. Location.Address - Mapping.Start + Mapping.Offset is an offset in
// the file; the loadable segments turn it into the virtual address that symbol
// tables and DWARF speak of.
package symbol
